// heat.cpp -- heat in a square plate: a stencil, reductions, a linear system, a sort and printing.
#include <cuarray/cuarray.h>
#include <iostream>

using namespace cuarray;

int main() {
    const int n = 64;
    Array plate = zeros({n, n});
    plate(0) = 100.0;  // one edge is hot

    const Slice inner = slice(1, -1);
    for (int step = 0; step < 1000; ++step) {
        const Array around =
            plate(slice(-2), inner) + plate(slice(2, {}), inner) + plate(inner, slice(-2)) + plate(inner, slice(2, {}));
        plate(inner, inner) += 0.2 * (around - 4.0 * plate(inner, inner));
    }
    std::cout << "mean temperature " << mean(plate).item<double>() << ", of columns:\n"
              << mean(plate, 0)(slice(0, n, 16)) << "\n";

    // Where the heat goes in the end: the one-dimensional steady state between the edges, A @ t = b.
    const int m = n - 2;
    Array a = eye(m) * 2.0 - eye(m, m, 1) - eye(m, m, -1), b = zeros(m);
    b(0) = 100.0;
    const Array steady = linalg::solve(a, b);
    std::cout << "residual " << max(abs(matmul(a, steady) - b)).item<double>() << "\n";

    // The five hottest points of the inner plate, and the share of it that is above 50 degrees.
    const Array hottest = sort(ravel(plate(inner, inner)))(slice(-1, -6, -1));
    std::cout << "hottest " << hottest << "\n"
              << "above 50: " << mean(plate > 50.0).item<double>() * 100 << " %\n";

    Generator rng(42);  // NumPy's numbers
    const Array noisy = plate + rng.normal(0, 0.5, plate.shape());
    std::cout << "noise " << stddev(noisy - plate).item<double>() << ", " << sum(isnan(noisy)).item<int>() << " NaN\n";
    plate(plate > 50.0) = 50.0;
    std::cout << "largest after a limit " << max(plate).item<double>() << "\n";
}

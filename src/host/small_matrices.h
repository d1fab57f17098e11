// small_matrices.h -- linear equations of small matrices of float64, of which a call of LAPACK takes longer than the
// work.
//
// The algorithms are LAPACK's unblocked ones (getf2, potf2), with all loops unrolled.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "host/matrix_equations.h"

namespace cuarray::host {

/// Up to this length of a side.
constexpr int64_t kSmallMatrix = 8;

/// The matrices of a stack of MatrixEquations, of n x n.
template <int n>
class SmallEquations {
 public:
    explicit SmallEquations(const MatrixEquations& equations) : equations_(equations) {}

    /// False if a matrix is singular, or not positive definite.
    bool run(int64_t begin, int64_t end) const {
        for (int64_t k = begin; k < end; ++k) {
            Pivoted m;
            load(m, k);
            const bool is_good = run_one(m, k);
            if (!is_good) return false;
        }
        return true;
    }

 private:
    /// Rows, and those that were exchanged with rows 0, 1, ... in turn.
    struct Pivoted {
        double a[n][n];
        int pivots[n];
    };

    static double number_at(const char* from) {
        double number;
        std::memcpy(&number, from, sizeof number);
        return number;
    }
    /// Reads a matrix; its transpose for an upper triangle.
    void load(Pivoted& m, int64_t k) const {
        const MatrixEquations::Matrix& from = equations_.a;
        const char* const data = from.data + k * from.apart;
        const int64_t row = equations_.upper ? from.column : from.row,
                      column = equations_.upper ? from.row : from.column;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) m.a[i][j] = number_at(data + i * row + j * column);
    }

    static bool holds_nan(const Pivoted& m) {
        return std::any_of(m.a[0], m.a[0] + n * n, [](double x) { return std::isnan(x); });
    }

    /// Replaces a matrix by its factors L and U; false if it is singular. Beside a NaN everything is NaN.
    static bool factorise(Pivoted& m) {
        auto& a = m.a;
        for (int k = 0; k < n; ++k) {
            int pivot = k;
            double largest = std::fabs(a[k][k]);
            for (int i = k + 1; i < n; ++i)
                if (const double size = std::fabs(a[i][k]); size > largest) largest = size, pivot = i;
            m.pivots[k] = pivot;
            if (a[pivot][k] == 0) {
                if (!holds_nan(m)) return false;
                a[pivot][k] = NAN;
            }
            if (pivot != k) std::swap(a[k], a[pivot]);
            for (int i = k + 1; i < n; ++i) {
                a[i][k] /= a[k][k];
                for (int j = k + 1; j < n; ++j) a[i][j] -= a[i][k] * a[k][j];
            }
        }
        return true;
    }

    /// Solves equations of factors for right sides that are columns of contiguous rows, in place.
    template <class Columns>
    static void substitute(const Pivoted& m, double* x, Columns columns) {
        for (int k = 0; k < n; ++k)
            if (m.pivots[k] != k) std::swap_ranges(x + k * columns, x + (k + 1) * columns, x + m.pivots[k] * columns);
        for (int k = 0; k < n; ++k)
            for (int i = k + 1; i < n; ++i)
                for (int j = 0; j < columns; ++j) x[i * columns + j] -= m.a[i][k] * x[k * columns + j];
        for (int k = n - 1; k >= 0; --k) {
            for (int j = 0; j < columns; ++j) x[k * columns + j] /= m.a[k][k];
            for (int i = 0; i < k; ++i)
                for (int j = 0; j < columns; ++j) x[i * columns + j] -= m.a[i][k] * x[k * columns + j];
        }
    }

    bool run_one(Pivoted& m, int64_t k) const {
        switch (equations_.kind) {
            case MatrixEquations::Kind::Solve: return solve(m, k);
            case MatrixEquations::Kind::Invert: return invert(m, k);
            case MatrixEquations::Kind::Cholesky: return store_cholesky(m, k);
            default: store_determinant(m, k); return true;
        }
    }

    double* result_of(int64_t k, int64_t count) const {
        return reinterpret_cast<double*>(equations_.result) + k * count;
    }

    bool solve(Pivoted& m, int64_t k) const {
        if (!factorise(m)) return false;
        const int64_t columns = equations_.columns;
        const char* const right = equations_.b.data + k * equations_.b.apart;
        double* const x = result_of(k, n * columns);
        for (int i = 0; i < n; ++i)
            for (int64_t j = 0; j < columns; ++j)
                x[i * columns + j] = number_at(right + i * equations_.b.row + j * equations_.b.column);
        if (columns == 1)
            substitute(m, x, std::integral_constant<int, 1>());
        else
            substitute(m, x, columns);
        return true;
    }

    bool invert(Pivoted& m, int64_t k) const {
        if (!factorise(m)) return false;
        double x[n][n] = {};
        for (int i = 0; i < n; ++i) x[i][i] = 1;
        substitute(m, x[0], std::integral_constant<int, n>());
        std::memcpy(result_of(k, n * n), x, sizeof x);
        return true;
    }

    /// The product of the diagonal, with exponents apart: it overflows only if it is too large itself.
    void store_determinant(Pivoted& m, int64_t k) const {
        double product = factorise(m) ? 1 : 0;
        int64_t exponent = 0;
        for (int i = 0; i < n && product != 0; ++i) {
            int one;
            product *= std::frexp(m.pivots[i] == i ? m.a[i][i] : -m.a[i][i], &one);
            exponent += one;
        }
        double* const to = result_of(k, 1);
        if (equations_.kind == MatrixEquations::Kind::Determinant) {
            *to = std::ldexp(product, int(exponent));
            return;
        }
        *to = product == 0 ? 0 : std::signbit(product) ? -1 : 1;
        int rest;  // the logarithm of a number near 1 keeps its digits
        double part = std::frexp(std::fabs(product), &rest);
        if (part < 0.7071067811865476) part *= 2, --rest;
        reinterpret_cast<double*>(equations_.logarithms)[k] =
            std::log(part) + double(exponent + rest) * 0.6931471805599453;
    }

    bool store_cholesky(Pivoted& m, int64_t k) const {
        auto& a = m.a;
        for (int j = 0; j < n; ++j) {
            if (a[j][j] <= 0) return false;
            a[j][j] = std::sqrt(a[j][j]);
            for (int i = j + 1; i < n; ++i) {
                a[i][j] /= a[j][j];
                for (int c = j + 1; c <= i; ++c) a[i][c] -= a[i][j] * a[c][j];
            }
        }
        double* const to = result_of(k, n * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) (equations_.upper ? to[j * n + i] : to[i * n + j]) = j <= i ? a[i][j] : 0;
        return true;
    }

    const MatrixEquations& equations_;
};

/// SmallEquations<n>::run for the n of the equations, from 1 to kSmallMatrix.
template <int n = kSmallMatrix>
bool run_small(const MatrixEquations& equations, int64_t begin, int64_t end) {
    if constexpr (n > 1)
        if (equations.n < n) return run_small<n - 1>(equations, begin, end);
    return SmallEquations<n>(equations).run(begin, end);
}

}  // namespace cuarray::host

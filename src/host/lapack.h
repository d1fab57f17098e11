// lapack.h -- linear equations by the LAPACK in the library of blas.h, over matrices of any strides.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "cuarray/runtime/direct_loops.h"
#include "host/library.h"
#include "host/scratch.h"
#include "host/threads.h"

namespace cuarray::host {

/// LAPACK's Fortran functions for one type of elements, null where the library has none. Int is its integer type; a
/// length of a text follows the other arguments.
template <class Int>
struct LapackFunctions {
    void (*gesv)(const Int* n, const Int* columns, void* a, const Int* lda, Int* pivots, void* b, const Int* ldb,
                 Int* info) = nullptr;
    void (*getrf)(const Int* m, const Int* n, void* a, const Int* lda, Int* pivots, Int* info) = nullptr;
    void (*potrf)(const char* triangle, const Int* n, void* a, const Int* lda, Int* info, size_t) = nullptr;
};

/// The routines of one library. The calls are those that NumPy makes, so that results have the same bits.
template <class Int>
class Lapack {
 public:
    Lapack(void* (*find)(void* handle, const char* name), void* handle) {
        load(find, handle, 'd', float64_);
        load(find, handle, 'z', complex128_);
    }

    /// False if the library lacks the routine, or a matrix is singular or not positive definite.
    bool run(const LoopLibrary& loops, const MatrixEquations& equations) const {
        if (equations.n > std::numeric_limits<Int>::max() / 2 ||
            equations.columns > std::numeric_limits<Int>::max() / 2)
            return false;
        switch (equations.dtype) {
            case DType::float64: return Solver<double>{float64_, loops, equations}.run();
            case DType::complex128: return Solver<std::complex<double>>{complex128_, loops, equations}.run();
            default: return false;
        }
    }

 private:
    template <class T>
    struct Solver {
        const LapackFunctions<Int>& lapack;
        const LoopLibrary& loops;
        const MatrixEquations& equations;
        static constexpr int64_t item = sizeof(T);

        bool run() const {
            using Kind = MatrixEquations::Kind;
            if (equations.kind == Kind::Cholesky      ? !lapack.potrf
                : equations.kind == Kind::Determinant ? !lapack.getrf || !std::is_floating_point_v<T>
                                                      : !lapack.gesv)
                return false;
            // Larger matrices have the library's own threads; for smaller ones threads wait for its lock of buffers.
            constexpr int64_t kFromLength = 12, kToLength = 32, kWork = 1 << 14;
            const int64_t n = equations.n, each = n * n * (n + equations.columns);
            const bool is_shared = n >= kFromLength && n <= kToLength;
            const int64_t together = is_shared ? std::max<int64_t>(1, kWork / each) : equations.stack;
            std::atomic<bool> is_good = true;
            parallel_for((equations.stack + together - 1) / together, [&](int64_t part) {
                const DefaultFloatMode mode;
                Scratch scratch;
                T* const a = scratch.take_array<T>(n * n);
                T* const b = scratch.take_array<T>(std::max<int64_t>(1, n * equations.columns));
                Int* const pivots = scratch.take_array<Int>(n);
                const int64_t end = std::min(equations.stack, (part + 1) * together);
                for (int64_t k = part * together; k < end && is_good; ++k)
                    if (!run_one(k, a, b, pivots)) is_good = false;
            });
            return is_good;
        }

        bool run_one(int64_t k, T* a, T* b, Int* pivots) const {
            const Int n = Int(equations.n), columns = Int(equations.columns);
            Int info = 0;
            to_columns(reinterpret_cast<char*>(a), equations.a, k, n, n);
            switch (equations.kind) {
                case MatrixEquations::Kind::Solve:
                    to_columns(reinterpret_cast<char*>(b), equations.b, k, n, columns);
                    lapack.gesv(&n, &columns, a, &n, pivots, b, &n, &info);
                    if (info == 0) to_rows(k, b, n, columns);
                    return info == 0;
                case MatrixEquations::Kind::Invert:
                    std::fill_n(b, n * n, T(0));
                    for (Int i = 0; i < n; ++i) b[i * n + i] = T(1);
                    lapack.gesv(&n, &n, a, &n, pivots, b, &n, &info);
                    if (info == 0) to_rows(k, b, n, n);
                    return info == 0;
                case MatrixEquations::Kind::Determinant:
                    lapack.getrf(&n, &n, a, &n, pivots, &info);
                    store_determinant(k, a, pivots, n, info);
                    return true;
                case MatrixEquations::Kind::Cholesky:
                    lapack.potrf("L", &n, a, &n, &info, 1);
                    if (info != 0) return false;
                    for (Int j = 1; j < n; ++j) std::fill_n(a + j * n, j, T(0));
                    to_rows(k, a, n, n);
                    return true;
            }
            return false;
        }

        /// Copies a matrix of the stack to contiguous columns.
        void to_columns(char* to, const MatrixEquations::Matrix& from, int64_t k, int64_t rows, int64_t columns) const {
            loops.copy[__builtin_ctzll(uint64_t(item))](to, item, rows * item, from.data + k * from.apart, from.row,
                                                        from.column, rows, columns);
        }

        void to_rows(int64_t k, const T* from, int64_t rows, int64_t columns) const {
            loops.copy[__builtin_ctzll(uint64_t(item))](equations.result + k * rows * columns * item, columns * item,
                                                        item, reinterpret_cast<const char*>(from), item, rows * item,
                                                        rows, columns);
        }

        /// The sign times the exponential of the sum of logarithms, as NumPy computes it.
        void store_determinant(int64_t k, const T* a, const Int* pivots, Int n, Int info) const {
            if constexpr (std::is_floating_point_v<T>) {
                T sign = 1, logarithm = 0;
                if (info > 0) {
                    sign = 0;
                    logarithm = -std::numeric_limits<T>::infinity();
                }
                for (Int i = 0; info == 0 && i < n; ++i)
                    if (pivots[i] != i + 1) sign = -sign;
                for (Int i = 0; info == 0 && i < n; ++i) {
                    T size = a[i * n + i];
                    if (size < 0) sign = -sign, size = -size;
                    logarithm += std::log(size);
                }
                const T determinant = sign * std::exp(logarithm);
                std::memcpy(equations.result + k * item, &determinant, sizeof determinant);
            }
        }
    };

    static void load(void* (*find)(void*, const char*), void* handle, char letter, LapackFunctions<Int>& to) {
        const auto get = [&](auto& function, const char* name) {
            const std::string symbol = letter + std::string(name) + "_";
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(handle, symbol.c_str()));
        };
        get(to.gesv, "gesv");
        get(to.getrf, "getrf");
        get(to.potrf, "potrf");
    }

    LapackFunctions<Int> float64_, complex128_;
};

}  // namespace cuarray::host

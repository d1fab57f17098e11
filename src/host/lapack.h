// lapack.h -- linear equations and decompositions by the LAPACK in the library of blas.h, over matrices of any strides.
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
    // Of real numbers:
    void (*syevd)(const char* job, const char* triangle, const Int* n, void* a, const Int* lda, void* values,
                  void* work, const Int* work_size, Int* integers, const Int* integers_size, Int* info, size_t,
                  size_t) = nullptr;
    void (*gesdd)(const char* job, const Int* m, const Int* n, void* a, const Int* lda, void* values, void* left,
                  const Int* ldl, void* right, const Int* ldr, void* work, const Int* work_size, Int* integers,
                  Int* info, size_t) = nullptr;
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

    /// False if the library lacks the routine, or it does not converge.
    bool run(const LoopLibrary& loops, const MatrixDecomposition& decomposition) const {
        const auto& [kind, stack, rows, columns, a, left, values, right] = decomposition;
        const bool is_hermitian = kind == MatrixDecomposition::Kind::Hermitian;
        if (std::max(rows, columns) > std::numeric_limits<Int>::max() / 2) return false;
        if (is_hermitian ? !float64_.syevd : !float64_.gesdd) return false;
        const Decomposer decomposer{float64_, loops, decomposition};
        return for_parts(stack, std::max(rows, columns), [&](int64_t begin, int64_t end) {
            return is_hermitian ? decomposer.eigenvectors(begin, end) : decomposer.singular_vectors(begin, end);
        });
    }

 private:
    /// Calls part(begin, end) for all matrices of a stack, of a length, by several threads where it pays, until one
    /// returns false; returns whether none did.
    template <class Part>
    static bool for_parts(int64_t stack, int64_t length, const Part& part) {
        // Larger matrices have the library's own threads; for smaller ones threads wait for its lock of buffers.
        constexpr int64_t kFromLength = 12, kToLength = 32, kWork = 1 << 14;
        const bool is_shared = length >= kFromLength && length <= kToLength;
        const int64_t together = is_shared ? std::max<int64_t>(1, kWork / (length * length * length)) : stack;
        std::atomic<bool> is_good = true;
        parallel_for((stack + together - 1) / together, [&](int64_t i) {
            const DefaultFloatMode mode;
            if (is_good && !part(i * together, std::min(stack, (i + 1) * together))) is_good = false;
        });
        return is_good;
    }

    /// Copies between a matrix of any strides and contiguous columns.
    static void to_columns(const LoopLibrary& loops, int64_t item, void* to, const MatrixEquations::Matrix& from,
                           int64_t k, int64_t rows, int64_t columns) {
        loops.copy[__builtin_ctzll(uint64_t(item))](static_cast<char*>(to), item, rows * item,
                                                    from.data + k * from.apart, from.row, from.column, rows, columns);
    }
    static void to_rows(const LoopLibrary& loops, int64_t item, char* to, const void* from, int64_t rows,
                        int64_t columns) {
        loops.copy[__builtin_ctzll(uint64_t(item))](to, columns * item, item, static_cast<const char*>(from), item,
                                                    rows * item, rows, columns);
    }

    struct Decomposer {
        const LapackFunctions<Int>& lapack;
        const LoopLibrary& loops;
        const MatrixDecomposition& decomposition;
        static constexpr int64_t item = sizeof(double);

        bool eigenvectors(int64_t begin, int64_t end) const {
            const Int n = Int(decomposition.rows), ask = -1;
            Scratch scratch;
            double* const a = scratch.take_array<double>(n * n);
            double best;
            Int best_integers, info;
            lapack.syevd("V", "L", &n, a, &n, decomposition.values, &best, &ask, &best_integers, &ask, &info, 1, 1);
            const Int size = Int(best), integers = best_integers;
            double* const work = scratch.take_array<double>(size);
            Int* const integer_work = scratch.take_array<Int>(integers);
            for (int64_t k = begin; k < end; ++k) {
                to_columns(loops, item, a, decomposition.a, k, n, n);
                lapack.syevd("V", "L", &n, a, &n, decomposition.values + k * n * item, work, &size, integer_work,
                             &integers, &info, 1, 1);
                if (info != 0) return false;
                to_rows(loops, item, decomposition.left + k * n * n * item, a, n, n);
            }
            return true;
        }

        bool singular_vectors(int64_t begin, int64_t end) const {
            const Int m = Int(decomposition.rows), n = Int(decomposition.columns), few = std::min(m, n), ask = -1;
            Scratch scratch;
            double* const a = scratch.take_array<double>(m * n);
            double* const left = scratch.take_array<double>(m * m);
            double* const right = scratch.take_array<double>(n * n);
            Int* const integers = scratch.take_array<Int>(8 * few);
            double best;
            Int info;
            lapack.gesdd("A", &m, &n, a, &m, decomposition.values, left, &m, right, &n, &best, &ask, integers, &info,
                         1);
            const Int size = Int(best);
            double* const work = scratch.take_array<double>(size);
            for (int64_t k = begin; k < end; ++k) {
                to_columns(loops, item, a, decomposition.a, k, m, n);
                lapack.gesdd("A", &m, &n, a, &m, decomposition.values + k * few * item, left, &m, right, &n, work,
                             &size, integers, &info, 1);
                if (info != 0) return false;
                to_rows(loops, item, decomposition.left + k * m * m * item, left, m, m);
                to_rows(loops, item, decomposition.right + k * n * n * item, right, n, n);
            }
            return true;
        }
    };

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
            const int64_t n = equations.n;
            return for_parts(equations.stack, n, [&](int64_t begin, int64_t end) {
                Scratch scratch;
                T* const a = scratch.take_array<T>(n * n);
                T* const b = scratch.take_array<T>(std::max<int64_t>(1, n * equations.columns));
                Int* const pivots = scratch.take_array<Int>(n);
                for (int64_t k = begin; k < end; ++k)
                    if (!run_one(k, a, b, pivots)) return false;
                return true;
            });
        }

        bool run_one(int64_t k, T* a, T* b, Int* pivots) const {
            const Int n = Int(equations.n), columns = Int(equations.columns);
            Int info = 0;
            to_columns(loops, item, a, equations.a, k, n, n);
            switch (equations.kind) {
                case MatrixEquations::Kind::Solve:
                    to_columns(loops, item, b, equations.b, k, n, columns);
                    lapack.gesv(&n, &columns, a, &n, pivots, b, &n, &info);
                    if (info == 0) store(k, b, n, columns);
                    return info == 0;
                case MatrixEquations::Kind::Invert:
                    std::fill_n(b, n * n, T(0));
                    for (Int i = 0; i < n; ++i) b[i * n + i] = T(1);
                    lapack.gesv(&n, &n, a, &n, pivots, b, &n, &info);
                    if (info == 0) store(k, b, n, n);
                    return info == 0;
                case MatrixEquations::Kind::Determinant:
                    lapack.getrf(&n, &n, a, &n, pivots, &info);
                    store_determinant(k, a, pivots, n, info);
                    return true;
                case MatrixEquations::Kind::Cholesky:
                    lapack.potrf("L", &n, a, &n, &info, 1);
                    if (info != 0) return false;
                    for (Int j = 1; j < n; ++j) std::fill_n(a + j * n, j, T(0));
                    store(k, a, n, n);
                    return true;
            }
            return false;
        }

        void store(int64_t k, const T* from, int64_t rows, int64_t columns) const {
            to_rows(loops, item, equations.result + k * rows * columns * item, from, rows, columns);
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
        get(to.syevd, "syevd");
        get(to.gesdd, "gesdd");
    }

    LapackFunctions<Int> float64_, complex128_;
};

}  // namespace cuarray::host

// lapack.cpp -- linear equations and decompositions by the LAPACK of the libraries of blas.h, over matrices of any
// strides.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "host/blas.h"
#include "host/scratch.h"
#include "host/small_matrices.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

int64_t parts_of(int64_t length) { return std::max<int64_t>(1, (1 << 14) / (length * length * length)); }
/// How many matrices of a length one thread takes at a time. Larger ones have the library's own threads; for
/// smaller ones threads wait for its lock of buffers.
int64_t together(int64_t stack, int64_t length) { return length >= 12 && length <= 32 ? parts_of(length) : stack; }

/// Calls part(begin, end) for all matrices of a stack, by several threads where it pays, until one returns false;
/// returns whether none did.
template <class Part>
bool for_parts(int64_t stack, int64_t together, const Part& part) {
    std::atomic<bool> is_good = true;
    parallel_for((stack + together - 1) / together, [&](int64_t i) {
        const DefaultFloatMode mode;
        if (is_good && !part(i * together, std::min(stack, (i + 1) * together))) is_good = false;
    });
    return is_good;
}

/// The same without a library.
bool solve_small(const MatrixEquations& equations) {
    return for_parts(equations.stack, parts_of(equations.n),
                     [&](int64_t begin, int64_t end) { return run_small(equations, begin, end); });
}

/// LAPACK's Fortran functions for one type of elements.
struct LapackFunctions {
    void *gesv, *getrf, *potrf, *syevd, *gesdd, *geev, *geqrf, *orgqr, *gelsd;

    bool is_complete() const { return gesv && getrf && potrf && syevd && gesdd && geev && geqrf && orgqr && gelsd; }
};

/// Calls one. All arguments are pointers, but lengths of texts, which follow the others.
template <class... Arguments>
void call_fortran(void* function, Arguments... arguments) {
    reinterpret_cast<void (*)(Arguments...)>(function)(arguments...);
}

/// What the drivers of a library do; false if a matrix is singular, not positive definite, or does not converge.
/// NotImplementedError where matrices are longer than the library's integers count.
class Lapack {
 public:
    /// NotImplementedError, which names the function, if there is no library.
    static const Lapack& find(const char* function);
    virtual ~Lapack() = default;
    virtual bool run(const LoopLibrary& loops, const MatrixEquations& equations) const = 0;
    virtual bool run(const LoopLibrary& loops, const MatrixDecomposition& decomposition) const = 0;
};

/// The routines of one library. Int is the type of its integers. The calls are those that NumPy makes.
template <class Int>
class LapackOf final : public Lapack {
 public:
    LapackOf(FindFunction find, void* handle) {
        const auto get = [&](const char* name) { return find(handle, name); };
        float64_ = {get("dgesv_"), get("dgetrf_"), get("dpotrf_"), get("dsyevd_"), get("dgesdd_"),
                    get("dgeev_"), get("dgeqrf_"), get("dorgqr_"), get("dgelsd_")};
        complex128_ = {get("zgesv_"), get("zgetrf_"), get("zpotrf_"), get("zheevd_"), get("zgesdd_"),
                       get("zgeev_"), get("zgeqrf_"), get("zungqr_"), get("zgelsd_")};
    }

    bool is_complete() const { return float64_.is_complete() && complex128_.is_complete(); }

    bool run(const LoopLibrary& loops, const MatrixEquations& equations) const override {
        check_length(std::max(equations.n, equations.columns));
        return equations.dtype == DType::float64 ? Solver<double>{float64_, loops, equations}.run()
                                                 : Solver<std::complex<double>>{complex128_, loops, equations}.run();
    }

    bool run(const LoopLibrary& loops, const MatrixDecomposition& decomposition) const override {
        check_length(std::max({decomposition.rows, decomposition.columns, decomposition.sides}));
        return decomposition.dtype == DType::float64
                   ? Decomposer<double>{float64_, loops, decomposition}.run()
                   : Decomposer<std::complex<double>>{complex128_, loops, decomposition}.run();
    }

 private:
    static void check_length(int64_t n) {
        if (n > std::numeric_limits<Int>::max() / 2)
            raise(ErrorKind::NotImplemented, "linalg: matrices of length ", n, " are too long for the LAPACK library");
    }

    /// Copies from a matrix of any strides to columns of `length` elements.
    static void to_columns(const LoopLibrary& loops, int64_t item, void* to, int64_t length,
                           const MatrixEquations::Matrix& from, int64_t k, int64_t rows, int64_t columns) {
        loops.copy[__builtin_ctzll(uint64_t(item))](static_cast<char*>(to), item, length * item,
                                                    from.data + k * from.apart, from.row, from.column, rows, columns);
    }
    static void to_columns(const LoopLibrary& loops, int64_t item, void* to, const MatrixEquations::Matrix& from,
                           int64_t k, int64_t rows, int64_t columns) {
        to_columns(loops, item, to, rows, from, k, rows, columns);
    }
    /// From columns of `length` elements.
    static void to_rows(const LoopLibrary& loops, int64_t item, char* to, const void* from, int64_t length,
                        int64_t rows, int64_t columns) {
        loops.copy[__builtin_ctzll(uint64_t(item))](to, columns * item, item, static_cast<const char*>(from), item,
                                                    length * item, rows, columns);
    }

    template <class T>
    struct Decomposer {
        const LapackFunctions& lapack;
        const LoopLibrary& loops;
        const MatrixDecomposition& decomposition;
        static constexpr bool is_complex = !std::is_floating_point_v<T>;
        static constexpr int64_t item = sizeof(T);
        using VectorSet = MatrixDecomposition::VectorSet;

        bool run() const {
            using Kind = MatrixDecomposition::Kind;
            const auto parts = [&](auto part) {
                const int64_t stack = decomposition.stack;
                return for_parts(stack, together(stack, std::max(decomposition.rows, decomposition.columns)),
                                 [&](int64_t begin, int64_t end) { return (this->*part)(begin, end); });
            };
            switch (decomposition.kind) {
                case Kind::Hermitian: return parts(&Decomposer::hermitian);
                case Kind::Singular: return parts(&Decomposer::singular);
                case Kind::General: return parts(&Decomposer::general);
                case Kind::Orthogonal:
                case Kind::Reflectors: return parts(&Decomposer::orthogonal);
                case Kind::LeastSquares: return least_squares();
                default: return false;
            }
            return false;
        }

        bool has_vectors() const { return decomposition.vectors != VectorSet::None; }

        /// Singular values of a matrix with an infinite element do not converge: LAPACK returns NaN, or never.
        static bool is_finite(const T* a, int64_t size) {
            return std::all_of(a, a + size,
                               [](const T& x) { return std::isfinite(std::real(x)) && std::isfinite(std::imag(x)); });
        }

        /// The length that a query of LAPACK returns in the first element of its workspace.
        static Int length_in(const T& work) { return Int(std::real(work)); }

        bool hermitian(int64_t begin, int64_t end) const {
            const Int n = Int(decomposition.rows);
            const char* const job = has_vectors() ? "V" : "N";
            const char* const triangle = decomposition.lower ? "L" : "U";
            Scratch scratch;
            T* const a = scratch.take_array<T>(n * n);
            Int info = 0;
            const auto call = [&](void* values, T* work, Int size, double* reals, Int reals_size, Int* integers,
                                  Int integers_size) {
                if constexpr (is_complex)
                    call_fortran(lapack.syevd, job, triangle, &n, a, &n, values, work, &size, reals, &reals_size,
                                 integers, &integers_size, &info, size_t(1), size_t(1));
                else
                    call_fortran(lapack.syevd, job, triangle, &n, a, &n, values, work, &size, integers, &integers_size,
                                 &info, size_t(1), size_t(1));
            };
            T best{};
            double best_reals = 0;
            Int best_integers = 0;
            call(decomposition.values, &best, -1, &best_reals, -1, &best_integers, -1);
            const Int size = length_in(best), reals_size = Int(best_reals);
            T* const work = scratch.take_array<T>(size);
            double* const reals = scratch.take_array<double>(reals_size);
            Int* const integers = scratch.take_array<Int>(best_integers);
            for (int64_t k = begin; k < end; ++k) {
                to_columns(loops, item, a, decomposition.a, k, n, n);
                call(decomposition.values + k * n * int64_t(sizeof(double)), work, size, reals, reals_size, integers,
                     best_integers);
                if (info != 0) return false;
                if (has_vectors()) to_rows(loops, item, decomposition.left + k * n * n * item, a, n, n, n);
            }
            return true;
        }

        bool singular(int64_t begin, int64_t end) const {
            const Int m = Int(decomposition.rows), n = Int(decomposition.columns), few = std::min(m, n);
            const VectorSet vectors = decomposition.vectors;
            const bool is_full = vectors == VectorSet::Full;
            const char* const job = is_full ? "A" : vectors == VectorSet::Reduced ? "S" : "N";
            const Int columns = !has_vectors() ? 0 : is_full ? m : few;  // of the left vectors
            const Int rows = !has_vectors() ? 0 : is_full ? n : few, apart = std::max<Int>(1, rows);
            Scratch scratch;
            T* const a = scratch.take_array<T>(m * n);
            T* const left = scratch.take_array<T>(m * columns);
            T* const right = scratch.take_array<T>(rows * n);
            Int* const integers = scratch.take_array<Int>(8 * few);
            const int64_t of_vectors = 2 * int64_t(few) * (std::max(m, n) + few + 1) + 5 * int64_t(few) * (few + 1);
            double* const reals = scratch.take_array<double>(is_complex ? has_vectors() ? of_vectors : 7 * few : 0);
            Int info = 0;
            const auto call = [&](void* values, T* work, Int size) {
                if constexpr (is_complex)
                    call_fortran(lapack.gesdd, job, &m, &n, a, &m, values, left, &m, right, &apart, work, &size, reals,
                                 integers, &info, size_t(1));
                else
                    call_fortran(lapack.gesdd, job, &m, &n, a, &m, values, left, &m, right, &apart, work, &size,
                                 integers, &info, size_t(1));
            };
            T best{};
            call(decomposition.values, &best, -1);
            const Int size = length_in(best);
            T* const work = scratch.take_array<T>(size);
            for (int64_t k = begin; k < end; ++k) {
                to_columns(loops, item, a, decomposition.a, k, m, n);
                if (!is_finite(a, int64_t(m) * n)) return false;
                call(decomposition.values + k * few * int64_t(sizeof(double)), work, size);
                if (info != 0) return false;
                if (!has_vectors()) continue;
                to_rows(loops, item, decomposition.left + k * m * columns * item, left, m, m, columns);
                to_rows(loops, item, decomposition.right + k * rows * n * item, right, rows, rows, n);
            }
            return true;
        }

        bool general(int64_t begin, int64_t end) const {
            const Int n = Int(decomposition.rows), one = 1;
            const char* const job = has_vectors() ? "V" : "N";
            Scratch scratch;
            T* const a = scratch.take_array<T>(n * n);
            T* const vectors = scratch.take_array<T>(has_vectors() ? n * n : 1);
            double* const reals =
                scratch.take_array<double>(2 * n);  // complex: a workspace; real: both parts of values
            Int info = 0;
            const auto call = [&](void* values, T* work, Int size) {
                if constexpr (is_complex)
                    call_fortran(lapack.geev, "N", job, &n, a, &n, values, vectors, &one, vectors, &n, work, &size,
                                 reals, &info, size_t(1), size_t(1));
                else
                    call_fortran(lapack.geev, "N", job, &n, a, &n, reals, reals + n, vectors, &one, vectors, &n, work,
                                 &size, &info, size_t(1), size_t(1));
            };
            T best{};
            call(decomposition.values, &best, -1);
            const Int size = length_in(best);
            T* const work = scratch.take_array<T>(size);
            for (int64_t k = begin; k < end; ++k) {
                to_columns(loops, item, a, decomposition.a, k, n, n);
                for (int64_t i = 0; i < int64_t(n) * n; ++i)
                    if (!std::isfinite(std::real(a[i])) || !std::isfinite(std::imag(a[i]))) return false;
                using Complex = std::complex<double>;
                const auto values = reinterpret_cast<Complex*>(decomposition.values) + k * n;
                call(values, work, size);
                if (info != 0) return false;
                const auto to = reinterpret_cast<Complex*>(decomposition.left) + k * n * n;
                if constexpr (is_complex) {
                    if (has_vectors()) to_rows(loops, item, reinterpret_cast<char*>(to), vectors, n, n, n);
                } else {
                    for (Int j = 0; j < n; ++j) values[j] = {reals[j], reals[n + j]};
                    if (has_vectors()) store_pairs(values, vectors, n, to);
                }
            }
            return true;
        }

        /// Real eigenvectors, and those of conjugate eigenvalues: the real parts in one column, the imaginary in the
        /// next.
        static void store_pairs(const std::complex<double>* values, const T* vectors, Int n, std::complex<double>* to) {
            for (Int j = 0; j < n; ++j) {
                const bool is_real = values[j].imag() == 0;
                for (Int i = 0; i < n; ++i) {
                    const double real = std::real(vectors[j * n + i]);
                    const double imaginary = is_real ? 0 : std::real(vectors[(j + 1) * n + i]);
                    to[i * n + j] = {real, imaginary};
                    if (!is_real) to[i * n + j + 1] = {real, -imaginary};
                }
                if (!is_real) ++j;
            }
        }

        bool orthogonal(int64_t begin, int64_t end) const {
            const Int m = Int(decomposition.rows), n = Int(decomposition.columns), few = std::min(m, n);
            const bool keeps_reflectors = decomposition.kind == MatrixDecomposition::Kind::Reflectors;
            const Int lefts = decomposition.vectors == VectorSet::Full ? m : few;  // columns of Q
            Scratch scratch;
            T* const a = scratch.take_array<T>(int64_t(m) * std::max(n, lefts));
            T* const factors = scratch.take_array<T>(few);
            Int info = 0;
            const auto find_triangle = [&](T* work, Int size) {
                call_fortran(lapack.geqrf, &m, &n, a, &m, factors, work, &size, &info);
            };
            const auto find_columns = [&](T* work, Int size) {
                call_fortran(lapack.orgqr, &m, &lefts, &few, a, &m, factors, work, &size, &info);
            };
            T of_triangle{}, of_columns{};
            find_triangle(&of_triangle, -1);
            if (has_vectors()) find_columns(&of_columns, -1);
            const Int size = std::max(length_in(of_triangle), length_in(of_columns));
            T* const work = scratch.take_array<T>(size);
            const int64_t rows = has_vectors() ? lefts : few;  // of R
            for (int64_t k = begin; k < end; ++k) {
                to_columns(loops, item, a, decomposition.a, k, m, n);
                find_triangle(work, size);
                if (info != 0) return false;
                if (keeps_reflectors) {
                    std::copy_n(a, int64_t(m) * n, reinterpret_cast<T*>(decomposition.right) + k * m * n);
                    std::copy_n(factors, few, reinterpret_cast<T*>(decomposition.values) + k * few);
                    continue;
                }
                char* const triangle = decomposition.right + k * rows * n * item;
                to_rows(loops, item, triangle, a, m, rows, n);
                for (int64_t i = 1; i < rows; ++i)
                    std::fill_n(reinterpret_cast<T*>(triangle) + i * n, std::min<int64_t>(i, n), T(0));
                if (!has_vectors()) continue;
                find_columns(work, size);
                if (info != 0) return false;
                to_rows(loops, item, decomposition.left + k * m * lefts * item, a, m, m, lefts);
            }
            return true;
        }

        bool least_squares() const {
            const Int m = Int(decomposition.rows), n = Int(decomposition.columns), sides = Int(decomposition.sides);
            const Int length = std::max(m, n), few = std::min(m, n);
            const DefaultFloatMode mode;
            Scratch scratch;
            T* const a = scratch.take_array<T>(int64_t(m) * n);
            T* const b = scratch.take_array<T>(int64_t(length) * sides);
            Int info = 0, rank = 0;
            const auto call = [&](T* work, Int size, double* reals, Int* integers) {
                if constexpr (is_complex)
                    call_fortran(lapack.gelsd, &m, &n, &sides, a, &m, b, &length, decomposition.values,
                                 &decomposition.cutoff, &rank, work, &size, reals, integers, &info);
                else
                    call_fortran(lapack.gelsd, &m, &n, &sides, a, &m, b, &length, decomposition.values,
                                 &decomposition.cutoff, &rank, work, &size, integers, &info);
            };
            T best{};
            double best_reals = 0;
            Int best_integers = 0;
            call(&best, -1, &best_reals, &best_integers);
            const Int size = length_in(best);
            T* const work = scratch.take_array<T>(size);
            double* const reals = scratch.take_array<double>(int64_t(best_reals));
            Int* const integers = scratch.take_array<Int>(std::max<Int>(1, best_integers));
            to_columns(loops, item, a, decomposition.a, 0, m, n);
            to_columns(loops, item, b, length, decomposition.b, 0, m, sides);
            if (!is_finite(a, int64_t(m) * n)) return false;
            call(work, size, reals, integers);
            if (info != 0) return false;
            *decomposition.rank = rank;
            to_rows(loops, item, decomposition.left, b, length, n, sides);
            if (m <= n || rank != n) return true;
            auto* const squares = reinterpret_cast<double*>(decomposition.right);
            for (Int j = 0; j < sides; ++j) {
                const T* const rest = b + int64_t(j) * length + n;
                squares[j] = 0;
                for (Int i = 0; i < m - n; ++i)
                    if constexpr (is_complex)
                        squares[j] += rest[i].real() * rest[i].real() + rest[i].imag() * rest[i].imag();
                    else
                        squares[j] += rest[i] * rest[i];
            }
            return true;
        }
    };

    template <class T>
    struct Solver {
        const LapackFunctions& lapack;
        const LoopLibrary& loops;
        const MatrixEquations& equations;
        static constexpr int64_t item = sizeof(T);
        using Kind = MatrixEquations::Kind;

        bool run() const {
            const int64_t n = equations.n;
            return for_parts(equations.stack, together(equations.stack, n), [&](int64_t begin, int64_t end) {
                Scratch scratch;
                T* const a = scratch.take_array<T>(n * n);
                T* const b = scratch.take_array<T>(std::max<int64_t>(1, n * equations.columns));
                Int* const pivots = scratch.take_array<Int>(n);
                for (int64_t k = begin; k < end; ++k)
                    if (!run_one(k, a, b, pivots)) return false;
                return true;
            });
        }

        void* routine() const {
            switch (equations.kind) {
                case Kind::Determinant:
                case Kind::LogDeterminant: return lapack.getrf;
                case Kind::Cholesky: return lapack.potrf;
                default: return lapack.gesv;
            }
        }

        bool run_one(int64_t k, T* a, T* b, Int* pivots) const {
            const Int n = Int(equations.n), columns = Int(equations.columns);
            Int info = 0;
            to_columns(loops, item, a, equations.a, k, n, n);
            switch (equations.kind) {
                case Kind::Solve:
                    to_columns(loops, item, b, equations.b, k, n, columns);
                    call_fortran(routine(), &n, &columns, a, &n, pivots, b, &n, &info);
                    if (info == 0) store(k, b, n, columns);
                    return info == 0;
                case Kind::Invert:
                    std::fill_n(b, n * n, T(0));
                    for (Int i = 0; i < n; ++i) b[i * n + i] = T(1);
                    call_fortran(routine(), &n, &n, a, &n, pivots, b, &n, &info);
                    if (info == 0) store(k, b, n, n);
                    return info == 0;
                case Kind::Determinant:
                case Kind::LogDeterminant:
                    call_fortran(routine(), &n, &n, a, &n, pivots, &info);
                    store_determinant(k, a, pivots, n, info);
                    return true;
                case Kind::Cholesky:
                    call_fortran(routine(), equations.upper ? "U" : "L", &n, a, &n, &info, size_t(1));
                    if (info != 0) return false;
                    for (Int j = 0; j < n; ++j)
                        if (equations.upper)
                            std::fill_n(a + j * n + j + 1, n - 1 - j, T(0));
                        else
                            std::fill_n(a + j * n, j, T(0));
                    store(k, a, n, n);
                    return true;
                default: return false;
            }
        }

        void store(int64_t k, const T* from, int64_t rows, int64_t columns) const {
            to_rows(loops, item, equations.result + k * rows * columns * item, from, rows, rows, columns);
        }

        /// The sign and the sum of logarithms, or the one times the exponential of the other, as NumPy computes them.
        void store_determinant(int64_t k, const T* a, const Int* pivots, Int n, Int info) const {
            T sign = info > 0 ? 0 : 1;
            double logarithm = info > 0 ? -std::numeric_limits<double>::infinity() : 0;
            for (Int i = 0; info == 0 && i < n; ++i)
                if (pivots[i] != i + 1) sign = -sign;
            for (Int i = 0; info == 0 && i < n; ++i) {
                const T number = a[i * n + i];
                const double size = std::abs(number);
                if constexpr (std::is_floating_point_v<T>)
                    sign = std::signbit(number) ? -sign : sign;
                else
                    sign *= number / size;
                logarithm += std::log(size);
            }
            if (equations.kind == Kind::LogDeterminant)
                reinterpret_cast<double*>(equations.logarithms)[k] = logarithm;
            else
                sign *= std::exp(logarithm);
            reinterpret_cast<T*>(equations.result)[k] = sign;
        }
    };

    LapackFunctions float64_, complex128_;
};

const Lapack& Lapack::find(const char* function) {
    static const Lapack* const found = [] {
        Blas::find();  // sets the number of the library's threads
        const Lapack* lapack = nullptr;
        const auto load = [&](auto* loaded) {
            if (loaded->is_complete())
                lapack = loaded;
            else
                delete loaded;
            return lapack != nullptr;
        };
        search_libraries(false, [&](void* library, FindFunction find, bool has_wide_integers) {
            if (!find(library, "dgesv_")) return false;
            return has_wide_integers ? load(new LapackOf<int64_t>(find, library))
                                     : load(new LapackOf<int32_t>(find, library));
        });
        return lapack;
    }();
    if (!found)
        raise(ErrorKind::NotImplemented, function,
              ": no LAPACK was found; install OpenBLAS, or name a library in CUARRAY_LIBBLAS");
    return *found;
}

MatrixEquations::Matrix address_of(const LapackDriver::Stack& stack) {
    if (!stack.view.storage) return {};
    const Dims& strides = stack.view.strides;
    return {stack.view.data(), strides[1], strides[2], strides[0]};
}

char* result_of(const LapackDriver::Stack& stack) { return stack.view.storage ? stack.view.data() : nullptr; }

}  // namespace

void run(const LoopLibrary& library, const LapackDriver& task) {
    const LapackDriver::Stack& matrix = task.matrix;
    const DType dtype = matrix.view.dtype;
    bool is_good;
    if (task.kind <= LapackDriver::Kind::Cholesky) {
        const MatrixEquations equations{task.kind,
                                        dtype,
                                        task.kind == LapackDriver::Kind::Cholesky && !task.lower,
                                        task.batch,
                                        matrix.rows,
                                        task.kind == LapackDriver::Kind::Invert ? matrix.rows : task.sides.columns,
                                        address_of(matrix),
                                        address_of(task.sides),
                                        result_of(task.left),
                                        result_of(task.values)};
        is_good = dtype == DType::float64 && matrix.rows <= kSmallMatrix
                      ? solve_small(equations)
                      : Lapack::find(task.name).run(library, equations);
    } else {
        is_good = Lapack::find(task.name).run(
            library,
            MatrixDecomposition{task.kind, dtype, task.vectors, task.lower, task.batch, matrix.rows, matrix.columns,
                                address_of(matrix), result_of(task.left), result_of(task.values), result_of(task.right),
                                address_of(task.sides), task.sides.columns, task.cutoff, task.rank});
    }
    *task.has_failed = !is_good;
}

}  // namespace cuarray::host

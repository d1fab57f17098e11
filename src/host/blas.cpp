// blas.cpp -- finds a BLAS library, and calls its gemm, gemv and syrk over matrices of any strides.
#include "host/blas.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cuarray/core/error.h"
#include "host/scratch.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

// CBLAS_ORDER, CBLAS_TRANSPOSE and CBLAS_UPLO
constexpr int kRowMajor = 101, kNoTrans = 111, kTrans = 112, kUpper = 121;

/// The functions of one dtype. `alpha` is a number for the real types, its address for the complex ones; the sum of
/// products is a result for the real types, and is stored for the complex ones.
template <class Int, class Alpha>
struct BlasFunctions {
    using Dot = std::conditional_t<std::is_pointer_v<Alpha>, void (*)(Int, const void*, Int, const void*, Int, void*),
                                   Alpha (*)(Int, const void*, Int, const void*, Int)>;
    Dot dot = nullptr, conjugated_dot = nullptr;
    void (*gemm)(int order, int left_trans, int right_trans, Int m, Int n, Int k, Alpha alpha, const void* a, Int lda,
                 const void* b, Int ldb, Alpha beta, void* c, Int ldc) = nullptr;
    void (*gemv)(int order, int trans, Int m, Int n, Alpha alpha, const void* a, Int lda, const void* x, Int incx,
                 Alpha beta, void* y, Int incy) = nullptr;
    void (*syrk)(int order, int uplo, int trans, Int n, Int k, Alpha alpha, const void* a, Int lda, Alpha beta, void* c,
                 Int ldc) = nullptr;
};

using Factor = MatrixProduct::Factor;

Factor transposed(const Factor& factor) { return {factor.data, factor.column, factor.row}; }

/// A matrix as CBLAS takes it: rows, or columns if `trans`, of contiguous elements, `leading` elements apart.
struct BlasMatrix {
    const char* data = nullptr;
    int trans = kNoTrans;
    int64_t leading = 0;
};

/// Whether lines of `length` contiguous elements, `count` of them `step` bytes apart, are a matrix of CBLAS.
bool are_lines(int64_t element_step, int64_t step, int64_t length, int64_t count, int64_t item) {
    if (length > 1 && element_step != item) return false;
    return count <= 1 || (step % item == 0 && step >= length * item);
}

/// Copies a matrix to contiguous rows.
void copy_matrix(const LoopLibrary& loops, char* to, const Factor& from, int64_t rows, int64_t columns, int64_t item) {
    const int size = __builtin_ctzll(uint64_t(item));
    const int64_t per_task = std::max<int64_t>(1, kTaskElements / std::max<int64_t>(1, columns));
    parallel_for((rows + per_task - 1) / per_task, [&](int64_t i) {
        const int64_t first = i * per_task;
        loops.copy[size](to + first * columns * item, columns * item, item, from.data + first * from.row, from.row,
                         from.column, std::min(per_task, rows - first), columns);
    });
}

bool is_aligned(const char* data, int64_t item) {
    return reinterpret_cast<uintptr_t>(data) % uint64_t(std::min<int64_t>(item, 8)) == 0;
}

/// The matrix in place if its strides suit CBLAS, else a copy.
BlasMatrix as_blas_matrix(const LoopLibrary& loops, Scratch& scratch, const Factor& from, int64_t rows, int64_t columns,
                          int64_t item) {
    const bool can_stay = is_aligned(from.data, item);
    if (can_stay && are_lines(from.column, from.row, columns, rows, item))
        return {from.data, kNoTrans, rows > 1 ? from.row / item : columns};
    if (can_stay && are_lines(from.row, from.column, rows, columns, item))
        return {from.data, kTrans, columns > 1 ? from.column / item : rows};
    char* const copy = scratch.take(rows * columns * item);
    copy_matrix(loops, copy, from, rows, columns, item);
    return {copy, kNoTrans, columns};
}

/// A column as CBLAS takes it, with a step in elements.
struct BlasVector {
    const char* data;
    int64_t step;
};
BlasVector as_blas_vector(const LoopLibrary& loops, Scratch& scratch, const Factor& from, int64_t n, int64_t item) {
    const int64_t step = n > 1 ? from.row : item;
    if (step > 0 && step % item == 0 && is_aligned(from.data, item)) return {from.data, step / item};
    char* const copy = scratch.take(n * item);
    copy_matrix(loops, copy, from, n, 1, item);
    return {copy, 1};
}

/// Copies the upper triangle to the lower one, in blocks that stay in cache.
void mirror(const LoopLibrary& loops, char* data, int64_t n, int64_t item) {
    constexpr int64_t kBlock = 32;
    const int size = __builtin_ctzll(uint64_t(item));
    const auto at = [&](int64_t row, int64_t column) { return data + (row * n + column) * item; };
    const int64_t blocks = (n + kBlock - 1) / kBlock;
    for (int64_t i = 0; i < blocks; ++i) {
        const int64_t first = i * kBlock, rows = std::min(kBlock, n - first);
        for (int64_t row = first + 1; row < first + rows; ++row)
            loops.copy[size](at(row, first), 0, item, at(first, row), 0, n * item, 1, row - first);
        for (int64_t j = i + 1; j < blocks; ++j) {
            const int64_t below = j * kBlock;
            loops.copy[size](at(below, first), n * item, item, at(first, below), item, n * item,
                             std::min(kBlock, n - below), rows);
        }
    }
}

/// The products of one library. Int is its integer type.
template <class Int>
class BlasOf final : public Blas {
 public:
    BlasOf(std::string file, void* (*find)(void* handle, const char* name), void* handle) : Blas(std::move(file)) {
        load(find, handle, 's', float32_);
        load(find, handle, 'd', float64_);
        load(find, handle, 'c', complex64_);
        load(find, handle, 'z', complex128_);
    }

    bool is_complete() const { return is_complete_; }

    bool multiply(const LoopLibrary& loops, const MatrixProduct& product) const override {
        const int64_t extents[] = {product.rows, product.depth, product.columns};
        for (const int64_t n : extents)
            if (n == 0 || n > std::numeric_limits<Int>::max() / 2) return false;
        static constexpr struct {
            double one[2] = {1, 0}, zero[2] = {0, 0};
        } kDoubles;
        static constexpr struct {
            float one[2] = {1, 0}, zero[2] = {0, 0};
        } kFloats;
        switch (product.dtype) {
            case DType::float32: return run<float>(float32_, 1, 0, loops, product);
            case DType::float64: return run<double>(float64_, 1, 0, loops, product);
            case DType::complex64: return run<const void*>(complex64_, kFloats.one, kFloats.zero, loops, product);
            case DType::complex128: return run<const void*>(complex128_, kDoubles.one, kDoubles.zero, loops, product);
            default: return false;
        }
    }

 private:
    template <class Alpha>
    void load(void* (*find)(void*, const char*), void* handle, char letter, BlasFunctions<Int, Alpha>& to) {
        const auto get = [&](auto& function, const char* name) {
            const std::string symbol = std::string("cblas_") + letter + name;
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(handle, symbol.c_str()));
            is_complete_ = is_complete_ && function;
        };
        get(to.dot, std::is_pointer_v<Alpha> ? "dotu_sub" : "dot");
        get(to.conjugated_dot, std::is_pointer_v<Alpha> ? "dotc_sub" : "dot");
        get(to.gemm, "gemm");
        get(to.gemv, "gemv");
        get(to.syrk, "syrk");
    }

    static bool fits(int64_t n) { return n <= std::numeric_limits<Int>::max(); }

    template <class Alpha>
    static bool run(const BlasFunctions<Int, Alpha>& functions, Alpha one, Alpha zero, const LoopLibrary& loops,
                    const MatrixProduct& product) {
        const DefaultFloatMode mode;
        const int64_t item = item_size(product.dtype), m = product.rows, k = product.depth, n = product.columns;
        Scratch scratch;
        if (m == 1 && n == 1) {
            const BlasVector x = as_blas_vector(loops, scratch, transposed(product.left), k, item);
            const BlasVector y = as_blas_vector(loops, scratch, product.right, k, item);
            if (!fits(x.step) || !fits(y.step)) return false;
            const auto dot = product.conjugates_left ? functions.conjugated_dot : functions.dot;
            if constexpr (std::is_pointer_v<Alpha>) {
                dot(Int(k), x.data, Int(x.step), y.data, Int(y.step), product.result);
            } else {
                const Alpha sum = dot(Int(k), x.data, Int(x.step), y.data, Int(y.step));
                std::memcpy(product.result, &sum, sizeof sum);
            }
            return true;
        }
        if (n == 1 || m == 1) {
            // A row times a matrix is the transposed matrix times a column.
            const Factor matrix = n == 1 ? product.left : transposed(product.right);
            const Factor vector = n == 1 ? product.right : transposed(product.left);
            return multiply_vector(functions, one, zero, loops, scratch, matrix, n == 1 ? m : n, k, vector,
                                   product.result, item);
        }
        const BlasMatrix a = as_blas_matrix(loops, scratch, product.left, m, k, item);
        if (!fits(a.leading)) return false;
        const bool is_square = m == n && product.left.data == product.right.data &&
                               product.left.row == product.right.column && product.left.column == product.right.row;
        if (is_square) {
            functions.syrk(kRowMajor, kUpper, a.trans, Int(n), Int(k), one, a.data, Int(a.leading), zero,
                           product.result, Int(n));
            mirror(loops, product.result, n, item);
            return true;
        }
        const BlasMatrix b = as_blas_matrix(loops, scratch, product.right, k, n, item);
        if (!fits(b.leading)) return false;
        functions.gemm(kRowMajor, a.trans, b.trans, Int(m), Int(n), Int(k), one, a.data, Int(a.leading), b.data,
                       Int(b.leading), zero, product.result, Int(n));
        return true;
    }

    template <class Alpha>
    static bool multiply_vector(const BlasFunctions<Int, Alpha>& functions, Alpha one, Alpha zero,
                                const LoopLibrary& loops, Scratch& scratch, const Factor& matrix, int64_t rows,
                                int64_t depth, const Factor& vector, char* result, int64_t item) {
        const BlasMatrix a = as_blas_matrix(loops, scratch, matrix, rows, depth, item);
        const BlasVector x = as_blas_vector(loops, scratch, vector, depth, item);
        if (!fits(a.leading) || !fits(x.step)) return false;
        const bool is_turned = a.trans == kTrans;
        functions.gemv(kRowMajor, a.trans, Int(is_turned ? depth : rows), Int(is_turned ? rows : depth), one, a.data,
                       Int(a.leading), x.data, Int(x.step), zero, result, 1);
        return true;
    }

    BlasFunctions<Int, float> float32_;
    BlasFunctions<Int, double> float64_;
    BlasFunctions<Int, const void*> complex64_, complex128_;
    bool is_complete_ = true;
};

/// How a library spells its symbols: prefix + name + suffix.
struct Spelling {
    const char *prefix, *suffix;
    bool has_wide_integers;
};
// OpenBLAS of NumPy's and SciPy's wheels; OpenBLAS and MKL with 64-bit integers; all others.
constexpr Spelling kSpellings[] = {
    {"scipy_", "64_", true}, {"scipy_", "", false}, {"", "64_", true}, {"", "_64", true}, {"", "", false}};

template <size_t k>
void* find_spelled(void* handle, const char* name) {
    return dlsym(handle, (std::string(kSpellings[k].prefix) + name + kSpellings[k].suffix).c_str());
}
constexpr void* (*kFinders[])(void*, const char*) = {find_spelled<0>, find_spelled<1>, find_spelled<2>, find_spelled<3>,
                                                     find_spelled<4>};

/// The file of the library that a function is in.
std::string file_of(void* function) {
    Dl_info info;
    return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "";
}

using SetThreads = void (*)(int);

/// A library, and its function for the number of threads.
struct LoadedBlas {
    const Blas* blas = nullptr;
    SetThreads set_threads = nullptr;
};

/// The BLAS of a library, if it has all functions.
bool load_blas(void* handle, FindFunction find, bool has_wide_integers, LoadedBlas& found) {
    void* const gemm = find(handle, "cblas_dgemm");
    if (!gemm) return false;
    const auto keep = [&](auto* blas) {
        if (blas->is_complete())
            found.blas = blas;
        else
            delete blas;
    };
    if (has_wide_integers)
        keep(new BlasOf<int64_t>(file_of(gemm), find, handle));
    else
        keep(new BlasOf<int32_t>(file_of(gemm), find, handle));
    void* set = nullptr;
    for (const char* name : {"openblas_set_num_threads", "MKL_Set_Num_Threads", "bli_thread_set_num_threads"})
        if (!set) set = find(handle, name);
    found.set_threads = reinterpret_cast<SetThreads>(set);
    return found.blas != nullptr;
}

using TakeLibrary = std::function<bool(void*, FindFunction, bool)>;

/// Offers each spelling of a library.
bool offer(void* handle, const TakeLibrary& take) {
    if (!handle) return false;
    for (size_t k = 0; k < std::size(kSpellings); ++k) {
        bool wide = kSpellings[k].has_wide_integers;
        if (const auto config = reinterpret_cast<const char* (*)()>(kFinders[k](handle, "openblas_get_config")))
            wide = std::strstr(config(), "USE64BITINT") != nullptr;
        if (take(handle, kFinders[k], wide)) return true;
    }
    return false;
}

/// The files of the extension modules in which NumPy computes, if they are loaded: their dependencies contain its BLAS
/// and LAPACK.
std::vector<std::string> numpy_modules() {
    std::vector<std::string> files;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* to) {
            for (const char* name : {"_multiarray_umath", "_umath_linalg"})
                if (info->dlpi_name && std::strstr(info->dlpi_name, name))
                    static_cast<std::vector<std::string>*>(to)->push_back(info->dlpi_name);
            return 0;
        },
        &files);
    return files;
}

/// The wanted number of threads; 0: the library's own default.
std::atomic<int> blas_threads = 0;
std::atomic<SetThreads> setter = nullptr;

void apply_threads() {
    const SetThreads set = setter;
    const int count = blas_threads;
    if (set && count > 0) set(count);
}

}  // namespace

void search_libraries(bool for_products, const std::function<bool(void*, FindFunction, bool)>& take) {
    const char* const wish = std::getenv("CUARRAY_LIBBLAS");
    if (wish && std::string_view(wish) == "off") {
        if (for_products) return;
    } else if (wish && *wish) {
        void* const handle = dlopen(wish, RTLD_NOW | RTLD_LOCAL);
        if (!handle) raise(ErrorKind::Value, "CUARRAY_LIBBLAS: ", dlerror(), " (a file or 'off' is expected)");
        if (offer(handle, take)) return;
        if (for_products) raise(ErrorKind::Value, "CUARRAY_LIBBLAS: ", wish, " has no cblas_dgemm and its like");
    }
    for (const std::string& module : numpy_modules())
        if (offer(dlopen(module.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_LOCAL), take)) return;
    for (const char* name : {"libmkl_rt.so.2", "libopenblas64_.so.0", "libopenblas.so.0", "libflexiblas.so.3",
                             "libblis.so.4", "libcblas.so.3", "libblas.so.3", "liblapack.so.3"})
        if (offer(dlopen(name, RTLD_NOW | RTLD_LOCAL), take)) return;
}

const Blas* Blas::find() {
    static const Blas* const blas = [] {
        LoadedBlas found;
        search_libraries(true, [&](void* library, FindFunction find, bool has_wide_integers) {
            return load_blas(library, find, has_wide_integers, found);
        });
        setter = found.set_threads;
        if (const char* const text = std::getenv("CUARRAY_NUM_THREADS"); text && *text && blas_threads == 0)
            blas_threads = thread_count();
        apply_threads();
        return found.blas;
    }();
    return blas;
}

void Blas::set_threads(int count) {
    blas_threads = count;
    apply_threads();
}

}  // namespace cuarray::host

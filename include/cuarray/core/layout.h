// layout.h -- how a shape and strides address memory. Pure arithmetic: no pointers, no devices.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include "cuarray/core/error.h"
#include "cuarray/core/integers.h"

namespace cuarray {

constexpr int kMaxDims = 64;

/// A short list of int64: a shape, strides or axes. No allocation up to four entries.
class Dims {
 public:
    Dims() {}  // not defaulted: value-initialisation would zero the entries
    Dims(std::initializer_list<int64_t> values) { assign(values.begin(), int(values.size())); }
    explicit Dims(std::span<const int64_t> values) { assign(values.data(), int(values.size())); }
    /// The integers of a vector, an array or a span.
    template <IntegerRange R>
        requires(!std::derived_from<R, Dims>)
    Dims(const R& values) {
        resize(int(std::ranges::size(values)));
        std::transform(std::ranges::begin(values), std::ranges::end(values), data_,
                       [](auto one) { return to_int64(one); });
    }
    /// One entry: the extent of a 1-d array, or one axis.
    template <IntegerType T>
    Dims(T one) : Dims{to_int64(one)} {}
    static Dims filled(int count, int64_t value) {
        Dims dims;
        dims.resize(count);
        std::fill(dims.begin(), dims.end(), value);
        return dims;
    }
    Dims(const Dims& other) { assign(other); }
    Dims(Dims&& other) noexcept { take(other); }
    Dims& operator=(const Dims& other) {
        if (this != &other) assign(other);
        return *this;
    }
    Dims& operator=(Dims&& other) noexcept {
        if (this != &other) {
            if (data_ != inline_) [[unlikely]]
                release();
            take(other);
        }
        return *this;
    }
    ~Dims() {
        if (data_ != inline_) [[unlikely]]
            release();
    }

    int size() const { return size_; }
    bool empty() const { return size_ == 0; }
    int64_t* data() { return data_; }
    const int64_t* data() const { return data_; }
    int64_t* begin() { return data_; }
    int64_t* end() { return data_ + size_; }
    const int64_t* begin() const { return data_; }
    const int64_t* end() const { return data_ + size_; }
    int64_t& operator[](int i) { return data_[i]; }
    int64_t operator[](int i) const { return data_[i]; }
    int64_t& back() { return data_[size_ - 1]; }
    int64_t back() const { return data_[size_ - 1]; }

    void resize(int count) {
        if (count > capacity_) [[unlikely]]
            grow(count);
        size_ = count;
    }
    void push_back(int64_t value) {
        resize(size_ + 1);
        data_[size_ - 1] = value;
    }
    void insert(int at, int64_t value) {
        push_back(value);
        std::rotate(begin() + at, end() - 1, end());
    }
    void erase(int at) {
        std::copy(begin() + at + 1, end(), begin() + at);
        --size_;
    }
    operator std::span<const int64_t>() const { return {data_, size_t(size_)}; }
    friend bool operator==(const Dims& a, const Dims& b) {
        if (a.size_ != b.size_) return false;
        for (int i = 0; i < a.size_; ++i)  // shorter than a call of memcmp
            if (a.data_[i] != b.data_[i]) return false;
        return true;
    }

 private:
    static constexpr int kInline = 4;
    void assign(const int64_t* values, int count) {
        resize(count);
        std::copy_n(values, count, data_);  // of no values, whose address may be null
    }
    // Small functions of every call are always inlined: GCC stops inlining where a unit has grown by 40 %.
    [[gnu::always_inline]] void assign(const Dims& other) {
        if (other.size_ > kInline) [[unlikely]]
            return assign(other.data_, other.size_);
        copy_few(other);
    }
    /// Copies at most four entries, which always fit. One by one: a wide load of entries that were just stored one by
    /// one cannot be forwarded and stalls until the stores reach the cache.
    void copy_few(const Dims& other) {
        switch (other.size_) {
            case 4: data_[3] = other.data_[3]; [[fallthrough]];
            case 3: data_[2] = other.data_[2]; [[fallthrough]];
            case 2: data_[1] = other.data_[1]; [[fallthrough]];
            case 1: data_[0] = other.data_[0]; [[fallthrough]];
            default: size_ = other.size_;
        }
    }
    /// Moves from `other`; this list must not own an allocation.
    void take(Dims& other) {
        if (other.data_ == other.inline_) [[likely]]
            copy_few(other);
        else
            take_allocation(other);
        other.size_ = 0;
    }
    // The rare paths of long lists are out of line: they would stand at every place that copies or drops a shape.
    CUARRAY_API void grow(int count);
    CUARRAY_API void take_allocation(Dims& other) noexcept;
    /// Frees the allocation.
    CUARRAY_API void release() noexcept;

    int64_t* data_ = inline_;
    int size_ = 0, capacity_ = kInline;
    int64_t inline_[kInline];
};

/// "(3, 4)", "(5,)", "()": a shape as Python prints it.
CUARRAY_API std::string to_string(const Dims& dims);

/// Product of the extents; ValueError naming `function` if the array's size in bytes overflows int64.
CUARRAY_API int64_t checked_size(const Dims& shape, int64_t item, const char* function);
inline int64_t count(std::span<const int64_t> shape) {
    int64_t n = 1;
    for (int64_t extent : shape) n *= extent;
    return n;
}

/// Shape and strides (bytes). The byte offset is stored with the memory, not here.
struct Layout {
    Dims shape, strides;

    int ndim() const { return shape.size(); }
    int64_t size() const { return count(shape); }
};

/// Strides of a C- or Fortran-contiguous array.
CUARRAY_API Dims c_strides(const Dims& shape, int64_t item);
CUARRAY_API Dims f_strides(const Dims& shape, int64_t item);
/// Strides of a dense array whose axes have the memory order `order` (outermost first).
CUARRAY_API Dims strides_in_order(const Dims& shape, const Dims& order, int64_t item);

CUARRAY_API bool is_c_contiguous(const Layout& layout, int64_t item);
CUARRAY_API bool is_f_contiguous(const Layout& layout, int64_t item);

/// First and one-past-last byte that the layout touches, relative to its first element; {0, 0} when empty. ValueError
/// if they overflow int64, which user-given strides can cause.
struct Extent {
    int64_t low, high;
};
CUARRAY_API Extent extent(const Layout& layout, int64_t item);

/// Whether two different indices may address the same byte (broadcast views and user-given strides).
CUARRAY_API bool may_self_overlap(const Layout& layout, int64_t item);
/// Whether two layouts at these addresses may share a byte; exact for ordinary views, true if the search is too long.
CUARRAY_API bool may_overlap(uintptr_t a, const Layout& la, int64_t item_a, uintptr_t b, const Layout& lb,
                             int64_t item_b);

/// The broadcast of several shapes; ValueError `function: shapes (3, 4) and (5,) cannot be broadcast together`, or if
/// the number of elements overflows int64.
CUARRAY_API Dims broadcast(std::span<const Dims* const> shapes, const char* function);
/// Strides of a layout broadcast to `shape` (zero along broadcast axes); ValueError if the shapes are incompatible.
CUARRAY_API Dims broadcast_strides(const Layout& layout, const Dims& shape, const char* function);

/// The order of axes in memory, outermost first, as NumPy's iterator ("K") chooses it for these operands.
/// Axes of extent 1 and zero strides are ignored; ties keep C order.
CUARRAY_API Dims memory_order(const Dims& shape, std::span<const Dims* const> strides);

/// Strides of a view reshaped in C order, or false if reshaping requires a copy.
CUARRAY_API bool reshape_strides(const Layout& layout, const Dims& shape, Dims& strides);

/// An iteration space shared by several operands, with as few axes as possible. Axes outermost first.
struct Space {
    static constexpr int kMaxOperands = 24;
    int ndim = 0, operands = 0;
    int64_t size = 1;
    int64_t shape[kMaxDims];
    int64_t strides[kMaxOperands][kMaxDims];  ///< bytes
    int64_t offset[kMaxOperands];             ///< bytes to add to each operand's address (flipped axes)

    Space() {}  // not defaulted: value-initialisation would zero the arrays
    Space(const Space& other) { *this = other; }
    /// Copies the axes and operands that there are.
    Space& operator=(const Space& other) {
        ndim = other.ndim, operands = other.operands, size = other.size;
        std::copy_n(other.shape, ndim, shape);
        std::copy_n(other.offset, operands, offset);
        for (int k = 0; k < operands; ++k) std::copy_n(other.strides[k], ndim, strides[k]);
        return *this;
    }
};

/// Drops axes of extent 1, sorts axes by the memory order of the operands (the first ones take precedence), flips axes
/// on which all non-zero strides are negative, and merges axes where the strides of all operands allow it.
/// `keep_order` keeps order and signs, on which reductions depend: it only drops and merges axes.
CUARRAY_API void collapse(Space& space, const Dims& shape, std::span<const Dims* const> strides,
                          bool keep_order = false);

/// An axis in -ndim..ndim-1 made non-negative; AxisError otherwise.
CUARRAY_API int normalise_axis(int64_t axis, int ndim, const char* function);
/// Several axes, sorted; ValueError for a repeated one.
CUARRAY_API Dims normalise_axes(const Dims& axes, int ndim, const char* function);

}  // namespace cuarray

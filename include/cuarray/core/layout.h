// layout.h -- how a shape and strides address memory. Pure arithmetic: no pointers, no devices.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include "cuarray/core/error.h"

namespace cuarray {

constexpr int kMaxDims = 64;

/// A short list of int64: a shape, strides or axes. No allocation up to four entries.
class Dims {
 public:
    Dims() {}  // not defaulted, which would zero the entries first
    Dims(std::initializer_list<int64_t> values) { assign(values.begin(), int(values.size())); }
    explicit Dims(std::span<const int64_t> values) { assign(values.data(), int(values.size())); }
    Dims(int count, int64_t value) { resize(count); std::fill(begin(), end(), value); }
    Dims(const Dims& other) { assign(other); }
    Dims(Dims&& other) noexcept { take(other); }
    Dims& operator=(const Dims& other) { if (this != &other) assign(other); return *this; }
    Dims& operator=(Dims&& other) noexcept { if (this != &other) { release(); take(other); } return *this; }
    ~Dims() { release(); }

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
        if (count > capacity_) {
            int64_t* grown = new int64_t[size_t(count)];
            std::memcpy(grown, data_, size_t(size_) * sizeof(int64_t));
            release();
            data_ = grown;
            capacity_ = count;
        }
        size_ = count;
    }
    void push_back(int64_t value) { resize(size_ + 1); data_[size_ - 1] = value; }
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
        std::memcpy(data_, values, size_t(count) * sizeof(int64_t));
    }
    void assign(const Dims& other) {
        if (other.size_ > kInline) return assign(other.data_, other.size_);
        copy_few(other);
    }
    /// At most four entries, for which every list has room. One by one: a wide read of what was just written entry by
    /// entry would wait for those writes to reach the cache.
    void copy_few(const Dims& other) {
        switch (other.size_) {
            case 4: data_[3] = other.data_[3]; [[fallthrough]];
            case 3: data_[2] = other.data_[2]; [[fallthrough]];
            case 2: data_[1] = other.data_[1]; [[fallthrough]];
            case 1: data_[0] = other.data_[0]; [[fallthrough]];
            default: size_ = other.size_;
        }
    }
    /// For a list that holds no memory of its own.
    void take(Dims& other) {
        if (other.data_ == other.inline_) {
            copy_few(other);
        } else {
            data_ = other.data_;
            size_ = other.size_;
            capacity_ = other.capacity_;
            other.data_ = other.inline_;
            other.capacity_ = kInline;
        }
        other.size_ = 0;
    }
    void release() {
        if (data_ != inline_) delete[] data_;
        data_ = inline_;
        capacity_ = kInline;
    }

    int64_t* data_ = inline_;
    int size_ = 0, capacity_ = kInline;
    int64_t inline_[kInline];
};

/// "(3, 4)", "(5,)", "()": a shape as Python prints it.
CUARRAY_API std::string to_string(const Dims& dims);

/// Product of the extents; ValueError naming `function` where the array would not fit int64 bytes.
CUARRAY_API int64_t checked_size(const Dims& shape, int64_t item, const char* function);
inline int64_t count(std::span<const int64_t> shape) {
    int64_t n = 1;
    for (int64_t extent : shape) n *= extent;
    return n;
}

/// Shape and strides (bytes). The byte offset belongs to whoever holds the memory.
struct Layout {
    Dims shape, strides;

    int ndim() const { return shape.size(); }
    int64_t size() const { return count(shape); }
};

/// Strides of a C- or Fortran-contiguous array.
CUARRAY_API Dims c_strides(const Dims& shape, int64_t item);
CUARRAY_API Dims f_strides(const Dims& shape, int64_t item);
/// Strides of an array whose axes lie in memory in `order` (outermost first).
CUARRAY_API Dims strides_in_order(const Dims& shape, const Dims& order, int64_t item);

CUARRAY_API bool is_c_contiguous(const Layout& layout, int64_t item);
CUARRAY_API bool is_f_contiguous(const Layout& layout, int64_t item);

/// First and one-past-last byte that the layout touches, relative to its first element; {0, 0} when empty. ValueError
/// where they do not fit int64, as strides made by hand can ask for.
struct Extent { int64_t low, high; };
CUARRAY_API Extent extent(const Layout& layout, int64_t item);

/// Whether two different indices may address one byte (broadcast views and hand-made strides).
CUARRAY_API bool may_self_overlap(const Layout& layout, int64_t item);
/// Whether two layouts at these addresses share a byte; exact for ordinary views, "yes" where deciding is hard.
CUARRAY_API bool may_overlap(uintptr_t a, const Layout& la, int64_t item_a,
                             uintptr_t b, const Layout& lb, int64_t item_b);

/// The broadcast of several shapes; ValueError `function: shapes (3, 4) and (5,) do not broadcast`, and where it has more
/// elements than int64 counts.
CUARRAY_API Dims broadcast(std::span<const Dims* const> shapes, const char* function);
/// Strides of a layout seen at a broadcast shape (zero along stretched axes); ValueError if it does not fit.
CUARRAY_API Dims broadcast_strides(const Layout& layout, const Dims& shape, const char* function);

/// The order of axes in memory, outermost first, as NumPy's iterator ("K") chooses it for these operands.
/// Axes of extent 1 and zero strides do not decide; ties keep C order.
CUARRAY_API Dims memory_order(const Dims& shape, std::span<const Dims* const> strides);

/// Strides of a reshaped view, or false where the elements would have to be copied. C order.
CUARRAY_API bool reshape_strides(const Layout& layout, const Dims& shape, Dims& strides);

/// An iteration space that several operands share, made as small as it can be. Axes outermost first.
struct Space {
    static constexpr int kMaxOperands = 24;
    int ndim = 0, operands = 0;
    int64_t size = 1;
    int64_t shape[kMaxDims];
    int64_t strides[kMaxOperands][kMaxDims];  ///< bytes
    int64_t offset[kMaxOperands];             ///< bytes to add to each operand's address (flipped axes)
};

/// Drops axes of extent 1, orders axes by memory order of the operands (the first ones decide), flips axes on which
/// all non-zero strides are negative, and merges what merges. `keep_order` leaves order and signs alone (reductions
/// depend on them) and only drops and merges.
CUARRAY_API void collapse(Space& space, const Dims& shape, std::span<const Dims* const> strides, bool keep_order = false);

/// An axis in -ndim..ndim-1 made non-negative; AxisError otherwise.
CUARRAY_API int normalise_axis(int64_t axis, int ndim, const char* function);
/// Several axes, sorted; ValueError for a repeated one.
CUARRAY_API Dims normalise_axes(const Dims& axes, int ndim, const char* function);

}  // namespace cuarray

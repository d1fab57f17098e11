// array.h -- the n-dimensional array: storage (or a pending computation) + layout + dtype. A small value; copies share
// the memory.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>
#include "cuarray/core/dtype.h"
#include "cuarray/core/layout.h"
#include "cuarray/core/scalar.h"
#include "cuarray/runtime/storage.h"

namespace cuarray {

class PendingNode;
struct View;
enum class MemoryKind : uint8_t;

class Array;
/// The truth of an array of one element; ValueError for others.
CUARRAY_API bool truth(const Array& array);

class CUARRAY_API Array {
 public:
    /// An empty handle, to be assigned to; what asks for its elements, shape, dtype or device raises ValueError.
    Array() {}  // not defaulted: value-initialisation would zero the inline buffer of Dims
    Array(StorageRef storage, int64_t offset, Layout layout, DType dtype)
        : storage_(std::move(storage)),
          offset_(offset),
          layout_(std::move(layout)),
          dtype_(dtype),
          read_only_(storage_ && storage_->read_only) {}
    explicit Array(PendingNode* node);
    Array(const Array& other)
        : offset_(other.offset_),
          layout_(other.layout_),
          dtype_(other.dtype_),
          read_only_(other.read_only_),
          waits_on_(other.waits_on_) {
        if (!other.is_pending() || !share_node(other)) storage_ = other.storage_;
    }
    Array(Array&& other) noexcept
        : storage_(std::move(other.storage_)),
          node_(other.pending()),
          offset_(other.offset_),
          layout_(std::move(other.layout_)),
          dtype_(other.dtype_),
          read_only_(other.read_only_),
          waits_on_(other.waits_on_) {
        other.leave_empty();
    }
    Array& operator=(const Array& other) { return *this = Array(other); }
    Array& operator=(Array&& other) noexcept {
        if (this == &other) return *this;
        PendingNode* const old = pending();
        storage_ = std::move(other.storage_);
        offset_ = other.offset_;
        layout_ = std::move(other.layout_);
        dtype_ = other.dtype_;
        read_only_ = other.read_only_;
        waits_on_ = other.waits_on_;
        node_.store(other.pending(), std::memory_order_release);
        other.leave_empty();
        if (old) drop_node(old);
        return *this;
    }
    ~Array() {
        if (PendingNode* const node = pending()) drop_node(node);
    }

    const Dims& shape() const { return layout().shape; }
    const Dims& strides() const { return layout().strides; }  ///< bytes
    const Layout& layout() const {
        refuse_empty();
        return layout_;
    }
    int ndim() const { return shape().size(); }
    [[gnu::always_inline]] int64_t size() const { return layout().size(); }
    int64_t nbytes() const { return size() * item_size(dtype_); }
    DType dtype() const {
        refuse_empty();
        return dtype_;
    }
    [[gnu::always_inline]] Device device() const { return is_pending() ? waits_on_ : memory().device(); }
    bool is_pending() const { return pending() != nullptr; }  ///< false again once it has run
    bool is_empty() const { return size() == 0; }

    /// The memory; a pending array is computed first. Every read and every view goes through here.
    [[gnu::always_inline]] Storage& storage() const {
        settle();
        Storage& all = memory();
        if (all.is_revoked) [[unlikely]]
            raise_revoked();
        return all;
    }
    StorageRef storage_ref() const { return StorageRef(&storage()); }
    /// The object that lent the memory, if it is Storage::lender; null for an array that is pending.
    void* lender() const { return !is_pending() && storage_ ? storage_->lender() : nullptr; }
    int64_t offset() const { return offset_; }  ///< bytes from the storage's start to element 0
    /// Address of element 0 (host or device), after settling; not to be dereferenced for size 0.
    char* data() const { return static_cast<char*>(storage().data) + offset_; }
    /// Dereference it only under `lock_graph()`: another thread that shares this array may run the node.
    PendingNode* pending() const { return node_.load(std::memory_order_acquire); }

    bool is_c_contiguous() const;
    bool is_f_contiguous() const;
    bool is_writable() const;
    /// Makes this array refuse writes (broadcast views, imported read-only memory).
    void set_read_only() { read_only_ = true; }
    bool is_read_only() const { return read_only_; }

    /// A view of the same memory with another layout; settles first. `offset` in bytes from this array's element 0.
    Array view(Layout layout, int64_t offset, DType dtype) const;
    Array view(Layout layout, int64_t offset = 0) const { return view(std::move(layout), offset, dtype_); }
    /// This array as an operand of a task: broadcast to the task's shape.
    View as_operand(const Dims& shape, const char* function) const;

    Array broadcast_to(const Dims& shape, const char* function = "broadcast_to") const;
    Array transpose(const Dims& axes) const;  ///< axes: a permutation, already normalised
    /// A view where possible, else a copy. One extent may be -1. Order 'C', 'F' or 'A'.
    Array reshape(const Dims& shape, char order = 'C', bool copy = false, bool never_copy = false) const;
    template <IntegerType... Extents>
        requires(sizeof...(Extents) > 1)
    Array reshape(Extents... extents) const {
        return reshape(Dims{to_int64(extents)...});
    }

    /// Computes a pending array; the only function that gives it memory.
    void settle() const {
        if (is_pending()) run_pending();
    }

    bool defined() const { return is_pending() || storage_; }  ///< false of an empty Array()

    // For programs: what follows is defined in cuarray/api/.
    /// The elements that NumPy's indices select: integers, `slice(...)`, `ellipsis`, `newaxis` give a view; with arrays
    /// of integers or bools among them they are copied where they are read. Either may be assigned to.
    template <class... Indices>
    auto operator()(const Indices&... indices) const;
    /// The only element as a T, cast as astype would; ValueError if there are several.
    template <NumberType T>
    T item() const;
    /// The elements as Ts, in C order; waits for the device.
    template <NumberType T>
    std::vector<T> to_vector() const;
    /// The truth of the only element, as in `if (all(x > 0))`; ValueError if there are several, or none.
#ifdef CUARRAY_INSIDE
    explicit operator bool() const = delete;  // the library asks whether an array is defined
#else
    explicit operator bool() const { return truth(*this); }
#endif

 private:
    void run_pending() const;
    /// After a move: the storage and the node are another array's.
    void leave_empty() {
        node_.store(nullptr, std::memory_order_relaxed);
        dtype_ = DType::none;
    }
    void refuse_empty() const {
        if (dtype_ == DType::none) [[unlikely]]
            raise_empty();
    }
    /// The memory of an array that is not pending.
    Storage& memory() const {
        if (!storage_) [[unlikely]]
            raise_empty();
        return *storage_;
    }
    [[noreturn]] static void raise_empty();
    [[noreturn]] static void raise_revoked();
    bool share_node(const Array& other) const;
    static void drop_node(PendingNode* node);

    mutable StorageRef storage_;
    mutable std::atomic<PendingNode*> node_ = nullptr;  ///< with this array as a handle; cleared once storage_ is set
    mutable int64_t offset_ = 0;
    Layout layout_;
    DType dtype_ = DType::none;
    bool read_only_ = false;
    Device waits_on_;  ///< the device of a pending array: without the lock, another thread may drop its node
};

/// Whether two arrays share a byte, judged by address; handles of one pending node do. Runs no pending node.
CUARRAY_API bool overlaps(const Array& a, const Array& b);

/// A new array with undefined contents. Strides in C order unless given by an axis order (outermost first).
CUARRAY_API Array empty(const Dims& shape, DType dtype, Device device);
/// The same in the given kind of memory; pinned memory makes a cpu array, whatever the device.
CUARRAY_API Array empty(const Dims& shape, DType dtype, Device device, MemoryKind kind);
CUARRAY_API Array empty_in_order(const Dims& shape, const Dims& order, DType dtype, Device device);
/// order 'C', 'F', 'A' or 'K' as NumPy's empty_like.
CUARRAY_API Array empty_like(const Array& like, DType dtype, char order, Device device);
/// Errors name the function.
CUARRAY_API Array full(const Dims& shape, const Scalar& value, Device device, char order = 'C',
                       const char* function = "full");
/// start + step * i, computed in dtype as NumPy's arange fills (start, start + step given as the first two values).
CUARRAY_API Array arange(int64_t count, const Scalar& first, const Scalar& second, Device device);

/// A copy in the given order and dtype, on the same device.
CUARRAY_API Array copy(const Array& from, char order = 'C');
CUARRAY_API Array astype(const Array& from, DType dtype, char order = 'K', bool copy = true);
/// to[...] = from, broadcast and cast (unsafe), with NumPy's temporary-copy semantics; devices must agree.
CUARRAY_API void assign(const Array& to, const Array& from, const char* function, bool is_dying = false);
/// The same where nobody reads `from` afterwards (`is_dying`): if it is pending, it may be computed into `to` alone.
inline void assign(const Array& to, Array&& from, const char* function) { assign(to, from, function, true); }
/// The same where `mask` (bool, broadcast) is true; other elements are not touched, so other threads may write them.
CUARRAY_API void assign_where(const Array& to, const Array& mask, const Array& from, const char* function);
CUARRAY_API void fill_where(const Array& to, const Array& mask, const Scalar& value, const char* function);
/// to[...] = from between devices: a byte copy where shape, dtype and order agree, else by way of a converted copy.
CUARRAY_API void transfer(const Array& to, const Array& from, const char* function, bool is_dying = false);
CUARRAY_API void fill(const Array& to, const Scalar& value, const char* function);
/// A copy on another device (C order unless Fortran-contiguous); the array itself if it is on that device.
CUARRAY_API Array to_device(const Array& from, Device device);
/// Copies the elements to host memory in C order; `from_host` makes an array from strided host memory.
CUARRAY_API void read_contiguous(const Array& from, void* to);
CUARRAY_API Array from_host(const void* data, const Dims& shape, const Dims& strides, DType dtype, Device device);
/// The single element; ValueError if the size is not 1.
CUARRAY_API Scalar item(const Array& array, const char* function);

}  // namespace cuarray

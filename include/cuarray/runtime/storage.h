// storage.h -- a block of memory on one device, shared by the arrays that view it.
#pragma once
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>
#include "cuarray/core/device.h"
#include "cuarray/runtime/uses.h"

namespace cuarray {

/// A counted reference to a T that has retain() and release().
template <class T>
class Ref {
 public:
    Ref() = default;
    explicit Ref(T* object) : object_(object) {
        if (object_) object_->retain();
    }
    Ref(const Ref& other) : Ref(other.object_) {}
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() {
        if (object_) object_->release();
    }
    /// Takes over a reference that is already counted.
    static Ref adopt(T* object) {
        Ref r;
        r.object_ = object;
        return r;
    }

    T* get() const { return object_; }
    T* operator->() const { return object_; }
    T& operator*() const { return *object_; }
    explicit operator bool() const { return object_ != nullptr; }
    friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
    T* object_ = nullptr;
};

class Backend;
class PendingNode;

/// Counts exports of memory and imports, to tell which of two moments was earlier.
CUARRAY_API extern std::atomic<int64_t> export_clock;

/// A block of memory and its owner. `data` is a host or a device address; only the backend may dereference it.
/// A Storage never moves; its backend frees it in stream order when the last reference is dropped.
class CUARRAY_API Storage {
 public:
    Storage(Backend* backend, void* data, int64_t bytes);
    virtual ~Storage() = default;
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() {
        // The last reference has no concurrent release: a load is cheaper than an atomic subtraction.
        if (references_.load(std::memory_order_acquire) != 1 &&
            references_.fetch_sub(1, std::memory_order_acq_rel) != 1)
            return;
        if (line) forget_line();
        destroy();
    }
    /// Whether other code may write the memory at any time, so that reads of it are not deferred.
    bool is_exported() const {
        const int64_t exports = exports_;
        return exports > 1 || (exports == 1 && is_held_elsewhere());
    }
    /// When the memory was last handed to other code, or came from it, in ticks of `export_clock`; 0: never.
    int64_t last_export() const { return last_export_; }
    /// Other code gets the memory, until `end_export`; that is never called for an address that somebody has read.
    void begin_export(bool is_writable) {
        last_export_.store(export_clock.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        exports_ += is_writable;  // who sees the count, sees the time
    }
    void end_export(bool is_writable) { exports_ -= is_writable; }
    /// For a block of memory that is used again.
    void forget_exports() {
        exports_.store(0, std::memory_order_relaxed);
        last_export_.store(0, std::memory_order_relaxed);
    }
    /// The object that lent the memory, where it can be asked who else holds it; else null.
    virtual void* lender() const { return nullptr; }
    int32_t references() const { return references_.load(std::memory_order_acquire); }
    /// Sets the count to the first reference, for a new storage that is not shared yet (Ref::adopt).
    void own() { references_.store(1, std::memory_order_relaxed); }
    Device device() const { return device_; }
    /// The backend to send work on this memory to.
    Backend& front() const;

    Backend* const backend;  ///< allocated it and frees it; for backends only
    void* data;
    int64_t bytes;
    bool read_only = false;   ///< imported without the right to write
    bool is_revoked = false;  ///< the owner of imported memory has taken it back: every use raises
    Uses uses;                ///< queued work that reads or writes the memory
    uint32_t line = 0;        ///< number of the line that allocated it, if memory is tracked (runtime/tracking.h)
    std::vector<PendingNode*> pending_readers;  ///< nodes to settle before this memory is written (array/pending.h)

 protected:
    virtual void destroy() = 0;  ///< frees the memory and deletes this
    /// Whether a single export means that other code has the memory; not if its lender is held by this storage alone.
    virtual bool is_held_elsewhere() const { return true; }

 private:
    const Device device_;
    void forget_line();
    std::atomic<int32_t> references_{0};
    std::atomic<int64_t> exports_{0};
    std::atomic<int64_t> last_export_{0};
};

using StorageRef = Ref<Storage>;

/// An export of a storage, which keeps it alive: it lasts as long as the other library's view, buffer or capsule.
class Export {
 public:
    Export() = default;
    /// `is_writable`: whether the other library may write.
    Export(StorageRef storage, bool is_writable) : storage_(std::move(storage)), is_writable_(is_writable) {
        storage_->begin_export(is_writable_);
    }
    Export(Export&& other) noexcept : storage_(std::move(other.storage_)), is_writable_(other.is_writable_) {}
    Export& operator=(Export&& other) noexcept {
        std::swap(storage_, other.storage_);
        std::swap(is_writable_, other.is_writable_);
        return *this;
    }
    ~Export() {
        if (storage_) storage_->end_export(is_writable_);
    }

 private:
    StorageRef storage_;
    bool is_writable_ = false;
};

}  // namespace cuarray

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

/// A block of memory and its owner. `data` is a host or a device address; only the backend may dereference it.
/// A Storage never moves; its backend frees it in stream order when the last reference is dropped.
class CUARRAY_API Storage {
 public:
    Storage(Backend* backend, void* data, int64_t bytes) : backend(backend), data(data), bytes(bytes) {}
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
    int32_t references() const { return references_.load(std::memory_order_acquire); }
    /// Sets the count to the first reference, for a new storage that is not shared yet (Ref::adopt).
    void own() { references_.store(1, std::memory_order_relaxed); }
    Device device() const;
    /// The backend to send work on this memory to.
    Backend& front() const;

    Backend* const backend;  ///< allocated it and frees it; for backends only
    void* data;
    int64_t bytes;
    bool read_only = false;   ///< imported without the right to write
    bool is_revoked = false;  ///< the owner of imported memory has taken it back: every use raises
    bool exported = false;    ///< other code may write at any time (imports, writable exports): reads are not deferred
    Uses uses;                ///< queued work that reads or writes the memory
    uint32_t line = 0;        ///< number of the line that allocated it, if memory is tracked (runtime/tracking.h)
    std::vector<PendingNode*> pending_readers;  ///< nodes to settle before this memory is written (array/pending.h)

 protected:
    virtual void destroy() = 0;  ///< frees the memory and deletes this

 private:
    void forget_line();
    std::atomic<int32_t> references_{0};
};

using StorageRef = Ref<Storage>;

}  // namespace cuarray

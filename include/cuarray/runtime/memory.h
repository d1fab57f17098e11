// memory.h -- the memory of a device: statistics, a limit, external allocators, and what is tried before an allocation
// fails.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>
#include "cuarray/runtime/allocator.h"
#include "cuarray/runtime/storage.h"

namespace cuarray {

constexpr int64_t kNoLimit = INT64_MAX;
constexpr int64_t kMemoryAlignment = 256;  ///< of every block, from any allocator

/// One kind of memory ("device", "pinned"), or one stream's share of it.
struct MemoryPart {
    std::string name;
    int64_t current = 0;      ///< bytes in arrays
    int64_t cached = 0;       ///< bytes cached for reuse
    int64_t allocations = 0;  ///< live blocks
};

/// Memory statistics of a device, in bytes as requested by arrays; `reserved` includes rounding.
struct MemoryStats {
    int64_t current = 0, peak = 0;     ///< in arrays: now, and the maximum since the start or reset_peak
    int64_t reserved = 0;              ///< allocated from the system, including cached blocks
    int64_t allocations = 0;           ///< live blocks
    int64_t limit = kNoLimit;          ///< of `current`, as set by the user
    int64_t available = 0, total = 0;  ///< of the device
    std::vector<MemoryPart> kinds, streams;
};

/// Counts the bytes of live arrays, exactly and thread-safe.
class CUARRAY_API Account {
 public:
    /// Counts a new block; returns false and counts nothing if that would exceed the limit.
    bool add(int64_t bytes);
    void remove(int64_t bytes) { current_.fetch_sub(bytes, std::memory_order_relaxed); }
    bool has_room(int64_t bytes) const { return bytes <= limit() - current(); }

    int64_t current() const { return current_.load(std::memory_order_relaxed); }
    int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
    int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
    void reset_peak() { peak_.store(current(), std::memory_order_relaxed); }
    void set_limit(int64_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }

 private:
    std::atomic<int64_t> current_{0}, peak_{0}, limit_{kNoLimit};
};

/// An external allocator. Its results are checked: ValueError for an address that is misaligned, belongs to a live
/// block, or is not memory of the device.
class CUARRAY_API Allocator {
 public:
    explicit Allocator(std::string name) : name(std::move(name)) {}
    virtual ~Allocator() = default;
    void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    /// An address, or null if memory has run out, with the reason if there is one.
    void* allocate(class Memory& memory, int64_t bytes, int64_t stream, std::string* why);
    /// Frees an address returned by `allocate`. Never throws.
    void free(Device device, void* address, int64_t bytes, int64_t stream) noexcept;

    const std::string name;

 protected:
    /// Null if memory has run out; other failures throw.
    virtual void* ask(int64_t bytes, Device device, int64_t stream, std::string* why) = 0;
    virtual void give_back(void* address, int64_t bytes, Device device, int64_t stream) = 0;

 private:
    std::atomic<int32_t> references_{0};
    std::mutex mutex_;
    std::map<char*, int64_t> live_;
};

/// An allocator given as C functions; `release(keep)` is called when it is no longer used.
CUARRAY_API Ref<Allocator> c_allocator(const cuarray_allocator_v1& functions, void (*release)(void*), void* keep);

/// The pool that blocks come from.
struct PoolChoice {
    enum class Kind { Current, Own, Given };
    Kind kind = Kind::Current;  ///< the device's current pool, our own caching pool, or that of `handle`
    uint64_t handle = 0;        ///< a CUmemoryPool
};

/// The memory of one device. Each backend has one; methods may be called from any thread.
class CUARRAY_API Memory {
 public:
    explicit Memory(Device device) : device(device) {}
    virtual ~Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    const Device device;

    virtual MemoryStats stats() const = 0;
    void reset_peak() { account_.reset_peak(); }
    int64_t limit() const { return account_.limit(); }
    /// Limits the bytes in arrays from now on; ValueError if negative. Releases cached memory beyond the limit.
    void set_limit(int64_t bytes);
    /// Null: the device's own pool. A block is freed by the allocator that it came from.
    void set_allocator(Ref<Allocator> allocator);
    Ref<Allocator> allocator() const;
    /// ValueError if the device has no such pool.
    virtual void use_pool(const PoolChoice& choice);

    /// Releases cached memory as far as possible without waiting.
    virtual void drop_cached() = 0;
    /// Waits for the device and releases all cached memory.
    virtual void trim() = 0;
    /// Why an address is not `bytes` of this device's memory, or "".
    virtual std::string why_unusable(void* address, int64_t bytes) const = 0;

 protected:
    /// Called after a limit was set: releases cached memory beyond it.
    virtual void apply_limit(int64_t bytes);
    /// Repeats `attempt` after each step that may free memory: our caches, reference cycles of the host program, work
    /// that must finish first, other libraries' caches. True at the first success.
    bool find_room(const std::function<bool()>& attempt);
    /// Collects reference cycles if `bytes` would exceed the limit; MemoryError if they still would.
    void find_room_in_limit(int64_t bytes);
    /// MemoryError with the holders of the memory and, if that is tracked, the lines that allocated the arrays.
    [[noreturn]] void raise_no_memory(int64_t bytes, const std::string& why = {}) const;
    /// An address from the user's allocator; MemoryError if find_room() fails, too.
    void* ask(Allocator& allocator, int64_t bytes, int64_t stream);
    bool has_allocator() const { return has_allocator_.load(std::memory_order_relaxed); }

    Account account_;

 private:
    std::atomic<bool> has_allocator_{false};
    mutable std::mutex mutex_;
    Ref<Allocator> allocator_;
};

/// "1.5 GiB".
CUARRAY_API std::string size_text(int64_t bytes);

}  // namespace cuarray

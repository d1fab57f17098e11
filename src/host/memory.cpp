// memory.cpp -- the caching pool: size classes, a list per thread for small blocks, huge pages for large ones.
#include "host/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>

#include "cuarray/runtime/backend.h"
#include "host/system_memory.h"
#include "host/tasks.h"
#include "runtime/size_classes.h"
#include "runtime/tracking.h"

namespace cuarray::host {
namespace {

constexpr int64_t kMapped = int64_t(1) << 20;      // from this size on blocks come from mmap, not from malloc
constexpr int64_t kCheckFrom = int64_t(64) << 20;  // querying the available memory costs 30 us: from this size on
// From this size on the pages of a cached block are exchanged for new ones, not cleared: that costs no more if all are
// used, and nearly nothing if few are.
constexpr int64_t kDiscardFrom = int64_t(64) << 20;
constexpr int64_t kClearedFrom = 8 << 10;  // smaller blocks are filled with zeros as with other numbers, without a task
constexpr int kSmallClasses = class_of(32 * 1024) + 1;
constexpr int kKeptPerThread = 32;  // blocks of one class

}  // namespace

/// A block of the pool.
class Block final : public Storage {
 public:
    Block(Backend* backend, void* data, int size_class) : Storage(backend, data, 0), size_class(size_class) {}

    const int size_class;
    Block* next = nullptr;  // in a list of free blocks

 private:
    void destroy() override;
};

/// A block of the user's allocator.
class AllocatorBlock final : public Storage {
 public:
    AllocatorBlock(Backend* backend, void* data, int64_t bytes, Ref<Allocator> allocator)
        : Storage(backend, data, bytes), allocator_(std::move(allocator)) {}

 private:
    void destroy() override;
    const Ref<Allocator> allocator_;
};

namespace {

int64_t mapped_bytes(int size_class) { return (class_bytes(size_class) + 4095) & ~int64_t(4095); }

/// The state shared by all threads. Never destroyed: arrays may outlive static destructors.
struct BlockPool {
    std::mutex mutex;
    Block* free[kSizeClasses] = {};
    int64_t cached = 0;  // bytes in `free`
    int64_t limit = 0;   // of `cached`
    struct ThreadCache* threads = nullptr;
    int64_t departed = 0;  // live blocks counted by threads that have ended
    std::atomic<int64_t> reserved{0};
};

/// A thread's own free blocks. A block may be freed by another thread, so `live` may be negative in one of them.
struct ThreadCache {
    Block* free[kSmallClasses] = {};
    uint16_t kept[kSmallClasses] = {};
    std::atomic<int64_t> live{0};  // written by its thread alone
    ThreadCache *previous = nullptr, *next = nullptr;

    ThreadCache();
    ~ThreadCache();
};

BlockPool& pool() {
    static BlockPool* const the_pool = [] {
        BlockPool* const made = new BlockPool;
        made->limit = total_memory() / 4;
        return made;
    }();
    return *the_pool;
}

// A plain pointer to the object, which has a destructor: reading the pointer costs no initialisation check.
thread_local ThreadCache* this_cache = nullptr;
thread_local bool thread_has_ended = false;

ThreadCache* cache_of_thread() {
    if (this_cache || thread_has_ended) return this_cache;
    thread_local ThreadCache cache;
    return this_cache = &cache;
}

void release(Block* block) {
    const int64_t bytes = class_bytes(block->size_class);
    if (bytes >= kMapped)
        munmap(block->data, size_t(mapped_bytes(block->size_class)));
    else
        std::free(block->data);
    pool().reserved.fetch_sub(bytes, std::memory_order_relaxed);
    delete block;
}

/// Takes all cached blocks out of the pool, as one list. The lock is held.
Block* take_all(BlockPool& p) {
    Block* all = nullptr;
    for (Block*& head : p.free) {
        while (Block* block = head) {
            head = block->next;
            block->next = all;
            all = block;
        }
    }
    p.cached = 0;
    return all;
}

void release_list(Block* block) {
    while (block) {
        Block* const next = block->next;
        release(block);
        block = next;
    }
}

void put_back(Block* block) {
    BlockPool& p = pool();
    const int64_t bytes = class_bytes(block->size_class);
    // Above a limit set by the user nothing is cached: cached blocks would take the room of blocks in use.
    const int64_t most = p.reserved > memory().limit() ? 0 : p.limit;
    Block* surplus = nullptr;
    {
        const std::lock_guard lock(p.mutex);
        if (p.cached + bytes > most) surplus = take_all(p);
        if (bytes <= most) {
            block->next = p.free[block->size_class];
            p.free[block->size_class] = block;
            p.cached += bytes;
            block = nullptr;
        }
    }
    release_list(surplus);
    if (block) release(block);
}

ThreadCache::ThreadCache() {
    BlockPool& p = pool();
    const std::lock_guard lock(p.mutex);
    next = p.threads;
    if (next) next->previous = this;
    p.threads = this;
}

ThreadCache::~ThreadCache() {
    this_cache = nullptr;
    thread_has_ended = true;
    for (Block* head : free) {
        while (Block* block = head) {
            head = block->next;
            put_back(block);
        }
    }
    BlockPool& p = pool();
    const std::lock_guard lock(p.mutex);
    p.departed += live;
    (previous ? previous->next : p.threads) = next;
    if (next) next->previous = previous;
}

void count_live(ThreadCache* cache, int change) {
    if (cache)
        cache->live.store(cache->live.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
    else {
        const std::lock_guard lock(pool().mutex);
        pool().departed += change;
    }
}

Block* take(ThreadCache* cache, int size_class) {
    if (cache && size_class < kSmallClasses && cache->free[size_class]) {
        Block* const block = cache->free[size_class];
        cache->free[size_class] = block->next;
        --cache->kept[size_class];
        return block;
    }
    BlockPool& p = pool();
    const std::lock_guard lock(p.mutex);
    Block* const block = p.free[size_class];
    if (block) {
        p.free[size_class] = block->next;
        p.cached -= class_bytes(size_class);
    }
    return block;
}

/// The storage of an empty array.
class EmptyBlock final : public Storage {
 public:
    explicit EmptyBlock(Backend* backend) : Storage(backend, nullptr, 0) {}

 private:
    void destroy() override { delete this; }
};

}  // namespace

HostMemory& memory() {
    static HostMemory* const one = new HostMemory;
    return *one;
}

Block* HostMemory::make(Backend* backend, int64_t bytes, int size_class) {
    const int64_t size = class_bytes(size_class);
    void* data = nullptr;
    const auto from_system = [&] {
        if (bytes >= kCheckFrom && bytes > available_memory()) return false;
        data = size >= kMapped ? map_pages(mapped_bytes(size_class))
                               : std::aligned_alloc(size_t(kMemoryAlignment), size_t(size));
        return data != nullptr;
    };
    if (size > limit() - pool().reserved) drop_cached();
    if (!from_system() && !find_room(from_system)) raise_no_memory(bytes);
    pool().reserved.fetch_add(size, std::memory_order_relaxed);
    return new Block(backend, data, size_class);
}

StorageRef HostMemory::borrow(Backend* backend, int64_t bytes, Ref<Allocator> allocator) {
    void* const address = ask(*allocator, bytes, 0);
    if (!account_.add(bytes)) {
        allocator->free(device, address, bytes, 0);
        raise_no_memory(bytes);
    }
    count_live(cache_of_thread(), 1);
    return tracked(StorageRef(new AllocatorBlock(backend, address, bytes, std::move(allocator))));
}

void AllocatorBlock::destroy() {
    memory().account_.remove(bytes);
    count_live(cache_of_thread(), -1);
    allocator_->free(memory().device, data, bytes, 0);
    delete this;
}

void Block::destroy() {
    memory().account_.remove(bytes);
    ThreadCache* const cache = cache_of_thread();
    count_live(cache, -1);
    if (cache && size_class < kSmallClasses && cache->kept[size_class] < kKeptPerThread) {
        next = cache->free[size_class];
        cache->free[size_class] = this;
        ++cache->kept[size_class];
    } else {
        put_back(this);
    }
}

StorageRef HostMemory::allocate(Backend* backend, int64_t bytes) {
    if (bytes == 0) return StorageRef(new EmptyBlock(backend));
    if (!account_.has_room(bytes)) find_room_in_limit(bytes);
    if (has_allocator())
        if (Ref<Allocator> chosen = allocator()) return borrow(backend, bytes, std::move(chosen));
    if (bytes > kLargestBlock) raise_no_memory(bytes);
    const int size_class = class_of(bytes);
    ThreadCache* const cache = cache_of_thread();
    Block* block = take(cache, size_class);
    if (!block) block = make(backend, bytes, size_class);
    return adopt(block, bytes);
}

StorageRef HostMemory::allocate_zeros(Backend* backend, int64_t bytes) {
    if (bytes < kClearedFrom || bytes > kLargestBlock || has_allocator()) return {};
    if (!account_.has_room(bytes)) find_room_in_limit(bytes);
    const int size_class = class_of(bytes);
    Block* const cached = take(cache_of_thread(), size_class);
    Block* const block = cached ? cached : make(backend, bytes, size_class);
    StorageRef result = adopt(block, bytes);
    if (!cached && class_bytes(size_class) >= kMapped) return result;  // new pages
    if (bytes < kDiscardFrom || madvise(block->data, size_t(mapped_bytes(size_class)), MADV_DONTNEED) != 0)
        clear_bytes(block->data, bytes);
    return result;
}

/// The storage of a block that is not in use.
StorageRef HostMemory::adopt(Block* block, int64_t bytes) {
    if (!account_.add(bytes)) {
        put_back(block);
        raise_no_memory(bytes);
    }
    block->bytes = bytes;
    block->read_only = false;
    block->forget_exports();
    count_live(cache_of_thread(), 1);
    block->own();
    return tracked(StorageRef::adopt(block));
}

MemoryStats HostMemory::stats() const {
    MemoryStats stats;
    stats.current = account_.current(), stats.peak = account_.peak(), stats.limit = account_.limit();
    stats.available = available_memory(), stats.total = total_memory();
    BlockPool& p = pool();
    const std::lock_guard lock(p.mutex);
    stats.reserved = p.reserved;
    stats.allocations = p.departed;
    for (const ThreadCache* cache = p.threads; cache; cache = cache->next) stats.allocations += cache->live;
    stats.kinds.push_back(
        {"host", stats.current, std::max<int64_t>(stats.reserved - stats.current, 0), stats.allocations});
    return stats;
}

void HostMemory::drop_cached() {
    if (ThreadCache* cache = cache_of_thread()) {
        for (int size_class = 0; size_class < kSmallClasses; ++size_class) {
            release_list(std::exchange(cache->free[size_class], nullptr));
            cache->kept[size_class] = 0;
        }
    }
    BlockPool& p = pool();
    Block* all;
    {
        const std::lock_guard lock(p.mutex);
        all = take_all(p);
    }
    release_list(all);
}

std::string HostMemory::why_unusable(void* address, int64_t bytes) const {
    // read() from /dev/zero writes a zero, and fails if the process may not write there.
    static const int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    // As integers: pointer arithmetic is undefined if the allocator's address is not valid.
    const auto first = reinterpret_cast<uintptr_t>(address);
    for (const uintptr_t byte : {first, first + uintptr_t(bytes) - 1})
        if (zeros >= 0 && read(zeros, reinterpret_cast<void*>(byte), 1) < 0)
            return "is no host memory that can be written";
    return "";
}

void lock_memory() { pool().mutex.lock(); }
void unlock_memory() { pool().mutex.unlock(); }

}  // namespace cuarray::host

// memory.cpp -- the caching pool: size classes, a list per thread for small blocks, huge pages for large ones.
#include "host/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <new>
#include <string>

namespace cuarray::host {
namespace {

constexpr int64_t kAlignment = 256;
constexpr int64_t kMapped = int64_t(1) << 20;    // from here on blocks come from mmap, not from malloc
constexpr int64_t kHugePage = int64_t(2) << 20;
constexpr int64_t kHugeFrom = int64_t(4) << 20;
constexpr int64_t kCheckFrom = int64_t(64) << 20;  // asking the system what is left costs 30 us: not for small blocks

// Multiples of 256 up to 2048, then eight classes per doubling: at most an eighth is wasted, and of a mapped block
// only as address space.
constexpr int kFirstClasses = 8;
constexpr int kClasses = kFirstClasses + 8 * 48;

constexpr int class_of(int64_t bytes) {
    if (bytes <= 2048) return int((bytes + kAlignment - 1) / kAlignment) - 1;
    const int doubling = std::bit_width(uint64_t(bytes - 1)) - 1;  // bytes - 1 in [2^doubling, 2^(doubling + 1))
    return kFirstClasses + 8 * (doubling - 11) + int(((bytes - 1) >> (doubling - 3)) & 7);
}
constexpr int64_t class_bytes(int size_class) {
    if (size_class < kFirstClasses) return (size_class + 1) * kAlignment;
    const int doubling = 11 + (size_class - kFirstClasses) / 8, eighth = (size_class - kFirstClasses) % 8;
    return (int64_t(9 + eighth)) << (doubling - 3);
}
constexpr int kSmallClasses = class_of(32 * 1024) + 1;
constexpr int kKeptPerThread = 32;  // blocks of one class
static_assert(class_bytes(class_of(2049)) >= 2049 && class_bytes(class_of(32768)) == 32768);
static_assert(class_of(32769) == class_of(32768) + 1 && class_of(class_bytes(100)) == 100);

class Block final : public Storage {
 public:
    Block(Backend* backend, void* data, int size_class) : Storage(backend, data, 0), size_class(size_class) {}

    const int size_class;
    Block* next = nullptr;  // in a list of free blocks

 private:
    void destroy() override;
};

void* map(int64_t bytes) {
    const bool huge = bytes >= kHugeFrom;
    const int64_t slack = huge ? kHugePage : 0;
    void* raw = mmap(nullptr, size_t(bytes + slack), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    if (!huge) return raw;
    char* const begin = static_cast<char*>(raw);
    char* const aligned = begin + (-reinterpret_cast<uintptr_t>(begin) & uintptr_t(kHugePage - 1));
    if (aligned != begin) munmap(begin, size_t(aligned - begin));
    munmap(aligned + bytes, size_t(begin + slack - aligned));
    madvise(aligned, size_t(bytes), MADV_HUGEPAGE);
    return aligned;
}

int64_t mapped_bytes(int size_class) { return (class_bytes(size_class) + 4095) & ~int64_t(4095); }

/// Everything that threads share. Never destroyed: arrays may outlive static destructors.
struct Pool {
    std::mutex mutex;
    Block* free[kClasses] = {};
    int64_t cached = 0;    // bytes in `free`
    int64_t limit = 0;     // of `cached`
    struct ThreadCache* threads = nullptr;
    int64_t departed = 0;  // live blocks counted by threads that have ended
    std::atomic<int64_t> current{0}, peak{0}, reserved{0};
};

/// A thread's own free blocks. Blocks move between threads freely; `live` may be negative in one of them.
struct ThreadCache {
    Block* free[kSmallClasses] = {};
    uint16_t kept[kSmallClasses] = {};
    std::atomic<int64_t> live{0};  // written by its thread alone
    ThreadCache *previous = nullptr, *next = nullptr;

    ThreadCache();
    ~ThreadCache();
};

int64_t total_memory();

Pool& pool() {
    static Pool* const the_pool = [] {
        Pool* const made = new Pool;
        made->limit = total_memory() / 4;
        return made;
    }();
    return *the_pool;
}

// A plain pointer beside the object with a destructor: reading it costs no initialisation check.
thread_local ThreadCache* this_cache = nullptr;
thread_local bool thread_has_ended = false;

ThreadCache* cache_of_thread() {
    if (this_cache || thread_has_ended) return this_cache;
    thread_local ThreadCache cache;
    return this_cache = &cache;
}

void release(Block* block) {
    const int64_t bytes = class_bytes(block->size_class);
    if (bytes >= kMapped) munmap(block->data, size_t(mapped_bytes(block->size_class)));
    else std::free(block->data);
    pool().reserved.fetch_sub(bytes, std::memory_order_relaxed);
    delete block;
}

/// Takes all cached blocks out of the pool, as one list. The lock is held.
Block* take_all(Pool& p) {
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
    Pool& p = pool();
    const int64_t bytes = class_bytes(block->size_class);
    Block* surplus = nullptr;
    {
        const std::lock_guard lock(p.mutex);
        if (p.cached + bytes > p.limit) surplus = take_all(p);
        if (bytes <= p.limit) {
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
    Pool& p = pool();
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
    Pool& p = pool();
    const std::lock_guard lock(p.mutex);
    p.departed += live;
    (previous ? previous->next : p.threads) = next;
    if (next) next->previous = previous;
}

void count_live(ThreadCache* cache, int change) {
    if (cache) cache->live.store(cache->live.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
    else {
        const std::lock_guard lock(pool().mutex);
        pool().departed += change;
    }
}

void count_bytes(int64_t bytes) {
    Pool& p = pool();
    const int64_t now = p.current.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    int64_t peak = p.peak.load(std::memory_order_relaxed);
    while (now > peak && !p.peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {}
}

void Block::destroy() {
    pool().current.fetch_sub(bytes, std::memory_order_relaxed);
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

Block* take(ThreadCache* cache, int size_class) {
    if (cache && size_class < kSmallClasses && cache->free[size_class]) {
        Block* const block = cache->free[size_class];
        cache->free[size_class] = block->next;
        --cache->kept[size_class];
        return block;
    }
    Pool& p = pool();
    const std::lock_guard lock(p.mutex);
    Block* const block = p.free[size_class];
    if (block) {
        p.free[size_class] = block->next;
        p.cached -= class_bytes(size_class);
    }
    return block;
}

[[noreturn]] void raise_no_memory(int64_t bytes) {
    raise(ErrorKind::Memory, "cpu: ", bytes, " bytes asked, ", available_memory(), " bytes available");
}

Block* make(Backend* backend, int64_t bytes, int size_class) {
    if (bytes >= kCheckFrom && bytes > available_memory()) {
        trim_memory();
        if (bytes > available_memory()) raise_no_memory(bytes);
    }
    const auto from_system = [size_class] {
        const int64_t size = class_bytes(size_class);
        return size >= kMapped ? map(mapped_bytes(size_class)) : std::aligned_alloc(size_t(kAlignment), size_t(size));
    };
    void* data = from_system();
    if (!data) {
        trim_memory();
        data = from_system();
    }
    if (!data) raise_no_memory(bytes);
    pool().reserved.fetch_add(class_bytes(size_class), std::memory_order_relaxed);
    return new Block(backend, data, size_class);
}

/// A number at the start of a file, or -1.
int64_t read_number(const std::string& path) {
    std::ifstream file(path);
    int64_t value = -1;
    return file >> value ? value : -1;
}

/// A "key value" line of a file, or -1.
int64_t read_entry(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    std::string word;
    while (file >> word) {
        int64_t value;
        if (word == key && file >> value) return value;
    }
    return -1;
}

const std::string kGroup = "/sys/fs/cgroup/";

int64_t total_memory() {
    int64_t total = read_entry("/proc/meminfo", "MemTotal:") * 1024;
    const int64_t group = read_number(kGroup + "memory.max");
    if (group > 0) total = std::min(total, group);
    return std::max(total, int64_t(1) << 30);
}

}  // namespace

int64_t available_memory() {
    int64_t available = read_entry("/proc/meminfo", "MemAvailable:") * 1024;
    const int64_t group = read_number(kGroup + "memory.max"), used = read_number(kGroup + "memory.current");
    if (group > 0 && used >= 0) {
        const int64_t files = std::max<int64_t>(read_entry(kGroup + "memory.stat", "inactive_file"), 0);
        available = std::min(available, group - used + files);
    }
    return std::max<int64_t>(available, 0);
}

namespace {

/// The storage of an empty array.
class Nothing final : public Storage {
 public:
    explicit Nothing(Backend* backend) : Storage(backend, nullptr, 0) {}

 private:
    void destroy() override { delete this; }
};

}  // namespace

StorageRef allocate(Backend* backend, int64_t bytes) {
    if (bytes == 0) return StorageRef(new Nothing(backend));
    if (bytes > class_bytes(kClasses - 1)) raise_no_memory(bytes);
    const int size_class = class_of(bytes);
    ThreadCache* const cache = cache_of_thread();
    Block* block = take(cache, size_class);
    if (!block) block = make(backend, bytes, size_class);
    block->bytes = bytes;
    block->read_only = block->exported = false;
    count_live(cache, 1);
    count_bytes(bytes);
    block->own();
    return StorageRef::adopt(block);
}

MemoryStats memory_stats() {
    Pool& p = pool();
    const std::lock_guard lock(p.mutex);
    MemoryStats stats;
    stats.current = p.current, stats.peak = p.peak, stats.reserved = p.reserved, stats.limit = p.limit;
    stats.allocations = p.departed;
    for (const ThreadCache* cache = p.threads; cache; cache = cache->next) stats.allocations += cache->live;
    return stats;
}

void trim_memory() {
    if (ThreadCache* cache = cache_of_thread()) {
        for (int size_class = 0; size_class < kSmallClasses; ++size_class) {
            release_list(std::exchange(cache->free[size_class], nullptr));
            cache->kept[size_class] = 0;
        }
    }
    Pool& p = pool();
    Block* all;
    {
        const std::lock_guard lock(p.mutex);
        all = take_all(p);
    }
    release_list(all);
}

void lock_memory() { pool().mutex.lock(); }
void unlock_memory() { pool().mutex.unlock(); }

bool has_huge_pages() {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string words;
    std::getline(file, words);
    return !words.empty() && words.find("[never]") == std::string::npos;
}

}  // namespace cuarray::host

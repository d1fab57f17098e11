// memory.cpp -- accounting, limits, external allocators, the steps tried when memory runs out, and the MemoryError.
#include "cuarray/runtime/memory.h"

#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "runtime/hooks.h"
#include "runtime/tracking.h"

namespace cuarray {

std::string size_text(int64_t bytes) {
    constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    double size = double(bytes);
    for (; size >= 1024 && unit < 6; ++unit) size /= 1024;
    char text[32];
    std::snprintf(text, sizeof text, size == double(int64_t(size)) ? "%.0f %s" : "%.1f %s", size, kUnits[unit]);
    return text;
}

bool Account::add(int64_t bytes) {
    int64_t before = current();
    do {
        if (bytes > limit() - before) return false;
    } while (!current_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    int64_t peak = this->peak();
    while (before + bytes > peak && !peak_.compare_exchange_weak(peak, before + bytes, std::memory_order_relaxed)) {}
    return true;
}

void* Allocator::allocate(Memory& memory, int64_t bytes, int64_t stream, std::string* why) {
    const Device device = memory.device;
    auto* const address = static_cast<char*>(ask(bytes, device, stream, why));
    if (!address) return nullptr;
    std::string wrong;
    bool is_lent = false;
    {
        const std::lock_guard lock(mutex_);
        const auto above = live_.lower_bound(address + 1);
        is_lent = (above != live_.end() && above->first < address + bytes) ||
                  (above != live_.begin() && std::prev(above)->first + std::prev(above)->second > address);
        if (is_lent)
            wrong = "lies in a block that is in use";
        else if (reinterpret_cast<uintptr_t>(address) % kMemoryAlignment != 0)
            wrong = "is no multiple of 256";
        else
            live_.emplace(address, bytes);
    }
    if (wrong.empty()) wrong = memory.why_unusable(address, bytes);
    if (wrong.empty()) return address;
    // A block in use belongs to an array, which will free it.
    if (!is_lent) free(device, address, bytes, stream);
    raise(ErrorKind::Value, "memory: allocator ", name, " was asked for ", bytes, " bytes on ", to_string(device),
          " and returned the address ", static_cast<void*>(address), ", which ", wrong);
}

void Allocator::free(Device device, void* address, int64_t bytes, int64_t stream) noexcept {
    try {
        {
            const std::lock_guard lock(mutex_);
            live_.erase(static_cast<char*>(address));
        }
        give_back(address, bytes, device, stream);
    } catch (const std::exception& error) {
        report_unraisable("memory: allocator " + name + " could not free " + std::to_string(bytes) +
                          " bytes: " + error.what());
    }
}

namespace {

class CAllocator final : public Allocator {
 public:
    CAllocator(const cuarray_allocator_v1& functions, void (*release)(void*), void* keep)
        : Allocator(functions.name ? functions.name : "without a name"),
          functions_(functions),
          release_(release),
          keep_(keep) {}
    ~CAllocator() override {
        if (release_) release_(keep_);
    }

 private:
    static int32_t ordinal(Device device) { return device == Device{} ? -1 : device.index; }

    void* ask(int64_t bytes, Device device, int64_t stream, std::string*) override {
        void* address = nullptr;
        const int status =
            functions_.allocate(functions_.context, bytes, ordinal(device), reinterpret_cast<void*>(stream), &address);
        if (status != 0)
            raise(ErrorKind::Runtime, "memory: allocator ", name, " failed with code ", status, " when asked for ",
                  bytes, " bytes");
        return address;
    }
    void give_back(void* address, int64_t bytes, Device device, int64_t stream) override {
        const int status =
            functions_.free(functions_.context, address, bytes, ordinal(device), reinterpret_cast<void*>(stream));
        if (status != 0) throw std::runtime_error("code " + std::to_string(status));
    }

    const cuarray_allocator_v1 functions_;
    void (*const release_)(void*);
    void* const keep_;
};

}  // namespace

Ref<Allocator> c_allocator(const cuarray_allocator_v1& functions, void (*release)(void*), void* keep) {
    return Ref<Allocator>(new CAllocator(functions, release, keep));
}

void Memory::set_limit(int64_t bytes) {
    if (bytes < 0) raise(ErrorKind::Value, "memory.limit: ", bytes, " bytes is negative");
    account_.set_limit(bytes);
    apply_limit(bytes);
}

void Memory::apply_limit(int64_t bytes) {
    if (bytes != kNoLimit) trim();
}

void Memory::set_allocator(Ref<Allocator> allocator) {
    const std::lock_guard lock(mutex_);
    std::swap(allocator_, allocator);  // the old one is released after the lock
    has_allocator_ = bool(allocator_);
}

Ref<Allocator> Memory::allocator() const {
    const std::lock_guard lock(mutex_);
    return allocator_;
}

void Memory::use_pool(const PoolChoice& choice) {
    if (choice.kind != PoolChoice::Kind::Given) return;
    raise(ErrorKind::Value, "memory.use_pool: ", to_string(device),
          " has one pool, cuarray's own; CUDA's memory pools "
          "are for GPUs");
}

bool Memory::find_room(const std::function<bool()>& attempt) {
    // A flush or a finalizer may allocate: if that fails, it must not search recursively.
    thread_local bool is_searching = false;
    if (is_searching) return false;
    struct Search {
        Search() { is_searching = true; }
        ~Search() { is_searching = false; }
    } search;
    const std::function<void()> steps[] = {
        [this] { drop_cached(); },
        [] { run_deferred(), relieve_memory_pressure(); },  // operations keep alive what they read
        [this] { trim(); },
        [this] { flush_other_libraries(), trim(); },
    };
    for (const auto& step : steps) {
        step();
        if (attempt()) return true;
    }
    return false;
}

void Memory::find_room_in_limit(int64_t bytes) {
    if (!account_.has_room(bytes)) run_deferred(), relieve_memory_pressure();
    if (!account_.has_room(bytes)) raise_no_memory(bytes);
}

void* Memory::ask(Allocator& allocator, int64_t bytes, int64_t stream) {
    void* address = nullptr;
    std::string why;
    const auto attempt = [&] { return (address = allocator.allocate(*this, bytes, stream, &why)) != nullptr; };
    if (!attempt() && !find_room(attempt))
        raise_no_memory(bytes, "allocator " + allocator.name + (why.empty() ? " returned no address" : ": " + why));
    return address;
}

void Memory::raise_no_memory(int64_t bytes, const std::string& why) const {
    const MemoryStats s = stats();
    int64_t cached = 0;
    for (const MemoryPart& kind : s.kinds) cached += kind.cached;
    const int64_t others = std::max<int64_t>(s.total - s.available - s.current - cached, 0);
    std::ostringstream text;
    text << to_string(device) << ": " << bytes << " bytes asked (" << size_text(bytes) << "), " << s.available
         << " bytes available of " << size_text(s.total) << "; arrays hold " << size_text(s.current) << " in "
         << s.allocations << " blocks, " << size_text(cached) << " are kept for reuse, others hold "
         << size_text(others);
    if (s.limit != kNoLimit) text << "; cuarray.memory.limit is " << size_text(s.limit);
    if (!why.empty()) text << "; " << why;
    const std::vector<LineAllocations> lines = tracked_memory(device);
    for (size_t i = 0; i < lines.size() && i < 5; ++i)
        text << (i ? ", " : "; made by ") << lines[i].file << ":" << lines[i].line << " (" << lines[i].allocations
             << " of " << size_text(lines[i].bytes) << ")";
    raise(ErrorKind::Memory, text.str());
}

}  // namespace cuarray

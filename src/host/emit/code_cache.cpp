// code_cache.cpp -- the machine code of chains by their bytes, the least recently used first out.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cuarray/core/error.h"
#include "host/emit/chain.h"
#include "host/levels.h"

namespace cuarray::host::emit {
namespace {

constexpr int64_t kMostBytes = 16 << 20;
constexpr size_t kMostChains = 1 << 14;  // chains that have been seen, with and without code
/// Elements times operations from which new code pays at its first run; other chains get theirs at their second run.
constexpr int64_t kWorthWhile = 1 << 16;

std::atomic<bool> is_refused{false};

struct CachedChain {
    std::string key;
    std::shared_ptr<const ChainCode> code;
};

struct CodeCache {
    std::mutex mutex;
    std::list<CachedChain> chains;  // the most recently used one first
    std::unordered_map<std::string_view, std::list<CachedChain>::iterator> by_key;
    int64_t bytes = 0;

    void shrink() {
        while (bytes > kMostBytes || chains.size() > kMostChains) {
            const CachedChain& last = chains.back();
            if (last.code) bytes -= last.code->bytes();
            by_key.erase(last.key);
            chains.pop_back();  // whoever runs the code holds it
        }
    }
};

/// Never destroyed: threads may compute while the program ends.
CodeCache& code_cache() {
    static CodeCache* const cache = new CodeCache;
    return *cache;
}

std::string_view key_of(const Chain& chain, std::string& room) {
    const auto append = [&](const auto& items) {
        room.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof items[0]);
    };
    room.clear();
    append(chain.nodes);
    append(chain.outputs);
    return room;
}

std::shared_ptr<const ChainCode> make(const Chain& chain) {
    try {
        return std::make_shared<ChainCode>(chain);
    } catch (const Error&) {
        is_refused.store(true, std::memory_order_relaxed);
        return nullptr;
    }
}

bool is_supported() {
#if defined(__x86_64__)
    return std::string_view(loop_library().level) != "base";
#else
    return false;
#endif
}

}  // namespace

bool is_enabled() {
    static const bool is_wanted = [] {
        const char* const wish = std::getenv("CUARRAY_JIT");
        return is_supported() && !(wish && std::string_view(wish) == "off");
    }();
    return is_wanted && !is_refused.load(std::memory_order_relaxed);
}

std::shared_ptr<const ChainCode> code_for(const Chain& chain, int64_t elements) {
    thread_local std::string room;
    const std::string_view key = key_of(chain, room);
    CodeCache& cache = code_cache();
    const int64_t operations = int64_t(chain.nodes.size()) - chain.inputs;
    {
        const std::lock_guard lock(cache.mutex);
        const auto found = cache.by_key.find(key);
        if (found == cache.by_key.end()) {
            cache.chains.push_front({std::string(key), nullptr});
            cache.by_key.emplace(cache.chains.front().key, cache.chains.begin());
            cache.shrink();
            if (elements * operations < kWorthWhile) return nullptr;
        } else {
            cache.chains.splice(cache.chains.begin(), cache.chains, found->second);
            if (found->second->code) return found->second->code;
        }
    }
    const std::shared_ptr<const ChainCode> code = make(chain);
    if (!code) return nullptr;
    const std::lock_guard lock(cache.mutex);
    const auto found = cache.by_key.find(key);
    if (found != cache.by_key.end() && !found->second->code) {
        found->second->code = code;
        cache.bytes += code->bytes();
        cache.shrink();
    }
    return code;
}

void lock_code_cache() { code_cache().mutex.lock(); }
void unlock_code_cache() { code_cache().mutex.unlock(); }

int64_t code_count() {
    const std::lock_guard lock(code_cache().mutex);
    return std::count_if(code_cache().chains.begin(), code_cache().chains.end(),
                         [](const CachedChain& chain) { return chain.code != nullptr; });
}

const char* state() {
    if (!is_supported()) return "none for this processor";
    return is_enabled() ? "on" : is_refused.load(std::memory_order_relaxed) ? "refused by the system" : "off";
}

}  // namespace cuarray::host::emit

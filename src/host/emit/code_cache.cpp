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

class CodeCache final : public CodeSource {
 public:
    std::shared_ptr<const ChainCode> code_for(const Chain& chain, int64_t elements) override;
    bool would_give_code(const Chain& chain, int64_t elements);
    int64_t code_count();

    std::mutex mutex;

 private:
    void shrink() {
        while (bytes_ > kMostBytes || chains_.size() > kMostChains) {
            const CachedChain& last = chains_.back();
            if (last.code) bytes_ -= last.code->bytes();
            by_key_.erase(last.key);
            chains_.pop_back();  // whoever runs the code holds it
        }
    }

    std::list<CachedChain> chains_;  // the most recently used one first
    std::unordered_map<std::string_view, std::list<CachedChain>::iterator> by_key_;
    int64_t bytes_ = 0;
};

std::string_view key_of(const Chain& chain, std::string& room) {
    const auto append = [&](const auto& items) {
        room.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof items[0]);
    };
    room.clear();
    append(chain.nodes);
    append(chain.outputs);
    return room;
}

bool is_worthwhile(const Chain& chain, int64_t elements) { return elements * chain.operation_count() >= kWorthWhile; }

/// The most of what the processor has, or of the level that CUARRAY_CPU_LEVEL lowers it to.
InstructionSet supported_set() {
#if defined(__x86_64__)
    const std::string_view level = loop_library().level;
    if (level == "v4") return InstructionSet::Avx512;
    if (level == "v3") return InstructionSet::Avx2;
#endif
    return InstructionSet::None;
}

}  // namespace

InstructionSet instruction_set() {
    static const InstructionSet set = [] {
        const char* const value = std::getenv("CUARRAY_JIT");
        const std::string_view wish = value ? value : "";
        const InstructionSet most = wish == "off"    ? InstructionSet::None
                                    : wish == "avx2" ? InstructionSet::Avx2
                                                     : InstructionSet::Avx512;
        return std::min(most, supported_set());
    }();
    return set;
}

std::shared_ptr<const ChainCode> make_code(const Chain& chain) {
    try {
        return std::make_shared<ChainCode>(chain);
    } catch (const Error&) {
        is_refused.store(true, std::memory_order_relaxed);
        return nullptr;
    }
}

bool is_enabled() { return instruction_set() != InstructionSet::None && !is_refused.load(std::memory_order_relaxed); }

namespace {

bool CodeCache::would_give_code(const Chain& chain, int64_t elements) {
    std::string room;
    const std::string_view key = key_of(chain, room);
    const std::lock_guard lock(mutex);
    return by_key_.contains(key) || is_worthwhile(chain, elements);
}

std::shared_ptr<const ChainCode> CodeCache::code_for(const Chain& chain, int64_t elements) {
    thread_local std::string room;
    const std::string_view key = key_of(chain, room);
    {
        const std::lock_guard lock(mutex);
        const auto found = by_key_.find(key);
        if (found == by_key_.end()) {
            chains_.push_front({std::string(key), nullptr});
            by_key_.emplace(chains_.front().key, chains_.begin());
            shrink();
            if (!is_worthwhile(chain, elements)) return nullptr;
        } else {
            chains_.splice(chains_.begin(), chains_, found->second);
            if (found->second->code) return found->second->code;
        }
    }
    const std::shared_ptr<const ChainCode> code = make_code(chain);
    if (!code) return nullptr;
    const std::lock_guard lock(mutex);
    const auto found = by_key_.find(key);
    if (found != by_key_.end() && !found->second->code) {
        found->second->code = code;
        bytes_ += code->bytes();
        shrink();
    }
    return code;
}

int64_t CodeCache::code_count() {
    const std::lock_guard lock(mutex);
    return std::count_if(chains_.begin(), chains_.end(),
                         [](const CachedChain& chain) { return chain.code != nullptr; });
}

/// Never destroyed: threads may compute while the program ends.
CodeCache& the_code_cache() {
    static CodeCache* const cache = new CodeCache;
    return *cache;
}

}  // namespace

CodeSource& code_cache() { return the_code_cache(); }
bool would_give_code(const Chain& chain, int64_t elements) { return the_code_cache().would_give_code(chain, elements); }
int64_t code_count() { return the_code_cache().code_count(); }

void lock_code_cache() { the_code_cache().mutex.lock(); }
void unlock_code_cache() { the_code_cache().mutex.unlock(); }

const char* state() {
    if (supported_set() == InstructionSet::None) return "none for this processor";
    if (instruction_set() == InstructionSet::None) return "off";
    if (!is_enabled()) return "refused by the system";
    return instruction_set() == InstructionSet::Avx512 ? "avx512" : "avx2";
}

}  // namespace cuarray::host::emit

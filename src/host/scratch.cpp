// scratch.cpp -- one stack per thread for buffers that fit into the caches, the heap for larger ones.
#include "host/scratch.h"

#include <cstdlib>
#include <new>

namespace cuarray::host {
namespace {

// Address space: pages are allocated at their first use. Large enough for all subtrees of a column fold.
constexpr int64_t kStackBytes = 8 * 1024 * 1024;
constexpr int64_t kAlignment = 64;

char* aligned(int64_t bytes) {
    void* const memory = std::aligned_alloc(size_t(kAlignment), size_t(bytes));
    if (!memory) throw std::bad_alloc();
    return static_cast<char*>(memory);
}

struct ThreadStack {
    char* base = nullptr;
    int64_t used = 0;
    ~ThreadStack() { std::free(base); }
};
thread_local ThreadStack stack;

}  // namespace

/// A block that did not fit; the list is freed with its scope.
struct Large {
    Large* next;
    void* memory;
};

Scratch::Scratch() : mark_(stack.used) {}

Scratch::~Scratch() {
    stack.used = mark_;
    while (large_) {
        Large* const next = large_->next;
        std::free(large_->memory);
        delete large_;
        large_ = next;
    }
}

char* Scratch::take(int64_t bytes) {
    bytes = (bytes + kAlignment - 1) & -kAlignment;
    ThreadStack& s = stack;
    if (s.used + bytes > kStackBytes) {
        char* const memory = aligned(bytes);
        large_ = new Large{large_, memory};
        return memory;
    }
    if (!s.base) s.base = aligned(kStackBytes);
    char* const memory = s.base + s.used;
    s.used += bytes;
    return memory;
}

}  // namespace cuarray::host

// chain.cpp -- machine code of a chain in executable memory, and the elements behind its last whole pass.
#include "host/emit/chain.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/emit/avx2.h"
#include "host/emit/lowering.h"

namespace cuarray::host::emit {

ChainCode::ChainCode(const Chain& chain) {
    in_sizes_.resize(size_t(chain.input_count()));
    for (const ChainNode& n : chain.nodes)
        if (n.what == ChainNode::kLoad) in_sizes_[n.source[0]] = uint8_t(item_size(n.dtype()));
    for (const uint16_t v : chain.outputs) out_sizes_.push_back(uint8_t(item_size(chain.nodes[v].dtype())));
    const auto [code, lanes] = lower(chain, this, reinterpret_cast<void (*)()>(&ChainCode::finish));
    lanes_ = lanes;
    const int64_t page = sysconf(_SC_PAGESIZE);
    bytes_ = (int64_t(code.size()) + page - 1) / page * page;
    void* const memory = mmap(nullptr, size_t(bytes_), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) raise(ErrorKind::Runtime, "cpu: no memory for machine code: ", std::strerror(errno));
    std::memcpy(memory, code.data(), code.size());
    if (mprotect(memory, size_t(bytes_), PROT_READ | PROT_EXEC) != 0) {
        const int error = errno;
        munmap(memory, size_t(bytes_));
        raise(ErrorKind::Runtime, "cpu: the system refuses executable memory: ", std::strerror(error));
    }
    memory_ = memory;
}

ChainCode::~ChainCode() {
    if (memory_) munmap(memory_, size_t(bytes_));
}

/// Computes the elements behind the last whole pass of AVX2, in memory of its own.
void ChainCode::finish(const void* const* in, void* const* out, int64_t n, const ChainCode* code) {
    alignas(32) char room[Chain::kMaxOperands][Avx2::kMostVectors * Avx2::kBytes];
    const void* from[Chain::kMaxOperands];
    void* to[Chain::kMaxOperands];
    const int64_t rest = n & (code->lanes_ - 1), begin = n - rest;
    const size_t ins = code->in_sizes_.size(), outs = code->out_sizes_.size();
    for (size_t k = 0; k < ins; ++k) {
        const int64_t size = code->in_sizes_[k];
        std::memset(room[k], 0, sizeof room[k]);
        std::memcpy(room[k], static_cast<const char*>(in[k]) + begin * size, size_t(rest * size));
        from[k] = size ? room[k] : in[k];
    }
    for (size_t k = 0; k < outs; ++k) to[k] = room[ins + k];
    code->loop()(from, to, code->lanes_);
    for (size_t k = 0; k < outs; ++k) {
        const int64_t size = code->out_sizes_[k];
        std::memcpy(static_cast<char*>(out[k]) + begin * size, to[k], size_t(rest * size));
    }
}

std::string listing_of(const Chain& chain) {
    std::string listing;
    lower(chain, nullptr, nullptr, &listing);
    return listing;
}

}  // namespace cuarray::host::emit

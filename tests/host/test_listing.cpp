// test_listing.cpp -- the listings of chains, of every row and dtype, are what objdump reads in their code.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
#include "disassembly.h"
#include "host/emit/assembler.cpp"
#include "host/emit/emittable.cpp"
#include "host/emit/listing.cpp"
#include "host/emit/lowering.cpp"

namespace cuarray::host::emit {
namespace {
InstructionSet the_set = InstructionSet::Avx2;
}
InstructionSet instruction_set() { return the_set; }
}  // namespace cuarray::host::emit

namespace {

using namespace cuarray;
using namespace cuarray::host::emit;

constexpr DType kTypes[] = {DType::bool_,  DType::int32,   DType::uint32, DType::int64,
                            DType::uint64, DType::float32, DType::float64};
std::set<std::string> mnemonics;

uint16_t push(Chain& chain, uint16_t what, DType from, DType type, uint16_t a = 0, uint16_t b = 0, uint16_t c = 0) {
    chain.nodes.push_back({what, uint8_t(from), uint8_t(type), {a, b, c}});
    return uint16_t(chain.nodes.size() - 1);
}
uint16_t load(Chain& chain, DType type, bool is_constant = false) {
    if (is_constant) return push(chain, ChainNode::kLoadConstant, type, type, uint16_t(chain.constants++));
    return push(chain, ChainNode::kLoad, type, type, uint16_t(chain.inputs++));
}

void compare(const Chain& chain) {
    std::string listing;
    // Addresses of eight digits: the code of the set without masks has them.
    const std::vector<uint8_t> code =
        lower(chain, reinterpret_cast<const void*>(0x12345678), reinterpret_cast<void (*)()>(0x9abcdef0), &listing)
            .bytes;
    std::vector<std::string> ours;
    std::istringstream lines(listing);
    for (std::string line; std::getline(lines, line);) ours.push_back(line);
    const size_t pool = size_t(std::find_if(ours.begin(), ours.end(),
                                            [](const auto& line) { return line.find(".quad") != std::string::npos; }) -
                               ours.begin());
    const size_t constants = ours.size() - pool;
    const std::vector<Expected> found = disassemble(code, code.size() - constants * Assembler::kPoolItem);
    CHECK(found.size() == pool, "%zu instructions are listed, %zu are read", pool, found.size());
    for (size_t k = 0; k < pool; ++k) {
        const std::string text =
            found[k].operands.empty() ? found[k].mnemonic : found[k].mnemonic + " " + found[k].operands;
        const std::string line = ours[k].substr(ours[k].find(":  ") + 3);
        CHECK(line == text, "listed as %s, read as %s", line.c_str(), text.c_str());
        mnemonics.insert(found[k].mnemonic);
    }
}

/// Of every loop and cast that has instructions, one chain: its operands are memory, constants and values.
void compare_rows() {
    for (const DType T : kTypes) {
        Chain chain;
        const uint16_t memory[] = {load(chain, T), load(chain, T), load(chain, T)};
        const uint16_t constant = load(chain, T, true);
        const uint16_t mask = load(chain, DType::bool_);
        for (const Loop& loop : loops()) {
            if (loop.T != T || !can_emit(loop)) continue;
            const bool selects = loop.row == row::where;
            const DType out = loop.out[0];
            const uint16_t first = selects ? mask : memory[0];
            chain.outputs.push_back(push(chain, loop.row, T, out, first, memory[1], memory[2]));
            chain.outputs.push_back(push(chain, loop.row, T, out, first, constant, memory[1]));
            if (rows()[loop.row].nin == 1) continue;
            const uint16_t value = chain.outputs.back();
            if (out == T && !selects) chain.outputs.push_back(push(chain, loop.row, T, out, value, value, constant));
        }
        for (const DType to : kTypes)
            if (can_emit_cast(T, to)) chain.outputs.push_back(push(chain, ChainNode::kCast, T, to, memory[0]));
        CHECK(chain.outputs.size() > 10);
        compare(chain);
    }
}

/// Numbers and bools that are kept in the frame, and operands without a register of their own.
void compare_long_chains(DType T) {
    Chain chain;
    std::vector<uint16_t> numbers, bools;
    for (int k = 0; k < 40; ++k) numbers.push_back(load(chain, T, k % 3 == 0));
    std::vector<uint16_t> sums;
    for (int k = 0; k < 39; ++k) {
        sums.push_back(push(chain, row::add, T, T, numbers[size_t(k)], numbers[size_t(k + 1)]));
        bools.push_back(push(chain, row::less, T, DType::bool_, sums.back(), numbers[size_t(k)]));
    }
    uint16_t total = sums[0], all = bools[0];
    for (size_t k = 1; k < sums.size(); ++k) {
        total = push(chain, row::multiply, T, T, total, sums[k]);
        all = push(chain, row::equal, DType::bool_, DType::bool_, all, bools[k]);
    }
    chain.outputs = {total, all};
    compare(chain);
}

/// Chains of which a pass computes two vectors, and four.
void compare_interleaved_chains(DType T) {
    for (const bool is_lean : {false, true}) {
        Chain chain;
        const uint16_t x = load(chain, T), y = load(chain, T), constant = load(chain, T, true);
        uint16_t value = x, kept[4] = {x, x, x, x};
        for (int k = 0; k < 80; ++k) {
            value = push(chain, k % 2 ? row::multiply : row::add, T, T, value, k % 3 ? y : constant);
            if (!is_lean) value = push(chain, row::add, T, T, value, std::exchange(kept[k % 4], value));
        }
        chain.outputs = {value, push(chain, row::less, T, DType::bool_, value, x)};
        compare(chain);
    }
}

}  // namespace

int main() {
    for (const InstructionSet set : {InstructionSet::Avx2, InstructionSet::Avx512}) {
        the_set = set;
        compare_rows();
        for (const DType T : {DType::float32, DType::float64, DType::int32, DType::int64}) {
            compare_long_chains(T);
            compare_interleaved_chains(T);
        }
    }
    for (const char* const name : {"vaddps", "vaddpd", "vpmullq", "vblendvpd", "vblendmpd", "kandw", "vcmplt_oqpd",
                                   "vpsrlvd", "prefetcht0", "vpmovzxbq", "jbe", "bzhi", "shr", "nop", "vcvttpd2udq"})
        CHECK(mnemonics.contains(name), "%s", name);
    std::printf("%zu different instructions\n", mnemonics.size());
}

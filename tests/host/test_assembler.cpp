// test_assembler.cpp -- every instruction that emitted loops use, in all its forms, as objdump reads it.
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include "core/check.h"
#include "host/emit/assembler.cpp"
#include "host/emit/instructions.h"

namespace {

using namespace cuarray::host::emit;

const char* const kGeneral[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

std::string name(Vector x, bool is_half) { return (is_half ? "xmm" : "ymm") + std::to_string(x.id); }

struct Address {
    VectorSource source;
    std::string text;
};

std::vector<Address> addresses() {
    std::vector<Address> all;
    for (int base = 0; base < 16; ++base)
        for (const int scale : {0, 1, 2, 4, 8})
            for (const int offset : {0, 32, -128, 4096}) {
                if (base == 1) continue;  // rcx counts
                std::ostringstream text;
                text << "[" << kGeneral[base];
                if (scale) text << "+rcx*" << scale;
                const bool needs_offset = !offset && base % 8 == 5;
                if (offset || needs_offset) text << (offset < 0 ? "-0x" : "+0x") << std::hex << std::abs(offset);
                text << "]";
                all.push_back({VectorSource::memory(General(base), uint8_t(scale), offset), text.str()});
            }
    return all;
}

struct Expected {
    std::string mnemonic, operands;
};

/// The instructions as "mnemonic operands", sizes of memory operands and comments removed.
std::vector<Expected> disassemble(const std::vector<uint8_t>& code, size_t bytes) {
    const std::string file = "/tmp/cuarray_assembler_" + std::to_string(getpid()) + ".bin";
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(code.data()), std::streamsize(bytes));
    FILE* const pipe = popen(("objdump -D -b binary -m i386:x86-64 -M intel --no-show-raw-insn " + file).c_str(), "r");
    CHECK(pipe);
    std::vector<Expected> all;
    char line[512];
    while (std::fgets(line, sizeof line, pipe)) {
        std::string text = line;
        const size_t tab = text.find(":\t");
        if (tab == std::string::npos) continue;
        text = text.substr(tab + 2, text.find_first_of("#\n") - tab - 2);
        for (const char* size : {"YMMWORD PTR ", "XMMWORD PTR ", "QWORD PTR ", "DWORD PTR "})
            if (const size_t at = text.find(size); at != std::string::npos) text.erase(at, std::string(size).size());
        const size_t space = text.find(' ');
        std::string operands = space == std::string::npos ? "" : text.substr(text.find_first_not_of(' ', space));
        while (!operands.empty() && operands.back() == ' ') operands.pop_back();
        all.push_back({text.substr(0, space), operands});
    }
    CHECK(pclose(pipe) == 0);
    std::remove(file.c_str());
    return all;
}

std::string hexadecimal(int x) {
    std::ostringstream text;
    text << "0x" << std::hex << x;
    return text.str();
}

/// objdump writes predicates of comparisons into the mnemonic: vcmpltps is vcmpps with 1.
bool is_same(const std::string& ours, const std::string& theirs) {
    return ours == theirs ||
           (ours.rfind("vcmpp", 0) == 0 && theirs.rfind("vcmp", 0) == 0 && theirs.back() == ours.back());
}

}  // namespace

int main() {
    Assembler a;
    std::vector<Expected> expected;
    const std::vector<Address> memory = addresses();
    size_t next = 0;
    const auto expect = [&](const char* mnemonic, const std::string& operands) {
        expected.push_back({mnemonic, operands});
    };
    const auto each = [&](auto&& form) {
        for (int x = 0; x < 16; ++x)
            for (int y = 0; y < 16; y += x % 3 + 1) {
                const Vector z{uint8_t((x * 7 + y * 5 + 3) % 16)};
                const Address& at = memory[next++ % memory.size()];
                form(Vector{uint8_t(x)}, Vector{uint8_t(y)}, VectorSource(z), [z](bool half) { return name(z, half); });
                form(Vector{uint8_t(x)}, Vector{uint8_t(y)}, at.source, [&](bool) { return at.text; });
            }
    };
    // Two sources.
    for (const Instruction& i :
         {kAddPs, kSubPs, kMulPs, kDivPs, kMinPs,   kMaxPs,  kAnd,          kAndNot,   kOr,       kXor,  kAddD,
          kAddQ,  kSubD,  kSubQ,  kMulD,  kMulWide, kEqualD, kEqualQ,       kGreaterD, kGreaterQ, kMinD, kMinU,
          kMaxD,  kMaxU,  kLeftD, kLeftQ, kRightD,  kRightQ, kSignedRightD, kPackD,    kPackW})
        each([&](Vector to, Vector from, VectorSource rm, auto text) {
            const bool half = next % 2;
            a.vector(i, to, from, rm, half);
            expect(i.name, name(to, half) + "," + name(from, half) + "," + text(half));
        });
    for (const Instruction& i : {kCmpPs, kShufflePs})
        each([&](Vector to, Vector from, VectorSource rm, auto text) {
            a.vector(i, to, from, rm, 0x1e, false);
            const std::string tail = i.name == kCmpPs.name ? "" : ",0x1e";
            expect(i.name, name(to, false) + "," + name(from, false) + "," + text(false) + tail);
        });
    for (const Instruction& i : {kBlendPs, kBlendPd})
        each([&](Vector to, Vector from, VectorSource rm, auto text) {
            a.vector(i, to, from, rm, uint8_t(to.id << 4), false);
            expect(i.name, name(to, false) + "," + name(from, false) + "," + text(false) + "," + name(to, false));
        });
    // One source.
    for (const Instruction& i : {kSqrtPs, kMove, kFloatD, kAbsD})
        each([&](Vector to, Vector, VectorSource rm, auto text) {
            a.unary(i, to, rm, true);
            expect(i.name, name(to, true) + "," + text(true));
        });
    for (const Instruction& i : {kWidenPs, kDoubleD, kSignExtendD, kZeroExtendD, kBytesToD, kBytesToQ})
        each([&](Vector to, Vector, VectorSource rm, auto text) {
            a.unary(i, to, rm);
            expect(i.name, name(to, false) + "," + text(true));
        });
    each([&](Vector to, Vector, VectorSource rm, auto text) {
        if (rm.kind != VectorSource::Kind::Register) return;
        a.unary(kNarrowPd, to, rm);
        expect(kNarrowPd.name, name(to, true) + "," + text(false));
    });
    for (const Instruction& i : {kRoundPs, kRoundPd})
        each([&](Vector to, Vector, VectorSource rm, auto text) {
            a.unary(i, to, rm, 9, false);
            expect(i.name, name(to, false) + "," + text(false) + ",0x9");
        });
    for (const Instruction* i : {&kShiftImmediateQ})
        each([&](Vector to, Vector from, VectorSource rm, auto) {
            if (rm.kind != VectorSource::Kind::Register) return;
            a.shift(*i, kLeftExtension, to, from, 32, false);
            expect("vpsllq", name(to, false) + "," + name(from, false) + ",0x20");
            a.shift(*i, kRightExtension, to, from, 32, false);
            expect("vpsrlq", name(to, false) + "," + name(from, false) + ",0x20");
        });
    // Stores.
    for (const Address& at : memory)
        for (int x = 0; x < 16; x += 5) {
            const Vector from{uint8_t(x)};
            a.store(kStore, at.source, from);
            expect(kStore.name, at.text + "," + name(from, false));
            a.store(kStoreD, at.source, from, true);
            expect(kStoreD.name, at.text + "," + name(from, true));
            a.store(kStoreQ, at.source, from, true);
            expect(kStoreQ.name, at.text + "," + name(from, true));
        }
    for (int x = 0; x < 16; ++x) {
        a.store(kUpper, VectorSource(Vector{uint8_t(15 - x)}), Vector{uint8_t(x)}, false, 1);
        expect(kUpper.name, name(Vector{uint8_t(15 - x)}, true) + "," + name(Vector{uint8_t(x)}, false) + ",0x1");
    }
    // General registers.
    for (int x = 0; x < 16; ++x) {
        const General one = General(x), two = General(15 - x);
        const std::string x1 = kGeneral[x], x2 = kGeneral[15 - x];
        a.move(one, two), expect("mov", x1 + "," + x2);
        a.move(one, uint64_t(0x1122334455667788)), expect("movabs", x1 + ",0x1122334455667788");
        a.clear(one), expect("xor", x1 + "," + x1);
        a.and_bits(one, 7), expect("and", x1 + ",0x7");
        a.add(one, 4096), expect("add", x1 + ",0x1000");
        a.compare(one, two), expect("cmp", x1 + "," + x2);
        if (x != 1) {
            a.load(two, one, 8), expect("mov", x2 + ",[" + x1 + "+0x8]");
            a.store(one, 512, two), expect("mov", "[" + x1 + "+0x200]," + x2);
        }
        a.jump_to(one), expect("jmp", x1);
        a.push(one), expect("push", x1);
        a.pop(one), expect("pop", x1);
    }
    a.zero_upper(), expect("vzeroupper", "");
    a.leave(), expect("ret", "");
    const int64_t place = a.jump_if_equal(), here = a.position();
    expect("je", hexadecimal(int(here)));
    a.land(place);
    a.jump_if_below(here);
    expect("jb", hexadecimal(int(here)));
    const size_t bytes = size_t(a.position());
    const std::vector<Expected> found = disassemble(a.finish(), bytes);
    size_t k = 0;
    for (const Expected& e : expected) {
        CHECK(k < found.size());
        const bool same = is_same(e.mnemonic, found[k].mnemonic) && e.operands == found[k].operands;
        CHECK(same, "instruction %zu: %s %s is read as %s %s", k, e.mnemonic.c_str(), e.operands.c_str(),
              found[k].mnemonic.c_str(), found[k].operands.c_str());
        ++k;
    }
    std::printf("%zu instructions\n", k);
}

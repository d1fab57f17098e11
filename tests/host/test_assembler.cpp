// test_assembler.cpp -- every instruction that emitted loops use, in all its forms, as objdump reads it; and the
// encoder's own listing of them.
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include "core/check.h"
#include "disassembly.h"
#include "host/emit/assembler.cpp"
#include "host/emit/instructions.h"
#include "host/emit/listing.cpp"

namespace {

using namespace cuarray::host::emit;
using cuarray::DType;

const char* const kGeneral[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

constexpr Form kZmm{Form::Zmm, true};

std::string name(Vector x, Form form) {
    if (x.id >= kFirstMask) return "k" + std::to_string(x.id - kFirstMask);
    return (form.length == Form::Xmm ? "xmm" : form.length == Form::Ymm ? "ymm" : "zmm") + std::to_string(x.id);
}
/// A destination: with its mask.
std::string masked(Vector x, Form form) {
    if (!form.mask) return name(x, form);
    return name(x, form) + "{k" + std::to_string(form.mask) + "}" + (form.zeroes ? "{z}" : "");
}
/// The upper vector of an instruction whose sources are half as long as its results.
Form half(Form form) {
    form.length = Form::VectorLength(form.length - 1);
    return form;
}

struct Address {
    VectorSource source;
    std::string text;
};

std::vector<Address> addresses() {
    std::vector<Address> all;
    for (int base = 0; base < 16; ++base)
        for (const int scale : {0, 1, 2, 4, 8})
            for (const int offset : {0, 32, -128, 4096, 8192, -8192, 192, -8}) {
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

std::string hexadecimal(int x) {
    std::ostringstream text;
    text << "0x" << std::hex << x;
    return text.str();
}

/// An instruction of the listing, as objdump writes it.
Expected listed(const Listing::Line& line) {
    const size_t space = line.text.find(' ');
    return {line.text.substr(0, space), space == std::string::npos ? "" : line.text.substr(space + 1)};
}

/// objdump writes predicates of comparisons into the mnemonic: vcmpltps is vcmpps with 1.
bool is_same(const std::string& ours, const std::string& theirs) {
    return ours == theirs ||
           (ours.rfind("vcmpp", 0) == 0 && theirs.rfind("vcmp", 0) == 0 && theirs.back() == ours.back());
}

std::vector<Expected> expected;
void expect(const std::string& mnemonic, const std::string& operands) { expected.push_back({mnemonic, operands}); }

/// An instruction in EVEX form with float32s or 32-bit integers, and its name with wider elements.
struct Pair {
    Instruction narrow;
    const char* wide;
};

/// Registers, memory and a broadcast element, lengths and masks in turn.
class EvexForms {
 public:
    EvexForms(Assembler& a, const std::vector<Address>& memory) : a_(a), memory_(memory) {}

    /// Calls form(to, from, source, text of the source, form); `unit` is the keyword of a broadcast, null if there is
    /// none.
    template <class Emit> void each(const char* unit, int registers_of_results, Emit&& emit) {
        for (int x = 0; x < 32; ++x)
            for (int y = x % 5; y < 32; y += 5) {
                const Vector z{uint8_t((x * 7 + y * 11 + 3) % 32)};
                const Vector to{uint8_t(registers_of_results == 8 ? kFirstMask + x % 8 : x)};
                const Address& at = memory_[next_++ * 7 % memory_.size()];
                Form form{Form::VectorLength(next_ % 3), true, uint8_t(next_ % 8), false};
                form.zeroes = form.mask && registers_of_results != 8 && next_ % 2;
                const Vector from{uint8_t(y)};
                emit(to, from, VectorSource(z), [z](Form f) { return name(z, f); }, form);
                emit(to, from, at.source, [&](Form) { return at.text; }, form);
                if (unit) emit(to, from, at.source.broadcast(), [&](Form) { return unit + at.text; }, form);
            }
    }

    void two_sources(const Instruction& i, const std::string& mnemonic) {
        each(unit(i), 32, [&](Vector to, Vector from, VectorSource rm, auto text, Form form) {
            a_.vector(i, to, from, rm, form);
            expect(mnemonic, masked(to, form) + "," + name(from, form) + "," + text(form));
        });
    }
    void comparisons(const Instruction& i, const char* mnemonic, uint8_t predicate) {
        each(unit(i), 8, [&](Vector to, Vector from, VectorSource rm, auto text, Form form) {
            a_.vector(i, to, from, rm, predicate, form);
            expect(mnemonic, masked(to, form) + "," + name(from, form) + "," + text(form));
        });
    }
    void one_source(const Instruction& i, const std::string& mnemonic, bool can_broadcast = true) {
        const bool is_half = i.memory == kHalfVector;
        each(can_broadcast ? unit(i) : nullptr, 32, [&](Vector to, Vector, VectorSource rm, auto text, Form form) {
            if (is_half && form.length == Form::Xmm) return;  // objdump names the half of xmm in its own way
            a_.unary(i, to, rm, form);
            expect(mnemonic, masked(to, form) + "," + text(is_half ? half(form) : form));
        });
    }
    /// From the whole vector to half of one.
    void narrowing(const Instruction& i) {
        each(nullptr, 32, [&](Vector to, Vector, VectorSource rm, auto text, Form form) {
            if (rm.kind != VectorSource::Kind::Register || form.length == Form::Xmm) return;
            a_.unary(i, to, rm, form);
            expect(i.name, masked(to, half(form)) + "," + text(form));
        });
    }
    void rounding(const Instruction& i, const char* mnemonic) {
        each(unit(i), 32, [&](Vector to, Vector, VectorSource rm, auto text, Form form) {
            a_.unary(i, to, rm, 9, form);
            expect(mnemonic, masked(to, form) + "," + text(form) + ",0x9");
        });
    }
    void stores(const Instruction& i, const std::string& mnemonic) {
        each(nullptr, 32, [&](Vector, Vector from, VectorSource rm, auto text, Form form) {
            if (rm.kind == VectorSource::Kind::Register) return;
            form.zeroes = false;
            a_.store(i, rm, from, form);
            const std::string mask = form.mask ? "{k" + std::to_string(form.mask) + "}" : "";
            expect(mnemonic, text(form) + mask + "," + name(from, form));
        });
    }

 private:
    static const char* unit(const Instruction& i) { return i.wide ? "QWORD BCST " : "DWORD BCST "; }

    Assembler& a_;
    const std::vector<Address>& memory_;
    size_t next_ = 0;
};

void expect_evex(Assembler& a, const std::vector<Address>& memory) {
    EvexForms forms(a, memory);
    constexpr DType wide = DType::float64;
    for (const Pair& p : {Pair{kAddPs, "vaddpd"},
                          {kSubPs, "vsubpd"},
                          {kMulPs, "vmulpd"},
                          {kDivPs, "vdivpd"},
                          {kMinPs, "vminpd"},
                          {kMaxPs, "vmaxpd"},
                          {kAnd, "vandpd"},
                          {kOr, "vorpd"},
                          {kXor, "vxorpd"},
                          {kMulD, "vpmullq"},
                          {kMinD, "vpminsq"},
                          {kMinU, "vpminuq"},
                          {kMaxD, "vpmaxsq"},
                          {kMaxU, "vpmaxuq"},
                          {kLeftD, "vpsllvq"},
                          {kRightD, "vpsrlvq"},
                          {kSignedRightD, "vpsravq"},
                          {kSelectPs, "vblendmpd"}}) {
        forms.two_sources(p.narrow, p.narrow.name);
        forms.two_sources(of(p.narrow, wide), p.wide);
    }
    for (const Instruction& i : {kAddD, kAddQ, kSubD, kSubQ, kLeftQ, kRightQ}) forms.two_sources(i, i.name);
    const std::pair<uint8_t, const char*> predicates[] = {
        {kEq, "eq"}, {kNotEqual, "neq"}, {kLess, "lt"}, {kLessEqual, "le"}, {kGreaterEqual, "nlt"}, {kGreater, "nle"}};
    for (const auto& [predicate, text] : predicates)
        for (const Pair& p : {Pair{kCompareD, "q"}, {kCompareU, "uq"}}) {
            const std::string narrow = p.wide == std::string("q") ? "d" : "ud", stem = std::string("vpcmp") + text;
            forms.comparisons(p.narrow, (stem + narrow).c_str(), predicate & 7);
            forms.comparisons(of(p.narrow, wide), (stem + p.wide).c_str(), predicate & 7);
        }
    forms.comparisons(kCmpPs, "vcmpgt_oqps", kGreater);
    forms.comparisons(of(kCmpPs, wide), "vcmple_oqpd", kLessEqual);
    for (const Pair& p : {Pair{kSqrtPs, "vsqrtpd"}}) {
        forms.one_source(p.narrow, p.narrow.name);
        forms.one_source(of(p.narrow, wide), p.wide);
    }
    for (const Instruction& i : {kAbsD, kAbsQ, kWidenPs, kFloatD, kDoubleD, kFloatUnsignedD, kDoubleUnsignedD, kDoubleQ,
                                 kDoubleUnsignedQ, kTruncatePsToD, kTruncatePsToUnsignedD, kTruncatePsToQ,
                                 kTruncatePsToUnsignedQ, kTruncatePdToQ, kTruncatePdToUnsignedQ})
        forms.one_source(i, i.name);
    for (const Instruction& i : {kMove, kMoveBytes, kSignExtendD, kZeroExtendD}) forms.one_source(i, i.name, false);
    forms.one_source(of(kMove, wide), "vmovupd", false);
    for (const Instruction& i : {kNarrowPd, kFloatQ, kFloatUnsignedQ, kTruncatePdToD, kTruncatePdToUnsignedD})
        forms.narrowing(i);
    forms.rounding(kRoundPs, "vrndscaleps");
    forms.rounding(kRoundPd, "vrndscalepd");
    forms.stores(kStore, kStore.name);
    forms.stores(of(kStore, wide), "vmovupd");
    forms.stores(kStoreBytes, kStoreBytes.name);
    forms.each(nullptr, 8, [&](Vector to, Vector from, VectorSource rm, auto text, Form form) {
        a.vector(kTestBytes, to, from, rm, form);
        expect(kTestBytes.name, masked(to, form) + "," + name(from, form) + "," + text(form));
    });
    forms.each(nullptr, 32, [&](Vector to, Vector from, VectorSource rm, auto text, Form form) {
        if (rm.kind == VectorSource::Kind::Register) {
            if (form.length == Form::Xmm) return;
            a.store(kNarrowQ, rm, from, form);
            expect(kNarrowQ.name,
                   text(half(form)) + masked(to, form).substr(name(to, form).size()) + "," + name(from, form));
        } else if (form.length != Form::Xmm) {
            a.unary(kBroadcastD, to, rm, form);
            expect(kBroadcastD.name, masked(to, form) + "," + text(form));
            a.unary(kBroadcastQ, to, rm, form);
            expect(kBroadcastQ.name, masked(to, form) + "," + text(form));
        }
    });
    // Masks.
    for (int x = 0; x < 8; ++x) {
        const Vector to{uint8_t(kFirstMask + x)}, from{uint8_t(kFirstMask + (x + 3) % 8)},
            last{uint8_t(kFirstMask + 7 - x)};
        for (const Instruction& i : {kMaskAnd, kMaskAndNot, kMaskOr, kMaskXor}) {
            a.vector(i, to, from, last, kYmm);
            expect(i.name, name(to, kYmm) + "," + name(from, kYmm) + "," + name(last, kYmm));
        }
        a.unary(kMaskNot, to, last, kXmm), expect(kMaskNot.name, name(to, kXmm) + "," + name(last, kXmm));
        a.move_to_mask(to, General(2 * x));
        expect("kmovw", name(to, kXmm) + "," +
                            (x < 4 ? "e" + std::string(kGeneral[2 * x] + 1) : kGeneral[2 * x] + std::string("d")));
        for (const Address& at : memory) {
            a.unary(kMaskLoad, to, at.source, kXmm), expect("kmovw", name(to, kXmm) + "," + at.text);
            a.store(kMaskStore, at.source, to, kXmm), expect("kmovw", at.text + "," + name(to, kXmm));
        }
    }
}

}  // namespace

int main() {
    Assembler a(true);
    const std::vector<Address> memory = addresses();
    size_t next = 0;
    const auto each = [&](auto&& form) {
        for (int x = 0; x < 16; ++x)
            for (int y = 0; y < 16; y += x % 3 + 1) {
                const Vector z{uint8_t((x * 7 + y * 5 + 3) % 16)};
                const Address& at = memory[next++ % memory.size()];
                form(Vector{uint8_t(x)}, Vector{uint8_t(y)}, VectorSource(z), [z](Form form) { return name(z, form); });
                form(Vector{uint8_t(x)}, Vector{uint8_t(y)}, at.source, [&](Form) { return at.text; });
            }
    };
    // Two sources.
    for (const Instruction& i :
         {kAddPs, kSubPs, kMulPs, kDivPs, kMinPs,   kMaxPs,  kAnd,    kOr,           kXor,      kAddD,
          kAddQ,  kSubD,  kSubQ,  kMulD,  kMulWide, kEqualD, kEqualQ, kGreaterD,     kGreaterQ, kMinD,
          kMinU,  kMaxD,  kMaxU,  kLeftD, kLeftQ,   kRightD, kRightQ, kSignedRightD, kPackD,    kPackW})
        each([&](Vector to, Vector from, VectorSource rm, auto text) {
            const Form form = next % 2 ? kXmm : kYmm;
            a.vector(i, to, from, rm, form);
            expect(i.name, name(to, form) + "," + name(from, form) + "," + text(form));
        });
    for (const Instruction& i : {kCmpPs, kShufflePs})
        each([&](Vector to, Vector from, VectorSource rm, auto text) {
            a.vector(i, to, from, rm, 0x1e, kYmm);
            const std::string tail = i.name == kCmpPs.name ? "" : ",0x1e";
            expect(i.name, name(to, kYmm) + "," + name(from, kYmm) + "," + text(kYmm) + tail);
        });
    for (const Instruction& i : {kBlendPs, kBlendPd})
        each([&](Vector to, Vector from, VectorSource rm, auto text) {
            a.vector(i, to, from, rm, uint8_t(to.id << 4), kYmm);
            expect(i.name, name(to, kYmm) + "," + name(from, kYmm) + "," + text(kYmm) + "," + name(to, kYmm));
        });
    // One source.
    for (const Instruction& i : {kSqrtPs, kMove, kFloatD, kAbsD})
        each([&](Vector to, Vector, VectorSource rm, auto text) {
            a.unary(i, to, rm, kXmm);
            expect(i.name, name(to, kXmm) + "," + text(kXmm));
        });
    for (const Instruction& i : {kWidenPs, kDoubleD, kSignExtendD, kZeroExtendD, kBytesToD, kBytesToQ})
        each([&](Vector to, Vector, VectorSource rm, auto text) {
            a.unary(i, to, rm, kYmm);
            expect(i.name, name(to, kYmm) + "," + text(kXmm));
        });
    each([&](Vector to, Vector, VectorSource rm, auto text) {
        if (rm.kind != VectorSource::Kind::Register) return;
        a.unary(kNarrowPd, to, rm, kYmm);
        expect(kNarrowPd.name, name(to, kXmm) + "," + text(kYmm));
    });
    for (const Instruction& i : {kRoundPs, kRoundPd})
        each([&](Vector to, Vector, VectorSource rm, auto text) {
            a.unary(i, to, rm, 9, kYmm);
            expect(i.name, name(to, kYmm) + "," + text(kYmm) + ",0x9");
        });
    for (const Instruction* i : {&kShiftImmediateQ})
        each([&](Vector to, Vector from, VectorSource rm, auto) {
            if (rm.kind != VectorSource::Kind::Register) return;
            a.shift(*i, kLeftExtension, to, from, 32, kYmm);
            expect("vpsllq", name(to, kYmm) + "," + name(from, kYmm) + ",0x20");
            a.shift(*i, kRightExtension, to, from, 32, kYmm);
            expect("vpsrlq", name(to, kYmm) + "," + name(from, kYmm) + ",0x20");
        });
    for (const Address& at : memory) a.prefetch(at.source), expect("prefetcht0", at.text);
    // Stores.
    for (const Address& at : memory)
        for (int x = 0; x < 16; x += 5) {
            const Vector from{uint8_t(x)};
            a.store(kStore, at.source, from, kYmm);
            expect(kStore.name, at.text + "," + name(from, kYmm));
            a.store(kStoreD, at.source, from, kXmm);
            expect(kStoreD.name, at.text + "," + name(from, kXmm));
            a.store(kStoreQ, at.source, from, kXmm);
            expect(kStoreQ.name, at.text + "," + name(from, kXmm));
        }
    for (int x = 0; x < 16; ++x) {
        a.store(kUpper, VectorSource(Vector{uint8_t(15 - x)}), Vector{uint8_t(x)}, kYmm, 1);
        expect(kUpper.name, name(Vector{uint8_t(15 - x)}, kXmm) + "," + name(Vector{uint8_t(x)}, kYmm) + ",0x1");
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
        a.subtract(one, two), expect("sub", x1 + "," + x2);
        a.keep_low_bits(one, two), expect("bzhi", x1 + "," + x1 + "," + x2);
        a.shift_right(one, 16), expect("shr", x1 + ",0x10");
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
    a.jump(here);
    expect("jmp", hexadecimal(int(here)));
    const int64_t last = a.jump_if_not_above();
    a.land(last);
    expect("jbe", hexadecimal(int(a.position())));
    expect_evex(a, memory);
    const size_t bytes = size_t(a.position());
    const std::vector<Expected> found = disassemble(a.finish(), bytes);
    size_t k = 0;
    for (const Expected& e : expected) {
        CHECK(k < found.size());
        const bool same = is_same(e.mnemonic, found[k].mnemonic) && e.operands == found[k].operands;
        CHECK(same, "instruction %zu: %s %s is read as %s %s", k, e.mnemonic.c_str(), e.operands.c_str(),
              found[k].mnemonic.c_str(), found[k].operands.c_str());
        const Expected ours = listed(a.listing().lines()[k]);
        CHECK(ours.mnemonic == found[k].mnemonic && ours.operands == found[k].operands,
              "instruction %zu is listed as %s %s and read as %s %s", k, ours.mnemonic.c_str(), ours.operands.c_str(),
              found[k].mnemonic.c_str(), found[k].operands.c_str());
        ++k;
    }
    std::printf("%zu instructions\n", k);
}

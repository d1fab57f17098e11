"""Plant a bug in what joins loops to machine code, and check that a test fails; options as of tests/mutants.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from planted import Mutant, main

TESTS = "tests/test_cpp.py -k test_chain"
PENDING = "src/array/pending.cpp"
LOWERING, CHAIN, ASSEMBLER, CACHE, JOIN = (
    f"src/host/{name}.cpp"
    for name in ("emit/lowering", "emit/chain", "emit/assembler", "emit/code_cache", "join_steps")
)
INSTRUCTIONS = "src/host/emit/instructions.h"


def bug(name, file, old, new, tests=TESTS):
    return Mutant(name, file, old, new, tests)


def waits(name, old, new, test):
    """A bug in what is deferred outside of fuse."""
    return bug(name, PENDING, old, new, f"tests/python/test_deferral.py -k {test}")


MUTANTS = [
    bug("predicates-of-less-and-less-equal", INSTRUCTIONS, "kLess = 0x11, kLessEqual = 0x12", "kLess = 0x12, kLessEqual = 0x12"),
    bug("unequal-is-ordered", INSTRUCTIONS, "kNotEqual = 0x04", "kNotEqual = 0x0c"),
    bug("maximum-forgets-nan", LOWERING, "return blend(t, to, t0, x, t1);", "return copy(to, t0);"),
    bug("maximum-of-equals-takes-the-first", LOWERING, "? kMaxPs : kMinPs, t), t0, x, y, half);", "? kMaxPs : kMinPs, t), t0, y, x, half);"),
    bug("clip-forgets-nan", LOWERING, "compare(t, kUnordered, t1, t2, t2);", "compare(t, kLess, t1, t2, t2);"),
    bug("fmax-forgets-nan", LOWERING, "compare(t, kUnordered, t1, y, y);", "compare(t, kLess, t1, y, y);"),
    bug("rint-rounds-down", INSTRUCTIONS, "kNearest = 4", "kNearest = 9"),
    bug("zeros-keep-no-sign", LOWERING, "code_.vector(kAnd, t1, y, sign_bit(t), half);", "code_.vector(kXor, t1, t1, t1);"),
    bug("where-takes-the-other", LOWERING, "return blend(t, to, z, y, mask_for(t, x, t0));", "return blend(t, to, y, z, mask_for(t, x, t0));"),
    bug("products-of-64-bits-lose-a-part", LOWERING, "code_.vector(kMulWide, t1, t1, x);", "code_.vector(kMulWide, t1, t1, y);"),
    bug("unsigned-is-compared-as-signed", LOWERING, "if (!is_unsigned(t)) return code_.vector(i, to, x, y, is_half(t));", "return code_.vector(i, to, x, y, is_half(t));"),
    bug("bools-are-bytes-of-any-value", LOWERING, "code_.vector(lanes_ == 4 ? kGreaterQ : kGreaterD, to, to, zero());", "code_.shift(kShiftImmediateQ, kLeftExtension, to, to, 63, false);"),
    bug("bools-are-stored-as-masks", LOWERING, "code_.vector(kAnd, t0, t0, VectorSource::pool(code_.constant(0x01010101, 4)), true);", ""),
    bug("uint32-widens-with-its-sign", LOWERING, "is_unsigned(from) ? kZeroExtendD : kSignExtendD", "is_unsigned(from) ? kSignExtendD : kSignExtendD"),
    bug("the-lower-lanes-twice", LOWERING, "code_.vector(kShufflePs, to, from, upper, 0x88, true);", "code_.vector(kShufflePs, to, from, from, 0x88, true);"),
    bug("a-spilled-value-is-another", LOWERING, "return VectorSource::memory(General::rsp, 0, 32 * (place + 1));", "return VectorSource::memory(General::rsp, 0, 32 * (place / 2 + 1));"),
    bug("a-spill-is-reused-early", LOWERING, "if (place(v).spill != kNobody) free_spills_.push_back(place(v).spill);\n        place(v).reg = place(v).spill = kNobody;", "place(v).reg = place(v).spill = kNobody;\n        for (int k = 0; k < spills_; ++k) free_spills_.push_back(k);"),
    bug("a-frame-too-small", LOWERING, "code_.patch(frame_, int32_t(-32 * (spills_ + 1)));", "code_.patch(frame_, 0);"),
    bug("registers-of-the-caller-are-lost", LOWERING, "for (int k = kFreePointers; k < pointers; ++k) code_.push(kPointers[k]);", "for (int k = kFreePointers; k < pointers; ++k) code_.push(General::rax);"),
    bug("the-tenth-operand-is-the-ninth", LOWERING, "if (operand < kPointerCount) return kPointers[operand];", "if (operand <= kPointerCount) return kPointers[std::min(operand, 8)];"),
    bug("no-tail", LOWERING, "code_.and_bits(General::rax, lanes_ - 1);", "code_.clear(General::rax);"),
    bug("the-tail-begins-late", CHAIN, "const int64_t rest = n & (code->lanes_ - 1), begin = n - rest;", "const int64_t rest = n & (code->lanes_ - 1), begin = n - rest + 1;"),
    bug("the-tail-is-a-whole-vector", CHAIN, "std::memcpy(static_cast<char*>(out[k]) + begin * size, to[k], size_t(rest * size));", "std::memcpy(static_cast<char*>(out[k]) + begin * size, to[k], size_t(code->lanes_ * size));"),
    bug("high-registers-are-low-ones", ASSEMBLER, "put(uint8_t((!high(reg)) << 7 | 1 << 6 | (!base) << 5 | i.map));", "put(uint8_t(1 << 7 | 1 << 6 | (!base) << 5 | i.map));"),
    bug("constants-behind-an-immediate", ASSEMBLER, "(r.place + 4 + r.behind)", "(r.place + 4)"),
    bug("keys-without-their-outputs", CACHE, "    append(chain.outputs);\n", ""),
    bug("values-that-others-read-are-not-stored", JOIN, "if (last_read_[k] < int(end)) continue;", "if (last_read_[k] < kEnd) continue;"),
    bug("a-mask-is-not-stored", JOIN, "        read(p_.mask, kEnd);\n", ""),
    bug("a-slot-keeps-its-first-value", JOIN, "return node_of_[outs(step)[0]] = push(node);", "const uint16_t made = push(node);\n        uint16_t& place = node_of_[outs(step)[0]];\n        return place == kNoNode ? place = made : made;"),
    waits("eager-is-forgotten", "if (elements < deferred_from || graph->eager || are", "if (elements < deferred_from || are", "what_waits"),
    waits("threads-wait-side-by-side", "    are_several = true;\n    return false;", "    return true;", "side_by_side"),
    waits("memory-is-kept-without-limit", "kept_bytes(*graph) > kMostKeptBytes) settle_all();", "false) settle_all();", "keeps_alive"),
    waits("long-work-keeps-the-interpreter", "if (node.graph && count(node.shape) >= kAutomaticallyFrom) {", "if (false) {", "other_threads_run"),
    waits("operands-of-another-dtype-run-alone", "if (source.dtype != loop.in[i]) return false;", "", "single_steps"),
]  # fmt: skip

if __name__ == "__main__":
    sys.exit(main("host", MUTANTS, __doc__))

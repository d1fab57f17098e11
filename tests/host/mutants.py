"""Plant a bug in what joins loops to machine code, and check that a test fails; options as of tests/mutants.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from planted import Mutant, main

TESTS = "tests/test_cpp.py -k test_chain"
GRAPH, PLAN, SETTLING, DEFERRAL, EXPLAIN, REHEARSAL = (
    f"src/array/{name}.cpp"
    for name in ("pending_graph", "pending_plan", "settling", "deferral", "explain", "rehearsal")
)
MACHINE = "src/host/machine.cpp"
LOWERING, CHAIN, ASSEMBLER, LISTING, CACHE, JOIN = (
    f"src/host/{name}.cpp"
    for name in ("emit/lowering", "emit/chain", "emit/assembler", "emit/listing", "emit/code_cache", "join_steps")
)
INSTRUCTIONS, AVX2, SET = (f"src/host/emit/{name}.h" for name in ("instructions", "avx2", "avx512"))


def bug(name, file, old, new, tests=TESTS):
    return Mutant(name, file, old, new, tests)


def avx512(name, file, old, new):
    """A bug in the code for AVX-512, which tests find where the processor has it."""
    return bug(f"avx512-{name}", file, old, new)._replace(needs="avx512f")


def encoding(name, old, new):
    """A bug in the EVEX forms."""
    return bug(f"evex-{name}", ASSEMBLER, old, new, "tests/test_cpp.py -k test_assembler")


def waits(name, file, old, new, test):
    """A bug in what is deferred outside of fuse."""
    return bug(name, file, old, new, f"tests/python/test_deferral.py -k {test}")


def explains(name, file, old, new):
    """A bug in the plans that explain() shows."""
    return bug(f"explain-{name}", file, old, new, "tests/python/test_explain.py")


def listing(name, file, old, new):
    """A bug in the text of instructions."""
    return bug(f"listing-{name}", file, old, new, "tests/test_cpp.py -k 'test_listing or test_assembler'")


MUTANTS = [
    bug("predicates-of-less-and-less-equal", INSTRUCTIONS, "kLess = 0x11, kLessEqual = 0x12", "kLess = 0x12, kLessEqual = 0x12"),
    bug("unequal-is-ordered", INSTRUCTIONS, "kNotEqual = 0x04", "kNotEqual = 0x0c"),
    bug("maximum-forgets-nan", LOWERING, "return set_.blend(t, to, t0, x, m1);", "return set_.copy(to, t0);"),
    bug("maximum-of-equals-takes-the-first", LOWERING, "kMaxPs : kMinPs, t, t0, x, y);", "kMaxPs : kMinPs, t, t0, y, x);"),
    bug("clip-forgets-nan", LOWERING, "set_.compare(t, kUnordered, m1, t2, t2);", "set_.compare(t, kLess, m1, t2, t2);"),
    bug("fmax-forgets-nan", LOWERING, "set_.compare(t, kUnordered, m1, y, y);", "set_.compare(t, kLess, m1, y, y);"),
    bug("rint-rounds-down", INSTRUCTIONS, "kNearest = 4", "kNearest = 9"),
    bug("zeros-keep-no-sign", LOWERING, "set_.apply(kAnd, t, t1, y, sign_bit(t));", "set_.apply(kXor, t, t1, t1, t1);"),
    bug("where-takes-the-other", LOWERING, "return set_.blend(t, to, z, y, set_", "return set_.blend(t, to, y, z, set_"),
    bug("products-of-64-bits-lose-a-part", AVX2, "code_.vector(kMulWide, t1, t1, x, kYmm);", "code_.vector(kMulWide, t1, t1, y, kYmm);"),
    bug("unsigned-is-compared-as-signed", AVX2, "if (!is_unsigned(t)) return code_.vector(i, to, x, y, form(t));", "return code_.vector(i, to, x, y, form(t));"),
    bug("bools-are-bytes-of-any-value", AVX2, "code_.vector(has_wide_ ? kGreaterQ : kGreaterD, to, to, zero(), kYmm);", "code_.shift(kShiftImmediateQ, kLeftExtension, to, to, 63, kYmm);"),
    bug("bools-are-stored-as-masks", AVX2, "code_.vector(kAnd, t0, t0, VectorSource::pool(code_.constant(0x01010101, 4)), kXmm);", ""),
    bug("uint32-widens-with-its-sign", AVX2, "is_unsigned(from) ? kZeroExtendD : kSignExtendD", "is_unsigned(from) ? kSignExtendD : kSignExtendD"),
    bug("the-lower-lanes-twice", AVX2, "code_.vector(kShufflePs, to, from, upper, 0x88, kXmm);", "code_.vector(kShufflePs, to, from, from, 0x88, kXmm);"),
    bug("a-spilled-value-is-another", LOWERING, "General::rsp, 0, Set::kBytes * (place + 1));", "General::rsp, 0, Set::kBytes * (place / 2 + 1));"),
    bug("a-spill-is-reused-early", LOWERING, "if (place(v).spill != kNobody) free_spills_.push_back(place(v).spill);\n        place(v).reg = place(v).spill = kNobody;", "place(v).reg = place(v).spill = kNobody;\n        for (int k = 0; k < spills_; ++k) free_spills_.push_back(k);"),
    bug("a-frame-too-small", LOWERING, "code_.patch(frame_, int32_t(-Set::kBytes * (spills_ + 1)));", "code_.patch(frame_, 0);"),
    bug("registers-of-the-caller-are-lost", LOWERING, "for (int k = kFreePointers; k < pointers; ++k) code_.push(kPointers[k]);", "for (int k = kFreePointers; k < pointers; ++k) code_.push(General::rax);"),
    bug("the-tenth-operand-is-the-ninth", LOWERING, "if (operand + has_table_ < kPointerCount) return kPointers[operand + has_table_];", "if (operand + has_table_ <= kPointerCount) return kPointers[std::min(operand + has_table_, 8)];"),
    bug("no-tail", LOWERING, "code_.and_bits(General::rax, lanes_ - 1);", "code_.clear(General::rax);"),
    bug("the-last-pass-runs-in-place", LOWERING, "                code_.compare(pointer(out), pointer(in));\n                in_place.push_back(code_.jump_if_equal());\n", ""),
    bug("the-last-pass-looks-at-one-output", LOWERING, "for (int out = chain_.inputs; out < chain_.inputs + outputs; ++out)", "for (int out = chain_.inputs; out < chain_.inputs + 1; ++out)"),
    bug("the-tail-begins-late", CHAIN, "const int64_t rest = n & (code->lanes_ - 1), begin = n - rest;", "const int64_t rest = n & (code->lanes_ - 1), begin = n - rest + 1;"),
    bug("the-tail-is-a-whole-vector", CHAIN, "std::memcpy(static_cast<char*>(out[k]) + begin * size, to[k], size_t(rest * size));", "std::memcpy(static_cast<char*>(out[k]) + begin * size, to[k], size_t(code->lanes_ * size));"),
    bug("high-registers-are-low-ones", ASSEMBLER, "put(uint8_t((!high(reg)) << 7 | 1 << 6 | (!base) << 5 | i.map));", "put(uint8_t(1 << 7 | 1 << 6 | (!base) << 5 | i.map));"),
    avx512("no-masked-tail", LOWERING, "if constexpr (Set::kHasMaskedTail) run_masked_tail();", ""),
    avx512("the-masked-tail-lacks-a-lane", LOWERING, "const int64_t none = code_.jump_if_not_above();", "const int64_t none = code_.jump_if_not_above();\n        code_.add(General::rdx, -1);"),
    avx512("a-whole-vector-lacks-a-lane", LOWERING, "(uint64_t(1) << (before + lanes)) - 1);", "(uint64_t(1) << (before + lanes - 1)) - 1);"),
    avx512("vectors-of-a-pass-have-one-tail", LOWERING, "        if (before) code_.shift_right(General::rax, uint8_t(before));\n", ""),
    avx512("loads-take-the-tail-of-another-vector", LOWERING, "            set_.select_vector(vector_of(v));\n            if (!node(v).is_load())", "            if (!node(v).is_load())"),
    avx512("sources-in-memory-take-the-tail-of-another-vector", LOWERING, "        set_.select_vector(vector_of(at));\n", ""),
    bug("vectors-of-a-pass-are-four-bytes-wide", LOWERING, "* (lanes_ / vectors_) * item + distance", "* (lanes_ / vectors_) * 4 + distance"),
    bug("short-rows-lie-one-behind-the-other", MACHINE, "slots_[k] += plan_.operands[size_t(k)].strides[last - 1];", "slots_[k] += n * plan_.operands[size_t(k)].item();"),
    bug("the-last-pass-has-room-for-one-vector", CHAIN, "[Avx2::kMostVectors * Avx2::kBytes]", "[Avx2::kBytes]"),
    bug("a-place-is-written-before-it-is-read", LOWERING, "for (int k = 0; k < needed; ++k) forget_use(values[k], at);", "for (int k = 0; k < ins; ++k) forget_use(values[k], at);"),
    bug("constants-overlap", LOWERING, "n.source[0] * Set::kConstantBytes", "n.source[0] * 4"),
    bug("the-table-is-the-first-input", LOWERING, "General::rdi, 8 * chain_.inputs);", "General::rdi, 0);"),
    bug("the-last-pass-copies-the-table", CHAIN, "from[k] = size ? room[k] : in[k];", "from[k] = room[k];"),
    bug("constants-of-loops-are-dropped", JOIN, "            return c.slot == kNoSlot;", "            return true;"),
    bug("one-item-of-each-constant", MACHINE, "fill(to, c, bytes >> c.log_size), to += bytes;", "fill(to, c, 1), to += bytes;"),
    bug("outputs-of-another-vector", LOWERING, "put(k / vectors_, outputs_", "put(k % int(chain_.outputs.size()), outputs_"),
    avx512("stores-are-not-masked", SET, "target, x, tail(length(t), false));", "target, x, whole(t));"),
    avx512("bools-are-stored-beyond-the-tail", SET, "code_.store(kStoreBytes, target, t0, tail(Form::Xmm, false));", "code_.store(kStoreBytes, target, t0, Form{Form::Xmm, true});"),
    avx512("lanes-are-masked-by-four-bytes", SET, "code_.store(of(kStore, t), target,", "code_.store(kStore, target,"),
    avx512("the-tail-s-mask-is-used-for-bools", SET, "kBools{kFirstMask + 1, kFirstMask + 4};", "kBools{kFirstMask + 1, kFirstMask + 5};"),
    avx512("a-temporary-is-a-value-s-register", SET, "kNumbers{0, 29}", "kNumbers{0, 30}"),
    avx512("spilled-bools-are-vectors", SET, "if (is_bool(t)) return code_.unary(kMaskLoad, to, from, kXmm);", "if (is_bool(t)) return code_.vector(kMaskXor, to, to, to, kYmm);"),
    avx512("constants-of-four-bytes-for-eight", SET, "is_single(from)) return code_.unary(is_wide(t) ? kBroadcastQ : kBroadcastD", "is_single(from)) return code_.unary(is_wide(t) ? kBroadcastD : kBroadcastD"),
    avx512("unsigned-integers-are-compared-as-signed", SET, "is_unsigned(t) ? kCompareU : kCompareD", "is_unsigned(t) ? kCompareD : kCompareD"),
    avx512("unsigned-extremes-are-signed", SET, "(is_unsigned(t) ? kMaxU : kMaxD)", "(is_unsigned(t) ? kMaxD : kMaxD)"),
    avx512("where-of-bools-takes-the-other", SET, "code_.vector(kMaskAndNot, m0, mask, x, kYmm);", "code_.vector(kMaskAnd, m0, mask, x, kYmm);"),
    avx512("true-is-stored-in-all-lanes", SET, "Form{Form::Xmm, true, number(x), true});", "Form{Form::Xmm, true, 0, false});"),
    avx512("infinity-is-the-lowest-integer", SET, "blend(to_type, t0, t0, most, m0);", ""),
    avx512("nan-is-the-lowest-integer", SET, "blend(to_type, to, t0, zero, m1);", "copy(to, t0);"),
    avx512("nan-is-the-highest-unsigned-integer", SET, "apply(kMaxPs, from, t0, x, zero);", "copy(t0, x);"),
    avx512("unsigned-becomes-float-as-signed", SET, "return is_double ? kDoubleUnsignedD : kFloatUnsignedD;", "return is_double ? kDoubleD : kFloatD;"),
    avx512("sums-are-in-half-vectors", SET, "return has_wide_ && !is_wide(t) ? Form::Ymm : Form::Zmm;", "return Form::Ymm;"),
    encoding("short-offsets-count-bytes", "return operand(reg, rm, bytes_behind, unit_of(i, rm, form));", "return operand(reg, rm, bytes_behind);"),
    encoding("short-offsets-of-broadcasts-count-vectors", "if (rm.is_broadcast || i.memory", "if (i.memory"),
    encoding("half-vectors-are-whole-ones", "(i.memory == Instruction::MemoryExtent::HalfVector ? 8 : 16)", "16"),
    encoding("the-upper-sixteen-registers-are-the-lower", "(!highest(from1)) << 3", "1 << 3"),
    encoding("sources-have-no-fifth-bit", "upper = is_register ? highest(rm.id) : 0;", "upper = is_register ? high(rm.id) : 0;"),
    encoding("masks-merge", "put(uint8_t(form.zeroes << 7 |", "put(uint8_t("),
    bug("constants-behind-an-immediate", ASSEMBLER, "(r.place + 4 + r.behind)", "(r.place + 4)"),
    bug("keys-without-their-outputs", CACHE, "    append(chain.outputs);\n", ""),
    bug("values-that-others-read-are-not-stored", JOIN, "if (last_read_[k] < int(end)) continue;", "if (last_read_[k] < kEnd) continue;"),
    bug("a-mask-is-not-stored", JOIN, "        read(p_.mask, kEnd);\n", ""),
    bug("a-slot-keeps-its-first-value", JOIN, "return node_of_[outs(step)[0]] = push(node);", "const uint16_t made = push(node);\n        uint16_t& place = node_of_[outs(step)[0]];\n        return place == kNoNode ? place = made : made;"),
    bug("rows-go-on-behind-their-plane", MACHINE, "++at[last - 1] == s.shape[last - 1]", "(++at[last - 1], false)", "tests/python/test_strided_loops.py -k rows_of"),
    bug("outputs-stay-in-their-first-row", MACHINE, "strides[last - 1];\n            for", "strides[last - 1] * (k < program_.inputs);\n            for", "tests/python/test_strided_loops.py -k rows_of"),
    waits("eager-is-forgotten", DEFERRAL, "    if (own.eager) return AtCall::Eager;\n", "", "what_waits"),
    waits("threads-wait-side-by-side", DEFERRAL, "    if (registers) are_several = true;\n    return false;", "    return true;", "side_by_side"),
    waits("memory-is-kept-without-limit", GRAPH, "if (kept > most) return true;", "", "keeps_alive"),
    waits("memory-is-kept-as-for-small-arrays", GRAPH, "std::clamp(result_bytes, kFewKeptBytes, kMostKeptBytes)", "kMostKeptBytes", "keeps_alive"),
    waits("dying-memory-is-not-reused", PLAN, "if (storage->references() == known) return storage;", "", "operands_that_die"),
    waits("memory-that-others-read-is-reused", PLAN, "if (storage->references() == known) return storage;", "return storage;", "operands_that_die"),
    waits("exported-memory-is-reused", PLAN, "storage->read_only || storage->last_export() ||", "storage->read_only ||", "operands_that_die"),
    waits("memory-is-reused-in-another-order", PLAN, " || operand.strides != node.strides", "", "operands_that_die"),
    waits("a-part-s-memory-is-reused", PLAN, "storage->bytes != bytes || ", "", "operands_that_die"),
    waits("long-work-keeps-the-interpreter", SETTLING, "if (node.graph && count(node.shape) * int64_t(node.graph->nodes.size()) >= kUnlockedFrom) {", "if (false) {", "other_threads_run"),
    waits("recording-keeps-the-interpreter", GRAPH, "is_full(g, operation)) settle_unlocked();", "is_full(g, operation)) settle_all();", "other_threads_run"),
    waits("graphs-read-without-end", GRAPH, "    if (g.inputs > kMostInputs) return true;\n", "", "planned_many"),
    waits("graphs-of-names-without-end", GRAPH, "is_named) > kMostNamed;", "is_named) > 100;", "planned_many"),
    waits("values-that-are-named-are-not-counted", PLAN, "    for (const Ref<PendingNode>& node : wanted) last[size_t(node->position)] = plan.size();\n", "", "graph_that_no_run"),
    waits("both-outputs-of-a-row-in-two-runs", PLAN, "const bool is_whole = i + 1 == plan.size() || plan[i + 1]->op != ExprNode::Op::Second;", "const bool is_whole = true;", "graph_that_no_run"),
    waits("all-numbers-are-equal", PLAN, "return expr_.scalars[a.index] == expr_.scalars[b.index];", "return true;", "values_are_those_of_single_steps"),
    explains("equal-ones-are-done-twice", PLAN, "if (!is_same(expr_.nodes[found], node)) continue;", "if (found != value) continue;"),
    waits("a-run-stops-at-64-operations", "src/array/pending_graph.h", "kHostLimits{4096, 14", "kHostLimits{64, 14", "one_run"),
    waits("what-follows-a-run-is-assigned-unfinished", SETTLING, "        if (!planned.is_whole) {\n            planned.run(g, nullptr);\n            bury(dying);\n            continue;\n        }\n", "", "graph_that_no_run"),
    waits("named-functions-are-repeated", SETTLING, "if (std::any_of(plan.begin(), plan.end(), is_costly)) settle(*node);", "", "named_arrays"),
    waits("cheap-values-are-stored", SETTLING, "if (std::any_of(plan.begin(), plan.end(), is_costly)) settle(*node);", "settle(*node);", "named_arrays"),
    waits("operands-of-another-dtype-run-alone", SETTLING, "if (source.dtype != loop.in[i]) return false;", "", "single_steps"),
    explains("named-values-are-not-stored", EXPLAIN, "copy->handles = original.handles.load(), ", ""),
    explains("broadcast-elements-count-often", REHEARSAL, "if (view.strides[axis] == 0 && shape[axis] > 1) operand.shape[axis] = 1;", ""),
    explains("shapes-end-no-run", EXPLAIN, "runs[k].end = \"the next", "if (false) runs[k].end = \"the next"),
    explains("sizes-hide-other-reasons", EXPLAIN, "at_any != AtCall::No) why = at_any;", "at_any != AtCall::No) why = AtCall::Few;"),
    explains("refused-code-is-named", "src/host/elementwise.cpp", "if (code) chains.push_back(chain);", "chains.push_back(chain);"),
    explains("explaining-is-computing", EXPLAIN, "why_at_call({&one, 1}, array.size(), false)", "why_at_call({&one, 1}, array.size(), true)"),
    explains("code-is-promised-too-early", CACHE, "return by_key_.contains(key) || is_worthwhile(chain, elements);", "return true;"),
    explains("single-loops-run", SETTLING, "plan.size() == 1 && !g.rehearsal && run_alone", "plan.size() == 1 && run_alone"),
    listing("wider-names-are-narrow", LISTING, "name.back() = 'q';", ";"),
    listing("masks-are-left-out", LISTING, 'return "{k" + std::to_string(form.mask) + "}" + (form.zeroes ? "{z}" : "");', 'return "";'),
    listing("jumps-lead-too-early", LISTING, "uint64_t(line.place + 4 + number)", "uint64_t(line.place + number)"),
    listing("numbers-have-32-bits", LISTING, "number_text(uint64_t(int64_t(number)))", "number_text(uint32_t(number))"),
    listing("halves-are-whole", LISTING, "form.length - (is_half && form.length > Form::Xmm)", "form.length"),
    listing("names-of-other-instructions", INSTRUCTIONS, 'kSubPs{"vsubps"', 'kSubPs{"vaddps"'),
    listing("results-that-are-no-halves", INSTRUCTIONS, 'kNarrowPd{"vcvtpd2ps", 1, 1, 0x5a, true, kVector, true}', 'kNarrowPd{"vcvtpd2ps", 1, 1, 0x5a, true, kVector, false}'),
    listing("the-frame-of-the-beginning", LISTING, "std::memcpy(&number, &code[size_t(line.place)], sizeof number);", "number = 0;"),
    bug("lines-of-the-last-operation-alone", SETTLING, "lines.first = std::min(lines.first, one->first), ", "", "tests/python/test_profile.py -k lines_where"),
    bug("lines-of-what-reads-the-value", SETTLING, "        const LinesScope recorded(lines_of(plan));\n", "", "tests/python/test_profile.py -k lines_where"),
]  # fmt: skip

if __name__ == "__main__":
    sys.exit(main("host", MUTANTS, __doc__))

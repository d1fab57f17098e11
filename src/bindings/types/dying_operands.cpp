// dying_operands.cpp -- recognises calls that the interpreter itself makes, by the return addresses above a slot.
//
// A reference count of 1 does not make an operand a temporary: C code may compute `t * 2` with a local t, also within a
// slot that the interpreter has called. But where the interpreter's own instruction is the caller, the reference is the
// one on its stack, and it drops that after the call. So the first call of each operator runs that operator once more,
// in Python, on two arrays of our own, and keeps the return addresses from the slot up to the interpreter's loop, with
// their places above the slot's frame. A later call was made by the same instruction if it has the same ones there:
// each address fixes the size of its function's frame, and so the place of the next one.
#include "bindings/types/dying_operands.h"
#include <dlfcn.h>
#include <unwind.h>
#include <cstring>
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/ufunc.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

#if defined(__x86_64__) && !defined(Py_GIL_DISABLED)

/// The return addresses from a slot up to the interpreter's loop.
class CallChain {
 public:
    /// False where the stack cannot be read, or the loop is not near.
    bool record(SlotFrame frame) {
        links_ = 0;
        base_ = frame.return_address;
        _Unwind_Backtrace(visit, this);
        if (!is_complete_) links_ = 0;
        return is_complete_;
    }

    [[gnu::no_sanitize_address]] bool matches(SlotFrame frame) const {
        for (int i = 0; i < links_; ++i)
            if (frame.return_address[link_[i].place] != link_[i].address) return false;
        return links_ > 0;
    }

 private:
    static constexpr int kMost = 6;

    /// Whether the address lies in the interpreter's loop.
    static bool is_in_loop(const void* address) {
        Dl_info found{};
        return dladdr(address, &found) && found.dli_sname && !std::strcmp(found.dli_sname, "_PyEval_EvalFrameDefault");
    }

    static _Unwind_Reason_Code visit(_Unwind_Context* context, void* chain) {
        return static_cast<CallChain*>(chain)->add(context);
    }
    _Unwind_Reason_Code add(_Unwind_Context* context) {
        void* const address = reinterpret_cast<void*>(_Unwind_GetIP(context));
        auto* const place = reinterpret_cast<void* const*>(_Unwind_GetCFA(context)) - 1;
        if (place < base_) return _URC_NO_REASON;  // functions of ours
        if (*place != address || links_ == kMost || (links_ == 0 && place != base_)) return _URC_NORMAL_STOP;
        link_[links_++] = {place - base_, address};
        is_complete_ = is_in_loop(static_cast<char*>(address) - 1);
        return is_complete_ ? _URC_NORMAL_STOP : _URC_NO_REASON;
    }

    struct Link {
        ptrdiff_t place;
        void* address;
    };
    Link link_[kMost];
    int links_ = 0;
    void* const* base_ = nullptr;
    bool is_complete_ = false;
};

/// The calls of one operator's slot by the interpreter: as the slot of the first operand, and as that of the second
/// alone; of assignments, those with a slice as their key have an instruction of their own from Python 3.12 on. The GIL
/// guards them.
class InterpreterCalls {
 public:
    bool include(OperatorText op, SlotFrame frame, PyObject* const* objects, int count) {
        if (probes_) return record(frame, objects, count);
        prepare(op);
        return chains_[0].matches(frame) || chains_[1].matches(frame);
    }

    /// Learns the calls if they are not known.
    void prepare(OperatorText op) {
        if (!is_known_ && may_learn()) learn(op);
    }

 private:
    /// Not while work is recorded or deferred: the evaluations would be part of it.
    static bool may_learn() { return !is_deferring() && backend(Device{}).front().direct(); }

    void learn(OperatorText op) {
        is_known_ = true;
        const std::string symbol = op.symbol;
        switch (op.kind) {
            case OperatorText::Unary: return run(0, symbol + "x.pop()");
            case OperatorText::Binary:
                run(0, "x.pop() " + symbol + " x.pop()");
                return run(1, "1 " + symbol + " x.pop()");
            case OperatorText::InPlace:  // quotients of integers are no integers
                return run(0, "x[0] " + symbol + "= x.pop()", symbol == "/" ? DType::float64 : DType::int64);
            case OperatorText::Assignment: run(0, "x[0][...] = x.pop()"); return run(1, "x[0][0:] = x.pop()");
        }
    }

    /// Runs the statement, in which x is a list of two arrays, and keeps the chain.
    void run(int chain, const std::string& text, DType dtype = DType::int64) {
        learned_ = &chains_[chain];
        const Object names = Object::steal(PyDict_New()), probes = Object::steal(PyList_New(0));
        const Scalar one = convert(Scalar::of(DType::int64, int64_t(1)), dtype);
        for (int i = 0; i < 2; ++i) {
            const Array array = full(Dims{kReusedFrom / item_size(dtype)}, one, Device{});
            check(PyList_Append(probes.get(), Object::steal(wrap(array)).get()));
        }
        check(PyDict_SetItemString(names.get(), "x", probes.get()));
        check(PyDict_SetItemString(names.get(), "__builtins__", PyEval_GetBuiltins()));  // an import asks for them
        // PyRun_String would make a KeyboardInterrupt the program's last word, whoever catches it.
        const Object code = Object::steal(Py_CompileString(text.c_str(), "<string>", Py_file_input));
        probes_ = probes.get();
        for (int i = 0; i < 2; ++i) probe_[i] = PyList_GetItem(probes.get(), i);
        PyObject* const result = PyEval_EvalCode(code.get(), names.get(), names.get());
        probes_ = nullptr;
        Object::steal(result);  // a KeyboardInterrupt, say, is the operator's exception
    }

    /// Other code may run meanwhile, but has none of the probes.
    bool record(SlotFrame frame, PyObject* const* objects, int count) {
        const auto is_probe = [this](PyObject* object) { return object == probe_[0] || object == probe_[1]; };
        if (!is_probe(objects[count - 1])) return false;
        learned_->record(frame);
        probe_[0] = probe_[1] = nullptr;  // their addresses may be another array's soon
        return false;
    }

    CallChain chains_[2];
    CallChain* learned_ = nullptr;
    bool is_known_ = false;
    PyObject* probes_ = nullptr;  ///< the list, while an evaluation runs
    PyObject* probe_[2] = {};
};

/// Whether the object is an array that owns its memory, or will, and has one reference, of something that drops it when
/// it is done.
bool has_one_reference(PyObject* object) {
    if (Py_REFCNT(object) != 1 || !is_ndarray(object) || as_ndarray(object)->is_number) return false;
    const ArrayObject* const self = static_cast<ArrayObject*>(as_ndarray(object));
    if (self->base || self->weakrefs || self->array != &self->first || !self->later.empty()) return false;
    if (!self->first.is_pending() && self->first.nbytes() < kReusedFrom) return false;
#if PY_VERSION_HEX >= 0x030e0000
    return PyUnstable_Object_IsUniqueReferencedTemporary(object);  // local variables may be on the stack uncounted
#else
    return true;
#endif
}

InterpreterCalls interpreter_calls[OperatorText::kKinds][kMostOperators];

}  // namespace

unsigned dying_operands(OperatorText op, SlotFrame frame, PyObject* const* objects, int count) {
    unsigned dying = 0;
    for (int i = 0; i < count; ++i) dying |= unsigned(has_one_reference(objects[i])) << i;
    return dying && interpreter_calls[op.kind][op.number].include(op, frame, objects, count) ? dying : 0;
}

void prepare_dying_operands(OperatorText op) { interpreter_calls[op.kind][op.number].prepare(op); }

#else

}  // namespace

unsigned dying_operands(OperatorText, SlotFrame, PyObject* const*, int) { return 0; }

void prepare_dying_operands(OperatorText) {}

#endif

}  // namespace cuarray::python

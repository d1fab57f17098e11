// dying_operands.h -- which operands of Python's operators die with the call, so that its result may take their memory.
#pragma once
#include "bindings/python.h"

namespace cuarray::python {

/// Where the return address of a slot lies, in a call from the interpreter or from another library's C code.
struct SlotFrame {
    void* const* return_address;
};

/// The frame of the function that this is inlined into: the slot itself.
[[gnu::always_inline]] inline SlotFrame slot_frame() {
    return {static_cast<void* const*>(__builtin_frame_address(0)) + 1};
}

/// An operation of Python's: how programs write it, and a number of its own among those of its kind.
struct OperatorText {
    enum Kind { Unary, Binary, InPlace, Assignment };
    static constexpr int kKinds = 4;
    Kind kind;
    int number = 0;
    const char* symbol = "";
};
constexpr int kMostOperators = 32;

/// Bit i is set where objects[i] is an array, pending or of at least kReusedFrom bytes, that only the interpreter's
/// stack holds, which drops it after the call: never where other C code has called the slot, nor where that cannot be
/// known.
unsigned dying_operands(OperatorText op, SlotFrame frame, PyObject* const* objects, int count);

/// Makes operands of the operator known also while work is recorded or deferred, when nothing new can be learned.
void prepare_dying_operands(OperatorText op);

}  // namespace cuarray::python

// function_call.h -- the arguments of a call, and the careful readings of them, with their errors.
#pragma once
#include <algorithm>
#include <cmath>
#include <forward_list>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>
#include "bindings/functions/reductions.h"
#include "bindings/functions/ufunc.h"
#include "bindings/types/ndarray.h"
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/bincount.h"
#include "cuarray/ops/bit_packing.h"
#include "cuarray/ops/convolution.h"
#include "cuarray/ops/coordinates.h"
#include "cuarray/ops/creation.h"
#include "cuarray/ops/editing.h"
#include "cuarray/ops/einsum.h"
#include "cuarray/ops/functions.h"
#include "cuarray/ops/joining.h"
#include "cuarray/ops/linalg.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/selection.h"
#include "cuarray/ops/sort.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {

/// The arguments of a call, by the parameters of the C++ function; defaults where nothing was given.
struct FunctionCall {
    const FunctionRow& row;
    PyObject* names;       ///< of the signature: a tuple
    const int8_t* places;  ///< of these parameters in the C++ function, or -1
    PyObject* const* given;
    const bool* are_arrays;                ///< of the parameters
    int count;                             ///< of parameters
    std::span<PyObject* const> rest = {};  ///< of a *parameter, which is the first
    PyObject* on = Py_None;                ///< what was given for a parameter `device`
    PyObject* like = Py_None;              ///< what was given for a parameter `like`
    mutable PyObject* made = nullptr;      ///< the array that the first parameter was read as, if it is none

    [[gnu::noinline]] Parameter parameter(int k) const {
        const auto named = std::find(places, places + PyTuple_GET_SIZE(names), k) - places;
        return {PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, named)), row.name};
    }
    /// The device that lists and NumPy arrays go to.
    CallDevice device() const;
    /// The device that `device` names, or else that of the array `like`; nothing without either.
    std::optional<Device> named_device() const {
        return on == Py_None && like == Py_None ? std::nullopt : read_device();
    }
    std::optional<Device> read_device() const;
};

/// How much a call has to do, at least: it decides whether others get the GIL.
struct CallWork {
    int64_t elements = 0, times = 1;
    Device device{};
    bool has_arrays = false;

    [[gnu::noinline]] void add(const Array& array) {
        elements += std::min(array.size(), kShortWork + 1);
        device = array.device();
        has_arrays = true;
    }
    [[gnu::noinline]] void multiply(int64_t factor) {
        times = std::min(times * std::clamp<int64_t>(factor, 1, kShortWork + 1), kShortWork + 1);
    }
    bool is_long() const { return python::is_long(device, std::min(elements, kShortWork + 1) * times); }
};

/// Integers of any iterable, or one.
Dims read_integers(PyObject* object, Parameter parameter);
/// One axis, or a tuple or a list of them.
Dims read_list_of_axes(PyObject* object, Parameter parameter);
/// One integer, or those of a list, a tuple or an array of one axis.
Dims read_line_of_integers(PyObject* object, Parameter parameter);
/// Whether it is a sequence with a length, and no array without axes.
bool has_entries(PyObject* object);
/// An integer, of which one that does not fit becomes the largest or the smallest: a count that is too large.
int64_t read_count(PyObject* object, Parameter parameter);
/// One count, or an array of them.
std::variant<int64_t, Object> read_counts(PyObject* object, CallDevice device, Parameter parameter);

/// Positions in a sorted order: integers, and no bools.
Ranks read_ranks(PyObject* object, Parameter parameter);
/// A word, or the number that means it.
Overlaps read_overlaps(PyObject* object, Parameter parameter);
SortKind read_sort_kind(PyObject* object, Parameter parameter);
/// 'L' or 'U', in either case.
linalg::Triangle read_triangle(PyObject* object, const char* function);
linalg::QRMode read_qr_mode(PyObject* object, const char* function);
linalg::NormOrder read_norm_order(PyObject* object, const char* function);

Side read_side(PyObject* object, Parameter parameter);
GridIndexing read_grid_indexing(PyObject* object, Parameter parameter);
BitOrder read_bit_order(PyObject* object, const char* function);
MemoryKind read_memory_kind(PyObject* object, const char* function);
/// What an index out of bounds means: 'raise', also for None, 'wrap' or 'clip'.
Outside read_outside(PyObject* object, Parameter parameter);

/// The entry of a tuple of one output.
PyObject* entry_of_output(PyObject* outputs, const char* function);
/// A list of a tuple of integers or of one for each operand.
CoreAxes read_core_axes(PyObject* object, Parameter parameter);
ContractedAxes read_contracted_axes(PyObject* object, Parameter parameter);
/// Python's bools and NumPy's; TypeError for what only is true or false.
bool read_strict_bool(PyObject* object, Parameter parameter);

/// An array of indices or a mask.
IndexArray read_index_array(const FunctionCall& call, int k);
/// An array to write into; TypeError for what has no memory of its own, ValueError for what is read-only.
OutputArray read_target(PyObject* object, const char* function);
/// What a function writes into a target: numbers and lists in its dtype.
StoredValues read_values(PyObject* object, PyObject* target, const char* function);
/// AxisPositions along an axis, on any device.
AxisPositions read_axis_positions(PyObject* object, const char* function);

/// What is copied to the target; a warning where only the rule 'unsafe' lets an imaginary part go.
void read_source(const FunctionCall& call, int k, ArrayOrScalar& source);

/// An array to write the result to; a NumPy array is imported.
inline Array* read_output(PyObject* object, const FunctionCall& call, Array& imported) {
    return to_output(object, is_ndarray(object) ? Device{} : Device(call.device()), call.row.name, imported);
}

/// Ints and tuples of them; false for others.
inline bool read_plain_dims(PyObject* object, Dims& dims) {
    int64_t value;
    if (read_plain_int(object, value)) return dims.push_back(value), true;
    if (!PyTuple_CheckExact(object)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
        if (!read_plain_int(PyTuple_GET_ITEM(object, i), value)) return dims.resize(0), false;
        dims.push_back(value);
    }
    return dims.size() <= kMaxDims;
}

template <class T>
struct Reader;

}  // namespace cuarray::python

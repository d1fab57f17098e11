// editing.cpp -- delete, insert and pad: the positions and numbers that the host reads, for the Python package.
#include "cuarray/ops/editing.h"
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>
#include "bindings/functions/readers.h"
#include "bindings/module.h"
#include "bindings/types/ndarray.h"
#include "cuarray/ops/padding.h"

namespace cuarray::python {
namespace {

/// An array to edit and the axis: the flattened array if that is None.
struct EditedAxis {
    EditedAxis(PyObject* object, PyObject* given_axis, const char* function) : owner(to_ndarray(object, function)) {
        if (given_axis == Py_None) {
            array = array_of(owner.get()).reshape({-1});
        } else {
            const int64_t number = to_int64(given_axis, {"axis", function});
            array = array_of(owner.get());  // the conversion of the axis may have resized it
            axis = normalise_axis(number, array.ndim(), function);
        }
        extent = array.shape()[axis];
    }

    Object owner;
    Array array;
    int axis = 0;
    int64_t extent = 0;
};

/// Positions along an axis as they are given: of a slice, or the elements of an array, in C order.
class Positions {
 public:
    Positions(PyObject* object, int64_t extent) {
        if (PySlice_Check(object))
            read_slice(object, extent);
        else if (!read_integer(object))
            read_array_like(object);
    }

    Kind kind() const { return info(dtype).kind; }
    bool is_integral() const { return kind() == Kind::Signed || kind() == Kind::Unsigned || is_mask(); }
    bool is_mask() const { return kind() == Kind::Bool; }
    /// The positions counted from the front; IndexError for one that is not below `end`, or that is below -extent.
    void count_from_front(int64_t extent, int64_t end, int axis, const char* function) {
        for (int64_t& value : values) {
            const bool wraps = dtype == DType::uint64 && value < 0;
            if (wraps || value < -extent || value >= end)
                raise(ErrorKind::Index, function, ": index ",
                      wraps ? std::to_string(uint64_t(value)) : std::to_string(value), " is out of bounds for axis ",
                      axis, " with size ", extent);
            if (value < 0) value += extent;
        }
    }

    std::vector<int64_t> values;  ///< empty for a mask
    std::vector<uint8_t> flags;   ///< of a mask, 0 and 1
    Dims shape;                   ///< of an array; a slice has one axis
    DType dtype = DType::int64;

 private:
    bool read_integer(PyObject* object) {
        int overflow = 0;
        if (!PyLong_CheckExact(object)) return false;
        values.push_back(PyLong_AsLongLongAndOverflow(object, &overflow));
        if (overflow) values.clear();
        return !overflow;
    }

    void read_array_like(PyObject* object) {
        const Object owner = to_ndarray(object, "index");
        Array array = to_device(array_of(owner.get()), Device{});
        shape = array.shape();
        // An empty list has no dtype of its own.
        const bool is_typed = is_ndarray(object) || is_numpy_array(object) || !array.is_empty();
        dtype = is_typed ? array.dtype() : DType::int64;
        if (is_mask()) {
            flags.resize(size_t(array.size()));
            return read_contiguous(array, flags.data());
        }
        values.resize(size_t(array.size()));
        if (is_integral()) read_contiguous(astype(array, DType::int64, 'K', false), values.data());
    }

    void read_slice(PyObject* slice, int64_t extent) {
        Py_ssize_t start, stop, step;
        check(PySlice_Unpack(slice, &start, &stop, &step));
        const Py_ssize_t count = PySlice_AdjustIndices(extent, &start, &stop, step);
        for (Py_ssize_t i = 0; i < count; ++i) values.push_back(start + i * step);
        shape = {count};
    }
};

/// One byte for each element of an axis: whether it stays.
std::vector<uint8_t> elements_kept(Positions& gone, const EditedAxis& edited) {
    if (!gone.is_integral())
        raise(ErrorKind::Index, "delete: arrays used as indices must be of integer (or boolean) type, not ",
              info(gone.dtype).name);
    if (!gone.is_mask()) {
        std::vector<uint8_t> is_kept(size_t(edited.extent), 1);
        gone.count_from_front(edited.extent, edited.extent, edited.axis, "delete");
        for (const int64_t position : gone.values) is_kept[size_t(position)] = 0;
        return is_kept;
    }
    if (!(gone.shape == Dims{edited.extent}))
        raise(ErrorKind::Value, "delete: a mask of shape ", to_string(gone.shape), " does not go with ", edited.extent,
              " elements");
    for (uint8_t& flag : gone.flags) flag = !flag;
    return std::move(gone.flags);
}

/// delete(arr, obj, axis).
PyObject* delete_positions(PyObject*, Arguments args, Py_ssize_t) {
    return guarded([&] {
        const EditedAxis edited(args[0], args[2], "delete");
        Positions gone(args[1], edited.extent);
        const std::vector<uint8_t> is_kept = elements_kept(gone, edited);
        return wrap(without_gil(edited.array, [&] { return erase(edited.array, edited.axis, is_kept); }));
    });
}

/// The places of inserted elements, from 0 to the extent of the axis.
void read_places(Positions& places, const EditedAxis& edited) {
    if (places.shape.size() > 1)
        raise(ErrorKind::Value, "insert: ", places.is_mask() ? "a mask" : "positions", " must have one axis, not ",
              places.shape.size());
    if (places.is_mask()) {
        if (places.shape.empty()) raise(ErrorKind::Value, "insert: a mask must have one axis, not 0");
        for (size_t i = 0; i < places.flags.size(); ++i)
            if (places.flags[i]) places.values.push_back(int64_t(i));
    } else if (!places.is_integral()) {
        raise(places.values.size() == 1 ? ErrorKind::Type : ErrorKind::Index,
              "insert: positions must be integers, not ", info(places.dtype).name);
    }
    places.count_from_front(edited.extent, edited.extent + 1, edited.axis, "insert");
}

/// The values that a single place takes, with the axis along which they lie moved to the edited one; it repeats the
/// place.
Array values_of_one(Array values, bool is_single, const EditedAxis& edited, Positions& places) {
    Dims shape = Dims::filled(std::max(edited.array.ndim() - values.ndim(), 0), 1), axes;
    for (const int64_t extent : values.shape()) shape.push_back(extent);
    values = values.reshape(shape);
    if (is_single && shape.size()) {  // the first axis of the values goes along the edited one
        for (int k = 1; k < shape.size(); ++k) axes.push_back(k);
        axes.insert(edited.axis, 0);
        values = values.transpose(axes);
    }
    if (shape.size()) places.values.resize(size_t(values.shape()[edited.axis]), places.values[0]);
    return values;
}

/// insert(arr, obj, values, axis): values have the dtype of arr; more axes than its own may lead, of one element.
PyObject* insert_positions(PyObject*, Arguments args, Py_ssize_t) {
    return guarded([&] {
        const EditedAxis edited(args[0], args[3], "insert");
        Positions places(args[1], edited.extent);
        const bool is_single = places.shape.empty() && !places.is_mask();
        read_places(places, edited);
        Array values = array_of(args[2]);
        if (places.values.size() == 1) values = values_of_one(std::move(values), is_single, edited, places);
        Dims inserted = edited.array.shape();
        inserted[edited.axis] = int64_t(places.values.size());
        Dims shape;
        for (int k = 0; k < values.ndim(); ++k)
            if (!shape.empty() || values.ndim() - k <= inserted.size() || values.shape()[k] != 1)
                shape.push_back(values.shape()[k]);
        values = values.reshape(shape).broadcast_to(inserted, "insert");
        return wrap(
            without_gil(edited.array, [&] { return insert(edited.array, edited.axis, places.values, values); }));
    });
}

PadMode to_pad_mode(PyObject* object) {
    const std::string_view text = to_text(object, {"mode", "pad"});
    for (const auto& [name, mode] : {std::pair("constant", PadMode::Constant), std::pair("edge", PadMode::Edge),
                                     std::pair("reflect", PadMode::Reflect), std::pair("symmetric", PadMode::Symmetric),
                                     std::pair("wrap", PadMode::Wrap), std::pair("empty", PadMode::Empty)})
        if (text == name) return mode;
    raise(ErrorKind::Value, "pad: no mode '", text, "'");
}

/// pad(array, widths, mode, constants): one width, or a pair for each axis; None, a number, or an array of such pairs.
PyObject* pad_array(PyObject*, Arguments args, Py_ssize_t) {
    return guarded([&] {
        const Array& array = array_of(args[0]);
        std::vector<PadWidth> widths(size_t(array.ndim()));
        int64_t all = 0;
        const bool are_equal = read_plain_int(args[1], all);
        for (size_t d = 0; d < widths.size(); ++d) {
            PyObject* const both = are_equal ? nullptr : PyTuple_GetItem(args[1], Py_ssize_t(d));
            const auto side = [&](Py_ssize_t k) {
                return both ? to_int64(PyTuple_GetItem(both, k), {"pad_width", "pad"}) : all;
            };
            widths[d] = {side(0), side(1)};
        }
        std::vector<Scalar> constants;
        if (is_python_number(args[3])) {
            ArrayOrScalar number;
            number.load(args[3], {Device{}, false}, "pad");
            warn_of_lost_imaginary_part(number.default_dtype(), array.dtype());
            const Scalar constant = convert(number.element(number.default_dtype(), "pad"), array.dtype());
            constants.assign(2 * widths.size(), constant);
        } else if (args[3] != Py_None) {
            const Array table = to_device(astype(array_of(args[3]), array.dtype(), 'K', false), Device{});
            std::vector<unsigned char> bytes(size_t(table.nbytes()));
            read_contiguous(table, bytes.data());
            const size_t item = size_t(item_size(table.dtype()));
            constants.resize(size_t(table.size()));
            for (size_t k = 0; k < constants.size(); ++k) {
                constants[k].dtype = table.dtype();
                std::memcpy(constants[k].bytes, bytes.data() + k * item, item);
            }
        }
        int64_t elements = 1;
        for (size_t d = 0; d < widths.size(); ++d)
            elements *= std::min(array.shape()[int(d)] + widths[d].before + widths[d].after, kShortWork + 1);
        const bool is_long = python::is_long(array.device(), elements);
        return wrap(without_gil(is_long, [&, x = array, mode = to_pad_mode(args[2])] {
            return pad(x, std::move(widths), mode, constants);
        }));
    });
}

PyMethodDef editing_functions[] = {
    {"delete", method(delete_positions), METH_FASTCALL, nullptr},
    {"insert", method(insert_positions), METH_FASTCALL, nullptr},
    {"pad", method(pad_array), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_editing(PyObject* module) { check(PyModule_AddFunctions(module, editing_functions)); }

}  // namespace cuarray::python

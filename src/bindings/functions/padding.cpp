// padding.cpp -- pad: its widths, mode and constants, for the Python package.
#include "cuarray/ops/padding.h"
#include <algorithm>
#include <vector>
#include "bindings/functions/readers.h"
#include "bindings/module.h"
#include "bindings/types/ndarray.h"

namespace cuarray::python {
namespace {

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
        const Array* table = nullptr;
        std::vector<Scalar> constants;
        if (is_python_number(args[3])) {
            ArrayOrScalar number;
            number.load(args[3], {Device{}, false}, "pad");
            warn_of_lost_imaginary_part(number.default_dtype(), array.dtype());
            const Scalar constant = convert(number.element(number.default_dtype(), "pad"), array.dtype());
            constants.assign(2 * widths.size(), constant);
        } else if (args[3] != Py_None) {
            table = &array_of(args[3]);
        }
        int64_t elements = 1;
        for (size_t d = 0; d < widths.size(); ++d)
            elements *= std::min(array.shape()[int(d)] + widths[d].before + widths[d].after, kShortWork + 1);
        const bool is_long = python::is_long(array.device(), elements);
        return wrap(without_gil(is_long, [&, x = array, mode = to_pad_mode(args[2])] {
            return table ? pad(x, std::move(widths), *table) : pad(x, std::move(widths), mode, constants);
        }));
    });
}

PyMethodDef padding_functions[] = {
    {"pad", method(pad_array), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_padding(PyObject* module) { check(PyModule_AddFunctions(module, padding_functions)); }

}  // namespace cuarray::python

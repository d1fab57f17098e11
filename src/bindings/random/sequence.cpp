// sequence.cpp -- draws from the state of NumPy's PCG64, which is passed and returned as its numbers.
#include "cuarray/ops/random.h"

#include <string>
#include <tuple>
#include <vector>

#include "bindings/functions/casters.h"
#include "bindings/module.h"
#include "bindings/random/pcg64.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

/// The state: its two numbers of 128 bits, whether a 32-bit number is left, and that number.
using StateNumbers = std::tuple<py::int_, py::int_, bool, uint32_t>;

py::int_ from_wide(const kernel::u128& x) {
    return py::int_(py::object(py::int_(x.high) << py::int_(64)) | py::int_(x.low));
}

SequenceDraw draw_of(const std::string& name) {
#define DRAW(row, ...) \
    if (name == #row) return SequenceDraw::row;
#include "cuarray/sequence_draws.def"
#undef DRAW
    raise(ErrorKind::Value, "draw_sequence: there is no draw named ", name);
}

/// draw_sequence(out, state, name, parameters, margin=-1.0): the state behind the numbers of a distribution; with no
/// parameters, of the standard one.
StateNumbers draw_from_state(const Array& out, const StateNumbers& given, SequenceNumbers numbers) {
    Pcg64State state{to_wide(std::get<0>(given).ptr()), to_wide(std::get<1>(given).ptr()), std::get<2>(given),
                     std::get<3>(given)};
    {
        const py::gil_scoped_release released;
        draw_sequence(out, numbers, state, "draw_sequence");
    }
    return {from_wide(state.state), from_wide(state.increment), state.has_carried, state.carried};
}

}  // namespace

void bind_sequence(py::module_& m) {
    m.def(
        "draw_sequence",
        [](const Array& out, const StateNumbers& state, const std::string& name, const std::vector<double>& parameters,
           double margin) {
            SequenceNumbers numbers{draw_of(name)};
            if (!parameters.empty() && !set_parameters(numbers, parameters))
                raise(ErrorKind::Value, "draw_sequence: ", name, ": NumPy alone draws numbers of these parameters");
            numbers.margin = margin;
            return draw_from_state(out, state, numbers);
        },
        py::arg("out"), py::arg("state"), py::arg("name"), py::arg("parameters") = std::vector<double>(),
        py::arg("margin") = -1.0);
    m.def("draw_sequence_integers",
          [](const Array& out, const StateNumbers& state, const py::int_& low, const py::int_& most) {
              const auto bits = [](const py::int_& x) { return uint64_t(PyLong_AsUnsignedLongLongMask(x.ptr())); };
              return draw_from_state(out, state, sequence_integers(out.dtype(), bits(low), bits(most)));
          });
}

}  // namespace cuarray::python

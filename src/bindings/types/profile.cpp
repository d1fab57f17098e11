// profile.cpp -- recordings for cuarray.profile and plans for cuarray.explain, as tuples.
#include <string>
#include <vector>
#include "api/recording.h"
#include "bindings/functions/casters.h"
#include "bindings/module.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/explain.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

class ProfileRecording {
 public:
    ~ProfileRecording() { stop(); }

    void start() {
        prepare_operators();
        bool was_off;
        {
            const GilRelease released;
            was_off = recording_.start();
        }
        if (!was_off) fail(PyExc_RuntimeError, "profile: it is running already");
    }
    void stop() {
        const GilRelease released;
        recording_.stop();
    }
    std::vector<std::string> devices() {
        std::vector<std::string> names;
        for (const Device device : recording_.devices()) names.push_back(to_string(device));
        return names;
    }
    /// The records so far, as tuples; they are forgotten here. Each ends with the nanoseconds at which the
    /// device began and how long it took, or None where that is not known.
    py::list taken() {
        py::list list;
        for (const ProfiledOperation& r : recording_.taken())
            list.append(py::make_tuple(to_string(r.kind), r.name, r.kernel, r.expression, r.file, r.line, r.shape,
                                       r.dtype, r.bytes, to_string(r.device), r.stream, r.thread, r.start, r.end,
                                       r.built, to_string(r.build), r.failed, r.device_start, r.device_time,
                                       r.last_line));
        return list;
    }
    int64_t lost() const { return recording_.lost(); }

 private:
    Recording recording_;
};

py::tuple as_tuples(const std::vector<ExplainedOperand>& operands) {
    py::tuple tuples(operands.size());
    for (size_t k = 0; k < operands.size(); ++k)
        tuples[k] = py::make_tuple(operands[k].shape, info(operands[k].dtype).name, operands[k].bytes);
    return tuples;
}

/// The runs, why there are none, and both as text.
py::tuple explain_arrays(const py::tuple& arguments, bool with_code) {
    if (arguments.empty()) fail(PyExc_TypeError, "explain: no array is given");
    std::vector<const Array*> arrays;
    for (const py::handle argument : arguments) {
        if (!is_ndarray(argument.ptr()))
            raise(ErrorKind::Type, "explain: ", Py_TYPE(argument.ptr())->tp_name, " is no array of cuarray");
        arrays.push_back(&array_of(argument.ptr()));
    }
    const Explanation explanation = explain(arrays, with_code);
    py::list runs;
    for (const ExplainedRun& run : explanation.runs)
        runs.append(py::make_tuple(run.expression, py::tuple(py::cast(run.operations)), run.shape,
                                   to_string(run.device), as_tuples(run.inputs), as_tuples(run.outputs), run.how,
                                   run.end, run.code));
    return py::make_tuple(runs, explanation.stored, to_string(explanation));
}

/// A context whose work is not recorded.
struct Unrecorded {};

}  // namespace

void bind_profile(py::module_& module) {
    py::class_<ProfileRecording>(module, "Recording", "What all devices do between start() and stop().")
        .def(py::init<>())
        .def("start", &ProfileRecording::start)
        .def("stop", &ProfileRecording::stop)
        .def("devices", &ProfileRecording::devices, "The devices to wait for before times are asked for.")
        .def("taken", &ProfileRecording::taken, "The records so far, which are forgotten here.")
        .def_property_readonly("lost", &ProfileRecording::lost, "Records that there was no memory for.");
    py::class_<Unrecorded>(module, "Unrecorded", "A context: what this thread does inside is not recorded.")
        .def(py::init<>())
        .def("__enter__", [](Unrecorded&) { hide_from_listeners(true); })
        .def("__exit__", [](Unrecorded&, const py::args&) { hide_from_listeners(false); });
    module.def("explain", &explain_arrays, "How what waits for arrays would be computed.");
    module.def("record_clock", &record_clock, "Nanoseconds of the clock that records use.");
}

}  // namespace cuarray::python

// profile.cpp -- recordings for cuarray.profile, as tuples.
#include <string>
#include <vector>
#include "api/recording.h"
#include "bindings/module.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

class ProfileRecording {
 public:
    ~ProfileRecording() { stop(); }

    void start() {
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
                                       r.built, to_string(r.build), r.failed, r.device_start, r.device_time));
        return list;
    }
    int64_t lost() const { return recording_.lost(); }

 private:
    Recording recording_;
};

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
    module.def("record_clock", &record_clock, "Nanoseconds of the clock that records use.");
}

}  // namespace cuarray::python

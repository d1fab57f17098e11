// profile.cpp -- recording for cuarray.profile: a listener that keeps every record until Python asks for
// them.
#include <pybind11/stl.h>
#include <mutex>
#include <utility>
#include <vector>
#include "bindings/module.h"
#include "cuarray/runtime/recorder.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

class Recording final : public Listener {
 public:
    ~Recording() override { stop(); }

    void start() {
        if (std::exchange(is_on_, true)) fail(PyExc_RuntimeError, "profile: it is running already");
        const Unlocked unlocked(true);
        add_listener(*this);
    }
    void stop() {
        if (!std::exchange(is_on_, false)) return;
        const Unlocked unlocked(true);
        remove_listener(*this);
    }
    void take(const Record& record) noexcept override {
        try {
            const std::lock_guard lock(mutex_);
            records_.push_back(record);
        } catch (const std::exception&) {
            ++lost_;
        }
    }
    /// The records so far, as tuples; they are forgotten here.
    py::list taken() {
        std::vector<Record> records;
        {
            const std::lock_guard lock(mutex_);
            records.swap(records_);
        }
        py::list list;
        for (const Record& r : records)
            list.append(
                py::make_tuple(to_string(r.kind), r.name, r.kernel, r.expression, r.file, r.line,
                               py::tuple(py::cast(std::vector<int64_t>(r.shape.begin(), r.shape.end()))),
                               r.dtype, r.bytes, to_string(r.device), r.stream, r.thread, r.start, r.end,
                               r.built, to_string(r.build), r.failed));
        return list;
    }
    int64_t lost() const { return lost_; }

 private:
    std::mutex mutex_;
    std::vector<Record> records_;
    int64_t lost_ = 0;
    bool is_on_ = false;
};

/// A context whose work is not recorded.
struct Unrecorded {};

}  // namespace

void bind_profile(py::module_& module) {
    py::class_<Recording>(module, "Recording", "What all devices do between start() and stop().")
        .def(py::init<>())
        .def("start", &Recording::start)
        .def("stop", &Recording::stop)
        .def("taken", &Recording::taken, "The records so far, which are forgotten here.")
        .def_property_readonly("lost", &Recording::lost, "Records that there was no memory for.");
    py::class_<Unrecorded>(module, "Unrecorded", "A context: what this thread does inside is not recorded.")
        .def(py::init<>())
        .def("__enter__", [](Unrecorded&) { hide_from_listeners(true); })
        .def("__exit__", [](Unrecorded&, const py::args&) { hide_from_listeners(false); });
    module.def("record_clock", &record_clock, "Nanoseconds of the clock that records use.");
}

}  // namespace cuarray::python

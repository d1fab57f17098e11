// profile.cpp -- recording for cuarray.profile: a listener that keeps every record until Python asks for
// them.
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include "bindings/module.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/runtime.h"
#include "runtime/recorder.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

class ProfileRecording final : public Listener {
 public:
    ~ProfileRecording() override { stop(); }

    void start() {
        if (std::exchange(is_on_, true)) fail(PyExc_RuntimeError, "profile: it is running already");
        const GilRelease released;
        settle_all();  // what was called before
        add_listener(*this);
    }
    void stop() {
        if (!std::exchange(is_on_, false)) return;
        const GilRelease released;
        remove_listener(*this);
    }
    void take(const Record& record) noexcept override {
        try {
            const std::lock_guard lock(mutex_);
            records_.push_back(record);
        } catch (const std::exception&) { ++lost_; }
    }
    bool wants_device_times() const override { return true; }
    /// The devices whose work has to be waited for before its times are known.
    std::vector<std::string> devices() {
        const std::lock_guard lock(mutex_);
        std::set<std::string> names;
        for (const Record& r : records_)
            if (r.span) names.insert(to_string(r.device));
        return {names.begin(), names.end()};
    }
    /// The records so far, as tuples; they are forgotten here. Each ends with the nanoseconds at which the
    /// device began and how long it took, or None where that is not known.
    py::list taken() {
        std::vector<Record> records;
        {
            const std::lock_guard lock(mutex_);
            records.swap(records_);
        }
        py::list list;
        std::map<std::string, const Record*> firsts;  // by device: its work is placed by the first record's start
        for (const Record& r : records) {
            py::object device_start = py::none(), device_time = py::none();
            try {
                if (r.span && r.span->end->is_done()) {
                    const Record& first = *firsts.try_emplace(to_string(r.device), &r).first->second;
                    const double time = r.span->end->elapsed_ms(*r.span->begin);
                    const double after = &r == &first ? 0 : r.span->begin->elapsed_ms(*first.span->begin);
                    device_start = py::float_(double(first.start) + after * 1e6);
                    device_time = py::float_(time * 1e6);
                }
            } catch (const Error&) {
                // A device that was lost tells no times; whoever waits for it learns why.
            }
            list.append(py::make_tuple(to_string(r.kind), r.name, r.kernel, r.expression, r.file, r.line, r.shape,
                                       r.dtype, r.bytes, to_string(r.device), r.stream, r.thread, r.start, r.end,
                                       r.built, to_string(r.build), r.failed, device_start, device_time));
        }
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

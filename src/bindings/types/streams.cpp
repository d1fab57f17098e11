// streams.cpp -- streams, events and graphs for cuarray/_runtime/streams.py, which makes the public classes of them.
#include <memory>
#include <vector>
#include "bindings/functions/casters.h"
#include "bindings/module.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/runtime.h"
#include "runtime/recorder.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

Attribute core_stream{"cuarray._runtime.streams", "core_stream"};

/// A stream as Python has it.
struct StreamObject {
    StreamRef stream;
};

/// A graph and the device that it was captured on.
struct GraphObject {
    std::unique_ptr<Graph> graph;
};

/// Begins a `with stream:` or `with graph.capture():` block. What waits runs on the stream so far.
void enter_stream(const StreamObject& held) {
    settle_all();
    WithBlocks<StreamScope>::enter(held.stream);
}

void leave_stream() { WithBlocks<StreamScope>::leave(); }

StreamObject made_stream(Device device, int priority, bool non_blocking) {
    return {runtime(device).make_stream(priority, !non_blocking)};
}

StreamObject foreign_stream(int64_t handle, Device device) { return {runtime(device).foreign_stream(handle)}; }

bool is_stream_done(const StreamObject& held) {
    settle_all();
    return held.stream->is_done();
}

void synchronize_stream(const StreamObject& held) {
    settle_all();
    const GilRelease released;
    record_stream_work(Record::Kind::Wait, "Stream.synchronize", *held.stream, [&] { held.stream->synchronize(); });
}

void wait_for_stream(const StreamObject& held, const StreamObject& other) {
    settle_all();
    const GilRelease released;
    held.stream->wait_for(*other.stream);
}

void wait_for_event(const StreamObject& held, Event& event) {
    const GilRelease released;
    held.stream->wait_for(event);
}

void record(Event& event, const StreamObject& held) {
    settle_all();
    event.record(*held.stream);
}

/// Begins a capture in this thread; what was deferred before is no part of it.
StreamObject begin_capture(Device device) {
    settle_all();
    StreamObject held{runtime(device).begin_capture()};
    enter_stream(held);
    return held;
}

GraphObject end_capture(const StreamObject& held) {
    Runtime& owner = runtime(held.stream->device());
    try {
        settle_all();
    } catch (...) {
        leave_stream();
        owner.drop_capture(*held.stream);
        throw;
    }
    leave_stream();
    return {owner.end_capture(*held.stream)};
}

void drop_capture(const StreamObject& held) {
    leave_stream();
    runtime(held.stream->device()).drop_capture(*held.stream);
}

void launch(const GraphObject& held, const StreamObject& stream) {
    settle_all();
    const GilRelease released;
    record_stream_work(Record::Kind::Launch, "Graph.launch", *stream.stream,
                       [&] { held.graph->launch(*stream.stream); });
}

}  // namespace

StreamRef to_stream(PyObject* object, Device device) {
    const Object core =
        Object::steal(PyObject_CallFunctionObjArgs(core_stream.get(), object, to_python(device).get(), nullptr));
    return py::handle(core.get()).cast<StreamObject>().stream;
}

void bind_streams(py::module_& module) {
    py::class_<StreamObject>(module, "Stream")
        .def_property_readonly("id", [](const StreamObject& s) { return s.stream->id(); })
        .def_property_readonly("handle", [](const StreamObject& s) { return s.stream->handle(); })
        .def_property_readonly("priority", [](const StreamObject& s) { return s.stream->priority(); })
        .def_property_readonly("is_foreign", [](const StreamObject& s) { return s.stream->is_foreign(); })
        .def_property_readonly("device", [](const StreamObject& s) { return s.stream->device(); })
        .def("is_done", &is_stream_done)
        .def("synchronize", &synchronize_stream)
        .def("wait_for_stream", &wait_for_stream, py::arg("other"))
        .def("wait_for_event", &wait_for_event, py::arg("event"))
        .def("enter", &enter_stream);
    py::class_<Event>(module, "Event")
        .def_property_readonly("device", [](const Event& e) { return e.device(); })
        .def_property_readonly("timing", [](const Event& e) { return e.has_timing(); })
        .def("record", &record, py::arg("stream"))
        .def("is_done", &Event::is_done)
        .def("synchronize",
             [](Event& e) {
                 const GilRelease released;
                 record_stream_work(Record::Kind::Wait, "Event.synchronize", current_stream(e.device()),
                                    [&] { e.synchronize(); });
             })
        .def("elapsed_ms", &Event::elapsed_ms, py::arg("start"));
    py::class_<GraphObject>(module, "Graph")
        .def_property_readonly("operations", [](const GraphObject& g) { return g.graph->operations(); })
        .def("launch", &launch, py::arg("stream"));
    module.def("leave_stream", &leave_stream);
    module.def("make_stream", &made_stream);
    module.def("foreign_stream", &foreign_stream);
    module.def("current_stream", [](Device device) { return StreamObject{StreamRef(&current_stream(device))}; });
    module.def("default_stream",
               [](Device device) { return StreamObject{StreamRef(&runtime(device).default_stream())}; });
    module.def("make_event", [](Device device, bool timing) { return runtime(device).make_event(timing); });
    module.def("begin_capture", &begin_capture);
    module.def("end_capture", &end_capture);
    module.def("drop_capture", &drop_capture);
}

}  // namespace cuarray::python

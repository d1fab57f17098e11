// devices.cpp -- cuarray.device, and what is asked of devices: which there are, the doctor's figures.
#include <string>
#include <vector>
#include "bindings/functions/casters.h"
#include "bindings/module.h"
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/threads.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

PyTypeObject* device_type = nullptr;

/// Begins a `with cuarray.device(...)` block.
void enter_device(Device device) {
    backend(device);  // opened here, so that a missing device is an error of this line
    WithBlocks<DeviceScope>::enter(device);
}

bool is_same(Device device, const py::object& other) {
    if (py::isinstance<Device>(other)) return device == other.cast<Device>();
    return py::isinstance<py::str>(other) && to_string(device) == other.cast<std::string>();
}

py::dict properties(Device device) {
    py::dict all;
    for (const Property& property : runtime(device).properties())
        all[py::str(property.name)] =
            property.text.empty() ? py::object(py::int_(property.value)) : py::str(property.text);
    return all;
}

py::object compute_capability(Device device) {
    for (const Property& property : runtime(device).properties())
        if (property.name == "compute_capability") return py::make_tuple(property.value / 10, property.value % 10);
    return py::none();
}

void synchronize_device(Device device) {
    Backend& waited = backend(device);
    settle_all();
    without_gil(true, [&] { waited.synchronize(); });
}

}  // namespace

Object to_python(Device device) {
    static PyObject* known[2][256];
    PyObject*& object = known[int(device.kind)][device.index];
    if (!object) object = py::detail::type_caster_base<Device>::cast(device, py::return_value_policy::copy, {}).ptr();
    return Object::share(object);
}

Device to_device(PyObject* object, Device fallback, const char* function) {
    if (!is_given(object)) return fallback;
    if (PyObject_TypeCheck(object, device_type)) {
        py::detail::type_caster_base<Device> own;
        own.load(object, false);
        return own;
    }
    const Parameter parameter{"device", function};
    if (PyUnicode_Check(object)) return parse_device(to_text(object, parameter));
    refuse(PyExc_TypeError, parameter, "a cuarray.device or a string such as 'cpu' or 'cuda:0'", object);
}

namespace {

PyObject* enter(PyObject* self, PyObject*) {
    return guarded([&] {
        enter_device(to_device(self, {}, nullptr));
        return Py_NewRef(self);
    });
}

PyObject* leave(PyObject*, Arguments, Py_ssize_t) {
    WithBlocks<DeviceScope>::leave();
    return Py_NewRef(Py_None);
}

/// pybind11's __eq__ behind Python's own slot takes half a microsecond.
PyObject* compare_devices(PyObject* self, PyObject* other, int operation) noexcept {
    if (operation != Py_EQ && operation != Py_NE) return Py_NewRef(Py_NotImplemented);
    return guarded([&] {
        const Device device = to_device(self, {}, nullptr);
        const bool same = PyObject_TypeCheck(other, device_type)
                              ? device == to_device(other, {}, nullptr)
                              : is_same(device, py::reinterpret_borrow<py::object>(other));
        return PyBool_FromLong(same == (operation == Py_EQ));
    });
}

PyMethodDef with_block[] = {
    {"__enter__", method(enter), METH_NOARGS, nullptr},
    {"__exit__", method(leave), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_devices(py::module_& module) {
    py::options options;
    options.disable_function_signatures();
    py::class_<Device> type(module, "device",
                            "A place where arrays live: device('cpu'), device('cuda:1').\n\n"
                            "As a context manager it becomes this thread's current device.");
    device_type = reinterpret_cast<PyTypeObject*>(type.ptr());
    type.attr("__module__") = "cuarray";
    type.def(py::init([](Device device) { return device; }), py::arg("name") = py::none())
        .def_property_readonly("kind", [](Device d) { return to_string(d).substr(0, to_string(d).find(':')); })
        .def_property_readonly("index", [](Device d) { return int(d.index); })
        .def("__str__", [](Device d) { return to_string(d); })
        .def("__repr__", [](Device d) { return "device('" + to_string(d) + "')"; })
        .def("__eq__", &is_same, py::is_operator())
        .def("__hash__", [](Device d) { return py::hash(py::str(to_string(d))); })
        .def("__reduce__", [type](Device d) { return py::make_tuple(type, py::make_tuple(to_string(d))); })
        .def_property_readonly(
            "name", [](Device d) { return runtime(d).name(); }, "The name of the processor.")
        .def_property_readonly("compute_capability", &compute_capability, "(major, minor) of a GPU, None on cpu.")
        .def_property_readonly("properties", &properties, "What is known about the device: limits, sizes, rates.")
        .def(
            "memory_info",
            [](Device d) {
                const auto [free, total] = runtime(d).memory_info();
                return py::make_tuple(free, total);
            },
            "memory_info()\n--\n\nReturn (free, total) in bytes, as the system sees them.")
        .def("synchronize", &synchronize_device,
             "synchronize()\n--\n\nWait until everything asked of the device is done.")
        .def(
            "can_access_peer", [](Device d, Device other) { return runtime(d).can_access_peer(other); },
            py::arg("other"),
            "can_access_peer(other)\n--\n\nTell whether kernels of this device could reach the other's "
            "memory.")
        .def(
            "enable_peer_access", [](Device d, Device other) { runtime(d).enable_peer_access(other); },
            py::arg("other"),
            "enable_peer_access(other)\n--\n\nLet kernels of this device read and write the other's memory; "
            "ValueError where they cannot.");
    for (PyMethodDef* m = with_block; m->ml_name; ++m)
        type.attr(m->ml_name) = py::reinterpret_steal<py::object>(PyDescr_NewMethod(device_type, m));
    device_type->tp_richcompare = compare_devices;

    module.def("devices", &devices);
    module.def("default_device", &default_device);
    module.def("set_default_device", [](Device device) {
        backend(device);
        set_default_device(device);
    });
    module.def("synchronize", &synchronize_device, py::arg("device") = py::none(),
               "Waits for everything queued on the device.");
    module.def(
        "describe",
        [](Device device) {
            Backend& described = backend(device);
            return without_gil(true, [&] { return described.describe(); });
        },
        "What the doctor prints, as JSON.");
    module.def("get_num_threads", &num_threads);
    module.def("set_num_threads", &set_num_threads, py::call_guard<GilRelease>());
    module.def(
        "missing_reason", [](const char* kind) { return missing_reason(parse_device(kind).kind); },
        "Why a kind of device is missing, or ''.");
    module.def("has_looked_for_gpus", [] { return has_looked_for(Device::Kind::Cuda); });
}

}  // namespace cuarray::python

// random_source.cpp -- the type that generators derive from.
#include "bindings/random/random_source.h"
#include "bindings/functions/convert.h"
#include "bindings/random/numpys_methods.h"
#include "bindings/random/pcg64.h"
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

PyTypeObject* source_type = nullptr;

RandomSource& as_source(PyObject* self) { return *reinterpret_cast<RandomSource*>(self); }

int visit_source(PyObject* self, visitproc visit, void* arg) {
    RandomSource& source = as_source(self);
    Py_VISIT(Py_TYPE(self));
    for (PyObject* const object : {source.host, source.device, source.bit_generator, source.acquire, source.release})
        Py_VISIT(object);
    return 0;
}

int clear_source(PyObject* self) {
    RandomSource& source = as_source(self);
    Py_CLEAR(source.host);
    Py_CLEAR(source.device);
    Py_CLEAR(source.bit_generator);
    Py_CLEAR(source.acquire);
    Py_CLEAR(source.release);
    return 0;
}

void free_source(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_source(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/// _use(host, bit_generator, device): draws from NumPy's generator from now on.
PyObject* use(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guarded([&] {
        if (count != 3) fail(PyExc_TypeError, "_use: 3 arguments expected, not %zd", count);
        const Object capsule = Object::steal(PyObject_GetAttrString(args[1], "capsule"));
        const Object lock = Object::steal(PyObject_GetAttrString(args[1], "lock"));
        Object acquire = Object::steal(PyObject_GetAttrString(lock.get(), "acquire"));
        Object release = Object::steal(PyObject_GetAttrString(lock.get(), "release"));
        RandomSource& source = as_source(self);
        source.bits = bits_of(capsule.get());
        source.is_pcg64 = is_pcg64(args[1], source.bits);
        PyObject* const old[] = {source.host, source.bit_generator, source.device, source.acquire, source.release};
        source.host = Py_NewRef(args[0]), source.bit_generator = Py_NewRef(args[1]);
        source.device = Py_NewRef(args[2]);
        source.acquire = acquire.release(), source.release = release.release();
        for (PyObject* const object : old) Py_XDECREF(object);
        return Py_NewRef(Py_None);
    });
}

/// _numpys(name, *args, **keywords): calls a method of NumPy's generator.
PyObject* numpys(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    return guarded([&] {
        if (count == 0) fail(PyExc_TypeError, "_numpys: the name of a method is needed");
        const char* const name = PyUnicode_AsUTF8(args[0]);
        if (!name) throw ExceptionIsSet{};
        NumpysCall call(to_source(self, name), args[0]);
        for (Py_ssize_t k = 1; k < count; ++k) call.add(args[k]);
        for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k) call.add(args[count + k]);
        return call.run(keywords).release();
    });
}

PyMethodDef source_methods[] = {
    {"_use", method(use), METH_FASTCALL, nullptr},
    {"_numpys", method(numpys), kFast, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyObject* host_of(PyObject* self, void*) { return Py_NewRef(as_source(self).host ? as_source(self).host : Py_None); }
PyObject* device_of_source(PyObject* self, void*) {
    return Py_NewRef(as_source(self).device ? as_source(self).device : Py_None);
}

PyGetSetDef source_attributes[] = {
    {"_host", host_of, nullptr, nullptr, nullptr},
    {"_device", device_of_source, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

const RandomSource& to_source(PyObject* self, const char* method) {
    if (!PyObject_TypeCheck(self, source_type))
        fail(PyExc_TypeError, "%s: a generator is needed, not %s", method, Py_TYPE(self)->tp_name);
    if (!as_source(self).host) fail(PyExc_AttributeError, "%s: the generator was not initialised", method);
    return as_source(self);
}

Device device_of(const RandomSource& source) {
    return source.device == Py_None ? current_device() : to_device(source.device, {}, nullptr);
}

void make_random_source_type(PyObject* module) {
    PyType_Slot slots[] = {{Py_tp_traverse, slot(visit_source)}, {Py_tp_clear, slot(clear_source)},
                           {Py_tp_dealloc, slot(free_source)},   {Py_tp_methods, source_methods},
                           {Py_tp_getset, source_attributes},    {0, nullptr}};
    PyType_Spec spec = {"cuarray.RandomSource", int(sizeof(RandomSource)), 0,
                        unsigned(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC), slots};
    source_type = reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpec(&spec)).release());
    check(PyModule_AddObjectRef(module, "RandomSource", reinterpret_cast<PyObject*>(source_type)));
}

}  // namespace cuarray::python

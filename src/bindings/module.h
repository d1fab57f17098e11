// module.h -- the parts of cuarray._core. Those that take a pybind11::module_ are bound with pybind11.
#pragma once
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>
#include "bindings/python.h"

namespace pybind11 {
class module_;
}

namespace cuarray::python {

void bind_devices(pybind11::module_& module);  ///< the class device, current and default device, doctor
void bind_arrays(pybind11::module_& module);   ///< creation, joining, memory questions, reductions
void bind_array_functions(PyObject* module);
void bind_dtype_functions(PyObject* module);
void bind_other_arrays(PyObject* module);              ///< what other libraries' arrays are
void bind_numba_arguments(pybind11::module_& module);  ///< arrays in Numba's compiled functions
void bind_ufunc_methods(PyObject* module);             ///< what functions along an axis are made of
void bind_indexing(pybind11::module_& module);         ///< elements along an axis, by positions
void bind_padding(PyObject* module);                   ///< margins of arrays
void bind_sorting(pybind11::module_& module);          ///< sorting, selecting and searching
void bind_pools(pybind11::module_& module);            ///< what cuarray.memory is made of
void bind_loans(PyObject* module);                     ///< memory lent for the time of a call
void bind_tables(pybind11::module_& module);           ///< dtypes, promotion, rows and reductions as data
void bind_streams(pybind11::module_& module);          ///< streams, events, graphs
void bind_hooks(pybind11::module_& module);            ///< library locator, warnings, the end of the process
void bind_python_frames(pybind11::module_& module);    ///< which line of the program is running
void bind_wrapped_functions(PyObject* module);         ///< functions that are not bound, or ask a fallback
void bind_fallback(PyObject* module);                  ///< what operators ask where they know no answer
void bind_imports(PyObject* module);                   ///< __import__ for programs that import NumPy
void bind_functions(PyObject* module);                 ///< the rows of functions.def
void bind_profile(pybind11::module_& module);          ///< recording for cuarray.profile
void bind_random(PyObject* module);                    ///< numbers of NumPy's bit generators
void bind_sequence(pybind11::module_& module);         ///< numbers of a PCG64 in its order

/// An argument of a function of the package's own modules.
template <class T>
T private_argument(PyObject* object) {
    if constexpr (std::is_same_v<T, const char*>)
        return to_text(object, {"an argument"}).data();
    else
        return object;
}

/// A function of the package's own modules, for METH_FASTCALL: body(a, b), of objects and texts in their order.
template <auto body>
PyObject* private_function(PyObject*, Arguments args, Py_ssize_t count) noexcept {
    const auto call = [&]<class R, class... T, size_t... k>(R (*)(T...), std::index_sequence<k...>) {
        if (count != sizeof...(T)) fail(PyExc_TypeError, "%zd arguments are needed, not %zd", sizeof...(T), count);
        if constexpr (std::is_void_v<R>) {
            body(private_argument<T>(args[k])...);
            return Py_NewRef(Py_None);
        } else {
            return body(private_argument<T>(args[k])...).release();
        }
    };
    const auto arity = []<class R, class... T>(R (*)(T...)) { return std::index_sequence_for<T...>(); };
    return guarded([&] { return call(body, arity(body)); });
}
template <auto body>
PyMethodDef private_method(const char* name, const char* text) {
    return {name, method(private_function<body>), METH_FASTCALL, text};
}

/// The `with` blocks of one kind that this thread is in: each holds what ends with it.
template <class Scope> class WithBlocks {
 public:
    template <class... Args> static void enter(Args&&... args) {
        open_.push_back(std::make_unique<Scope>(std::forward<Args>(args)...));
    }
    static void leave() {
        if (!open_.empty()) open_.pop_back();
    }

 private:
    static inline thread_local std::vector<std::unique_ptr<Scope>> open_;
};

}  // namespace cuarray::python

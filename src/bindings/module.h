// module.h -- the parts of cuarray._core that are bound with pybind11.
#pragma once
#include <pybind11/pybind11.h>
#include <algorithm>
#include <memory>
#include <vector>
#include "bindings/convert.h"

namespace cuarray::python {

void bind_devices(pybind11::module_& module);  ///< the class device, current and default device, doctor
void bind_arrays(pybind11::module_& module);   ///< creation, joining, memory questions, reductions
void bind_other_arrays(pybind11::module_& module);  ///< what other libraries' arrays are
void bind_ufunc_methods(pybind11::module_& module);  ///< what functions along an axis are made of
void bind_indexing(pybind11::module_& module);  ///< elements along an axis, by positions
void bind_sorting(pybind11::module_& module);  ///< sorting, selecting and searching
void bind_pools(pybind11::module_& module);   ///< what cuarray.memory is made of
void bind_tables(pybind11::module_& module);   ///< dtypes, promotion, rows and reductions as data
void bind_streams(pybind11::module_& module);  ///< streams, events, graphs
void bind_hooks(pybind11::module_& module);    ///< library locator, warnings, the end of the process
void bind_python_frames(pybind11::module_& module);    ///< which line of the program is running
void bind_profile(pybind11::module_& module);  ///< recording for cuarray.profile

/// The device that an argument names, or None for the current one. A device that is named works even where the default
/// one (CUARRAY_DEVICE) does not.
Device asked_device(const pybind11::object& device);

/// The array that an argument must be.
Array& array_argument(const pybind11::object& object, const char* function);

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

/// The name of a parameter, as a template argument.
template <size_t N> struct ParameterName {
    constexpr ParameterName(const char (&name)[N]) { std::copy_n(name, N, text); }
    char text[N];
};

/// An integer that a caller of the package gave: what is none, or does not fit, raises by the parameter's name, where
/// pybind11 would tell of the functions that it knows.
template <ParameterName name> struct Integer {
    int64_t value = 0;
    operator int64_t() const { return value; }
};

/// An Object as pybind11 holds it.
inline pybind11::object handed_over(Object object) {
    return pybind11::reinterpret_steal<pybind11::object>(object.release());
}
inline pybind11::object handed_over(PyObject* made) {
    if (!made) throw pybind11::error_already_set();
    return pybind11::reinterpret_steal<pybind11::object>(made);
}

}  // namespace cuarray::python

namespace pybind11::detail {

template <cuarray::python::ParameterName parameter> struct type_caster<cuarray::python::Integer<parameter>> {
    PYBIND11_TYPE_CASTER(cuarray::python::Integer<parameter>, const_name("int"));
    bool load(handle source, bool) {
        value.value = cuarray::python::to_int64(source.ptr(), parameter.text);
        return true;
    }
};

}  // namespace pybind11::detail

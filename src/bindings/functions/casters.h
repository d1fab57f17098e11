// casters.h -- pybind11's type casters over the converters of convert.h.
#pragma once
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/type_caster_pyobject_ptr.h>
#include <algorithm>
#include "bindings/functions/convert.h"
#include "bindings/types/ndarray.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {

/// The name of a parameter, as a template argument.
template <size_t N>
struct ParameterName {
    constexpr ParameterName(const char (&name)[N]) { std::copy_n(name, N, text); }
    char text[N];
};

/// An integer that a caller of the package gave: what is none, or does not fit, raises by the parameter's
/// name, where pybind11 would tell of the functions that it knows.
template <ParameterName name>
struct Integer {
    int64_t value = 0;
    operator int64_t() const { return value; }
};

}  // namespace cuarray::python

namespace pybind11::detail {

template <>
struct type_caster<cuarray::python::Object> {
    static constexpr auto name = const_name("object");
    static handle cast(cuarray::python::Object object, return_value_policy, handle) { return object.release(); }
};

template <cuarray::python::ParameterName parameter>
struct type_caster<cuarray::python::Integer<parameter>> {
    PYBIND11_TYPE_CASTER(cuarray::python::Integer<parameter>, const_name("int"));
    bool load(handle source, bool) {
        value.value = cuarray::python::to_int64(source.ptr(), {parameter.text});
        return true;
    }
};

/// None is DType::none.
template <>
struct type_caster<cuarray::DType> {
    PYBIND11_TYPE_CASTER(cuarray::DType, const_name("dtype"));
    bool load(handle source, bool) {
        value = cuarray::python::to_dtype(source.ptr(), cuarray::DType::none);
        return true;
    }
    static handle cast(cuarray::DType dtype, return_value_policy, handle) {
        return cuarray::python::to_python(dtype).release();
    }
};

/// None is the current device, which is not asked for where another one is named: it may not work.
template <>
struct type_caster<cuarray::Device> : type_caster_base<cuarray::Device> {
    bool load(handle source, bool) {
        device_ = source.is_none() ? cuarray::current_device() : cuarray::python::to_device(source.ptr(), {});
        value = &device_;
        return true;
    }
    static handle cast(cuarray::Device device, return_value_policy, handle) {
        return cuarray::python::to_python(device).release();
    }

 private:
    cuarray::Device device_;
};

/// A shape: none of its extents is negative.
template <>
struct type_caster<cuarray::Dims> {
    PYBIND11_TYPE_CASTER(cuarray::Dims, const_name("tuple"));
    bool load(handle source, bool) {
        value = cuarray::python::to_shape(source.ptr());
        return true;
    }
    static handle cast(const cuarray::Dims& dims, return_value_policy, handle) {
        return cuarray::python::to_python(dims).release();
    }
};

/// An ndarray. For `const Array*` None is null; what is returned is the result of an operation, without axes
/// a value.
template <>
struct type_caster<cuarray::Array> {
    static constexpr auto name = const_name("ndarray");
    bool load(handle source, bool) {
        array_ = source.is_none() ? nullptr : &cuarray::python::to_array(source.ptr());
        return true;
    }
    static handle cast(cuarray::Array&& result, return_value_policy, handle) {
        return cuarray::python::wrap_result(std::move(result));
    }
    template <class T>
    using cast_op_type =
        std::conditional_t<std::is_pointer_v<std::remove_reference_t<T>>, cuarray::Array*, cuarray::Array&>;
    operator cuarray::Array*() { return array_; }
    operator cuarray::Array&() { return array_ ? *array_ : cuarray::python::to_array(Py_None); }

 private:
    cuarray::Array* array_ = nullptr;
};

}  // namespace pybind11::detail

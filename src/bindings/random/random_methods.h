// random_methods.h -- the methods of generators as objects of Python.
#pragma once
#include "bindings/random/random_source.h"
#include "cuarray/ops/functions.h"

namespace cuarray::python {

struct FunctionCall;

/// A method of Generator or of RandomState, whose name is "Generator.normal".
struct RandomMethod : FunctionRow {
    PyObject* (*run)(const FunctionCall& call);
    PyObject* own_name;       ///< without the class, as Python's
    PyObject* names_of_last;  ///< a tuple of those that are passed by name, or null
    int size;                 ///< the place of the parameter `size`, or -1
    int count;                ///< of parameters, with `self`
    PyObject* defaults;       ///< of the last positional ones: a tuple, which are NumPy's as well
    int fill;                 ///< the row of random_fills.h that draws it for plain arguments, or -1
};

/// The method that a Python function of its qualified name describes: the parameters are those of NumPy's method.
RandomMethod& make_random_method(PyObject* prototype);

}  // namespace cuarray::python

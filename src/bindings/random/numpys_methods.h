// numpys_methods.h -- calls of the methods of NumPy's generators: arguments as NumPy takes them, and what it has drawn
// as arrays of a device.
#pragma once
#include <span>
#include "bindings/random/random_source.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"

namespace cuarray::python {

/// A call of a method of NumPy's generator.
class NumpysCall {
 public:
    NumpysCall(const RandomSource& source, PyObject* method) : method_(method), host_(Object::share(source.host)) {
        arguments_.push_back(host_.get());
    }
    /// Adds the next argument, which lives until the call.
    void add(PyObject* argument) { arguments_.push_back(argument); }
    /// The result; `names`, if it is not null, are those of the last arguments. Errors begin with the method's name.
    Object run(PyObject* names = nullptr);

 private:
    PyObject* method_;
    Object host_;
    Few<PyObject*, 10> arguments_;
};

/// A parameter as NumPy reads it: arrays of ours, in lists as well, are views of the host's memory, or copies of a
/// GPU's, which waits.
Object numpys_argument(PyObject* object, const char* method);
/// A size as None, an int or a tuple of ints.
Object numpys_size(PyObject* size, const char* method);
/// Entries of which some are drawn, as an array of ours, or of NumPy's where they are no numbers: texts, objects. Lists
/// go to a device, or if that is None to the current one.
Object population_of(PyObject* object, PyObject* device, const char* method);
/// The device of a draw with parameters: that of the first array which is no number of the host, else that of the
/// source's new arrays. ValueError for arrays on several devices.
Device device_of_draw(const RandomSource& source, std::span<PyObject* const> parameters, const char* method);
/// What NumPy has drawn, as an array with memory of its own, or as a value if it is one number; of that dtype, if there
/// is one. Programs of cuarray.numpy get a number of Python's on `cpu`, as NumPy gives it.
PyObject* give_drawn(PyObject* numbers, Device device, const char* method, DType dtype = DType::none);

}  // namespace cuarray::python

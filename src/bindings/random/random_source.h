// random_source.h -- the type that generators derive from: NumPy's generator, its bit generator, and the device of new
// arrays.
#pragma once
#include "bindings/random/bit_generator.h"
#include "cuarray/runtime/runtime.h"

namespace cuarray::python {

/// What a generator draws from.
struct RandomSource {
    PyObject_HEAD PyObject* host;  ///< NumPy's Generator or RandomState
    PyObject* device;              ///< where new arrays go; None: the current device
    PyObject* bit_generator;
    PyObject *acquire, *release;  ///< methods of its lock
    BitGenerator bits;
    bool is_pcg64;  ///< whose numbers we draw, too: by threads, and on GPUs
};

/// The source of a method that was called; TypeError for other objects, and for a source that draws from nothing yet.
const RandomSource& to_source(PyObject* self, const char* method);
/// Where its new arrays go.
Device device_of(const RandomSource& source);

/// The bit generator of a source for the time of a draw: locked, and kept alive.
class LockedBits {
 public:
    explicit LockedBits(const RandomSource& source)
        : owner_(Object::share(source.bit_generator)),
          acquire_(Object::share(source.acquire)),
          release_(Object::share(source.release)),
          bits_(source.bits),
          lock_(acquire_.get(), release_.get()) {}
    BitGenerator* get() { return &bits_; }

 private:
    const Object owner_, acquire_, release_;
    BitGenerator bits_;
    const Locked lock_;
};

/// Makes the type.
void make_random_source_type(PyObject* module);

}  // namespace cuarray::python

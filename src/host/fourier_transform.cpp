// fourier_transform.cpp -- the refusal of Fourier transforms: on the host they are NumPy's (cuarray/fft.py).
#include "host/tasks.h"

namespace cuarray::host {

void run(const LoopLibrary&, const FourierTransform& task) {
    raise(ErrorKind::NotImplemented, task.name, ": the transforms of cpu are NumPy's; C++ programs have those of GPUs");
}

}  // namespace cuarray::host

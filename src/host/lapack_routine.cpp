// lapack_routine.cpp -- the refusal of LAPACK's routines: on the host NumPy calls them (cuarray/_linalg/lapack.py).
#include "host/tasks.h"

namespace cuarray::host {

void run(const LoopLibrary&, const LapackRoutine& task) {
    raise(ErrorKind::NotImplemented, task.name,
          ": the factorisations of cpu are NumPy's; C++ programs have those of GPUs");
}

}  // namespace cuarray::host

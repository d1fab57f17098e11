// lapack_routine.cpp -- the refusal of LAPACK's single routines: the host runs its drivers (lapack.cpp).
#include "host/tasks.h"

namespace cuarray::host {

void run(const LoopLibrary&, const LapackRoutine& task) {
    raise(ErrorKind::NotImplemented, task.name, ": single routines of LAPACK are for GPUs; cpu has their drivers");
}

}  // namespace cuarray::host

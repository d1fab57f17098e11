// random_fill.cpp -- draws random numbers by threads: each takes whole blocks of the sequence.
#include "host/radix.h"
#include "host/tasks.h"

namespace cuarray::host {

void run(const LoopLibrary& library, const RandomFill& task) {
    kernel::RandomParameters p = task.numbers;
    p.result = task.result.data();
    for (int k = 0; k < 3; ++k)
        if (const View& of = task.parameters[k]; of.storage) p.of[k] = reinterpret_cast<const double*>(of.data());
    each_chunk(task.blocks(), threads_of(int64_t(p.n)),
               [&](int, int64_t begin, int64_t end) { library.draws[int(task.draw)](&p, begin, end); });
}

}  // namespace cuarray::host

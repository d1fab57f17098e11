// explain.h -- what waits to be computed for an array, and how it would run.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include "cuarray/array/array.h"

namespace cuarray {

/// An array that is read or written, an extent being 1 where its elements are broadcast.
struct ExplainedOperand {
    Dims shape;
    DType dtype;
    int64_t bytes;  ///< each element once
};

/// One pass over memory, or one kernel, that computes deferred operations.
struct ExplainedRun {
    Device device;
    Dims shape;                           ///< of the operations
    std::vector<std::string> operations;  ///< their names, in order
    std::string expression;               ///< "a*b + sin(c)": the inputs in the order in which they are read
    std::vector<ExplainedOperand> inputs, outputs;
    std::string how;   ///< what computes it: "machine code, avx512, of 3 operations"
    std::string end;   ///< why the next run is not part of it; "" if there is no reason but the order
    std::string code;  ///< if asked for: instructions of `cpu`, the CUDA text of a GPU's kernel

    CUARRAY_API int64_t bytes_read() const;
    CUARRAY_API int64_t bytes_written() const;
};

/// The runs that would compute an array, in order.
struct Explanation {
    std::vector<ExplainedRun> runs;
    std::string stored;  ///< if there are none: whether operations on the array would wait, and why not
};

/// Explains what reading the arrays, one after the other, would compute now. Nothing is computed or allocated.
CUARRAY_API Explanation explain(std::span<const Array* const> arrays, bool with_code = false);
CUARRAY_API Explanation explain(const Array& array, bool with_code = false);
CUARRAY_API std::string to_string(const Explanation& explanation);

}  // namespace cuarray

// source.h -- generates the CUDA source of a program: a pure function that needs no GPU, no compiler and no file.
//
// A module has one entry point per requested Walk, all compiled from the same element text. The text depends only
// on the structure of the Expr: scalars, extents, strides, alignment, broadcasting and in-place use are parameters
// (kernel/index.h). The text is therefore the key of kernel caches.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include "cuarray/core/expr.h"

namespace cuarray {

/// How a kernel addresses its elements.
enum class Walk : uint8_t {
    Contiguous,   ///< elementwise, one axis, operands contiguous or broadcast; 16-byte accesses
    Rows,         ///< elementwise, up to 8 axes; operands contiguous or broadcast along the last; 16-byte accesses
    StridedRows,  ///< elementwise, 2 to 8 axes, any strides
    Tiles,  ///< elementwise, 2 to 8 axes; some inputs contiguous down the columns: through tiles in shared memory,
            ///< 16-byte accesses
    StridedTiles,   ///< the same, any strides
    Strided,        ///< elementwise, one strided axis
    Tree,           ///< reduction over one axis
    TreeLines,      ///< reduction over one axis, operands contiguous or broadcast along it; 16-byte accesses
    TreeStrided,    ///< reduction over several axes, 32-bit index
    TreeStrided64,  ///< reduction over several axes, 64-bit index
    Short,          ///< reduction of at most 256 elements, one thread per output
    InOrder,        ///< fold strictly left to right, one thread per output
    Scan,           ///< scan in tiles, 32-bit index
    Scan64,         ///< scan in tiles, 64-bit index
    ScanInOrder     ///< scan strictly left to right, one thread per line
};
CUARRAY_API const char* to_string(Walk walk);

/// The computation of a kernel: an Expr elementwise; or a fold of the Expr's output 0, with a reduction or with a
/// binary loop; or a scan of output 0 with a binary loop.
struct Program {
    const Expr* expr;
    ReductionId reduction = kNone;
    LoopId loop = kNone;
    bool scans = false;
};

/// A kernel written entirely in kernel/*.h, without an Expr: the name of its entry point, the struct of its first
/// parameter, and the function, with its template arguments, that the entry point calls.
struct NamedKernel {
    std::string entry;
    std::string_view parameters;  ///< the type of the structure; lives as long as the process
    std::string function;
    bool faults = false;  ///< whether the function takes the fault sink
    int threads = 256;
    bool has_complex = false;   ///< whether it computes with complex numbers
    bool is_optimised = false;  ///< whether kFastCompile is left out
};

/// The complete text for NVRTC.
CUARRAY_API std::string kernel_source(const NamedKernel& kernel);

/// The walks that a program can be compiled for, the common one first.
CUARRAY_API std::span<const Walk> walks(const Program& program);

/// "hypot_f32_f32" for one row, "fused_" and a hash for several, "sum_of_" before it for a reduction.
CUARRAY_API std::string kernel_name(const Program& program);

/// The entry point of one walk: the kernel's name and the walk's.
CUARRAY_API std::string entry_point(const Program& program, Walk walk);

/// The complete text for NVRTC. NotImplementedError if the operands and scalars exceed the 4 KB of kernel
/// parameters.
CUARRAY_API std::string kernel_source(const Program& program, std::span<const Walk> walks);

/// Whether two programs have equal structure, and so equal text; the values of scalars do not matter.
CUARRAY_API bool same_program(const Program& a, const Program& b);
CUARRAY_API uint64_t program_hash(const Program& program);

/// The compile options of kernels, the most dispensable last; an option that an NVRTC does not know is left out.
/// The caller adds the architecture.
CUARRAY_API std::span<const char* const> compile_options();

/// The option that is left out for texts that begin with kOptimised.
inline constexpr std::string_view kFastCompile = "--Ofast-compile=min", kOptimised = "// optimised\n";

}  // namespace cuarray

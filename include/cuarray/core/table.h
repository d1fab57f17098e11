// table.h -- the rows of ufuncs.def and reductions.def as data, and the one type rule that picks a loop.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include "cuarray/core/dtype.h"
#include "cuarray/core/scalar.h"
#include "cuarray/kernel/flags.h"

namespace cuarray {

constexpr int kMaxIn = 3;   ///< inputs of a row
constexpr int kMaxOut = 2;  ///< outputs of a row
using RowId = uint16_t;
using LoopId = uint16_t;
using ReductionId = uint16_t;
constexpr uint16_t kNone = 0xffff;

/// One row of ufuncs.def.
struct Row {
    const char* name;
    uint8_t nin, nout;
    uint32_t domain;       ///< bit d set: dtype d has a loop
    uint32_t flags;        ///< bits of Flag (kernel/flags.h)
    const char* identity;  ///< text such as "0", "1", "true"; null for NONE
    const char* inputs;    ///< "(T, T)"
    const char* outputs;   ///< "(T)"
    const char* doc;
    const char* body;
    const char* text;  ///< the whole row as it stands in ufuncs.def, for the kernel generator
    LoopId first_loop;
    uint16_t loops;  ///< how many, in table order
    bool has(Flag flag) const { return (flags & flag) != 0; }
};

/// A row at one type: what a backend runs.
struct Loop {
    RowId row;
    DType T;  ///< the first template argument
    DType U;  ///< the second: T, but where Exact64 or EitherInt give the second input a type of its own
    DType in[kMaxIn];
    DType out[kMaxOut];
};

/// One row of reductions.def.
struct ReductionRow {
    const char* name;
    uint32_t domain;
    uint32_t flags;
    const char* accumulator;  ///< its text, in T
    const char* identity;     ///< null for NONE: an empty reduction raises ValueError
    const char* doc;
    const char *map, *combine, *finish;
    const char* text;
};

CUARRAY_API std::span<const Row> rows();
CUARRAY_API std::span<const Loop> loops();
CUARRAY_API std::span<const ReductionRow> reductions();
CUARRAY_API RowId find_row(std::string_view name);              ///< kNone if there is none
CUARRAY_API ReductionId find_reduction(std::string_view name);  ///< kNone if there is none

/// What an empty reduce with this row gives, of dtype `dtype`; only where Row::identity is not null.
CUARRAY_API Scalar row_identity(RowId row, DType dtype);

/// The dtype that reduction `r` gives for elements of dtype T (argmax: int64); its accumulator's bytes.
CUARRAY_API DType reduction_result(ReductionId r, DType T);
CUARRAY_API int accumulator_size(ReductionId r, DType T);
/// What an empty fold gives, of dtype reduction_result(r, T) (sum: 0); only where identity is not null.
CUARRAY_API Scalar reduction_identity(ReductionId r, DType T);

/// An argument as the type rule sees it: a dtype, or a Python number's kind.
struct ArgType {
    DType dtype = DType::none;  ///< none: a weak scalar
    Weak::Kind weak = Weak::Kind::Int;
    bool is_weak() const { return dtype == DType::none; }
};

/// The first loop, in table order, whose inputs safely hold the arguments; kNone if none does.
CUARRAY_API LoopId resolve(RowId row, std::span<const ArgType> args);

/// The dtypes of a loop that a caller fixes (NumPy's signature): inputs, then outputs; none where any will do.
struct LoopSignature {
    DType types[kMaxIn + kMaxOut] = {DType::none, DType::none, DType::none, DType::none, DType::none};
};

/// The first loop with these dtypes whose inputs safely hold the arguments. Where there is none and all outputs are
/// fixed to one dtype, the loop whose free inputs have it as well, whatever has to be cast; else kNone.
CUARRAY_API LoopId resolve(RowId row, std::span<const ArgType> args, const LoopSignature& signature);

/// The dtype of an expression over these arguments (numpy.result_type).
CUARRAY_API DType result_type(std::span<const ArgType> args);

/// The loop of `row` whose T is `dtype`, or kNone.
CUARRAY_API LoopId loop_for(RowId row, DType dtype);

}  // namespace cuarray

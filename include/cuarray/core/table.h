// table.h -- the rows of ufuncs.def and reductions.def as data, and type resolution, which selects a loop.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
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

/// The rows of ufuncs.def by name, for whoever computes with one: row::multiply.
namespace row {
enum : RowId {
#define UFUNC(name, ...) name,
#include "cuarray/ufuncs.def"
    kCount,
    NONE = kNone
};
}  // namespace row
constexpr int kRows = row::kCount;

/// The rows of reductions.def: reduction::sum.
namespace reduction {
enum : ReductionId {
#define REDUCTION(name, ...) name,
#include "cuarray/reductions.def"
    kCount
};
}  // namespace reduction
constexpr int kReductions = reduction::kCount;

/// One row of ufuncs.def.
struct Row {
    const char* name;
    uint8_t nin, nout;
    uint32_t domain;       ///< bit d set: dtype d has a loop
    uint32_t flags;        ///< bits of Flag (kernel/flags.h)
    const char* identity;  ///< text such as "0", "1", "true"; null for NONE
    const char* doc;
    const char* body;
    LoopId first_loop;
    uint16_t loops;         ///< number of loops, in table order
    ReductionId reduction;  ///< what reduce uses; kNone: a left fold with the row itself
    bool has(Flag flag) const { return (flags & flag) != 0; }
};

/// A row at one type: the unit that a backend runs.
struct Loop {
    RowId row;
    DType T;  ///< the first template argument
    DType U;  ///< the second: equal to T unless Exact64 or EitherInt gives the second input another type
    DType in[kMaxIn];
    DType out[kMaxOut];
};

/// One row of reductions.def.
struct ReductionRow {
    const char* name;
    RowId ufunc;  ///< whose reduce this is, or kNone
    uint32_t domain;
    uint32_t flags;          ///< bits of Flag (kernel/flags.h)
    const char* parameters;  ///< of the Python function, "(axis, out, *, keepdims)"; null for Private
    const char* example;     ///< what kReductionSample gives along axis 0; null for Private
    bool is_method;          ///< whether arrays have it as a method
    bool has_identity;       ///< false: an empty reduction raises ValueError
    const char* doc;
    bool has(Flag flag) const { return (flags & flag) != 0; }
};
constexpr const char* kReductionSample = "[[0, 5], [3, 4]]";

/// Where the tables are, since the library was loaded.
struct Tables {
    std::span<const Row> rows;
    std::span<const Loop> loops;
};
CUARRAY_API extern const Tables tables;

inline std::span<const Row> rows() { return tables.rows; }
inline std::span<const Loop> loops() { return tables.loops; }
CUARRAY_API std::span<const ReductionRow> reductions();
CUARRAY_API RowId find_row(std::string_view name);              ///< kNone if there is none
CUARRAY_API ReductionId find_reduction(std::string_view name);  ///< kNone if there is none
/// The words of a row's column of flags.
CUARRAY_API std::vector<const char*> flag_words(uint32_t flags);

/// The result of an empty reduce with this row, of dtype `dtype`; requires that Row::identity is not null.
CUARRAY_API Scalar row_identity(RowId row, DType dtype);

/// The result dtype of reduction `r` over elements of dtype T (argmax: int64), and the accumulator's size in bytes.
CUARRAY_API DType reduction_result(ReductionId r, DType T);
CUARRAY_API int accumulator_size(ReductionId r, DType T);
/// The result of an empty reduction, of dtype reduction_result(r, T) (sum: 0); requires that identity is not null.
CUARRAY_API Scalar reduction_identity(ReductionId r, DType T);

/// An argument of type resolution: a dtype, or a Python number's kind.
struct ArgType {
    DType dtype = DType::none;  ///< none: a weak scalar
    Weak::Kind weak = Weak::Kind::Int;
    bool is_weak() const { return dtype == DType::none; }
};

/// The first loop, in table order, to whose inputs all arguments cast safely; kNone if there is none.
CUARRAY_API LoopId resolve(RowId row, std::span<const ArgType> args);

/// The dtypes of a loop that a caller fixes (NumPy's signature): inputs, then outputs; DType::none accepts any.
struct LoopSignature {
    DType types[kMaxIn + kMaxOut] = {DType::none, DType::none, DType::none, DType::none, DType::none};
};

/// The first loop with these dtypes to whose inputs all arguments cast safely. If there is none and all outputs are
/// fixed to one dtype: the loop whose unfixed inputs have that dtype too, even if the casts are unsafe; else kNone.
CUARRAY_API LoopId resolve(RowId row, std::span<const ArgType> args, const LoopSignature& signature);

/// The dtype of an expression over these arguments (numpy.result_type).
CUARRAY_API DType result_type(std::span<const ArgType> args);

/// The loop of `row` whose T is `dtype`, or kNone.
CUARRAY_API LoopId loop_for(RowId row, DType dtype);

}  // namespace cuarray

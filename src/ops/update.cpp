// update.cpp -- plans ufunc.at: the loop, whose results are cast as in an assignment, the selected elements, then one
// task.
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/reduceat.h"
#include "ops/binary_loop.h"
#include "ops/indexed_elements.h"
#include "ops/packed.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

void check(RowId id, const Array& array, const Array* values) {
    const Row& row = rows()[id];
    if (row.nout != 1 || row.nin > 2)
        raise(ErrorKind::Value, row.name, ".at: only unary and binary functions with one result are supported");
    if (!array.is_writable()) raise(ErrorKind::Value, row.name, ".at: the array is read-only");
    if (values && !(values->device() == array.device()))
        raise(ErrorKind::Value, row.name, ".at: operands are on ", to_string(array.device()), " and ",
              to_string(values->device()), "; move one with .to_device(...)");
}

LoopId loop_of(RowId id, const Array& array, const Array* values) {
    const Row& row = rows()[id];
    const ArgType types[] = {{array.dtype(), {}}, {values ? values->dtype() : DType::none, {}}};
    const LoopId loop = resolve(id, {types, size_t(row.nin)});
    if (loop == kNone) {
        std::string text = info(array.dtype()).name;
        if (values) text += std::string(" and ") + info(values->dtype()).name;
        raise(ErrorKind::Type, row.name, ".at: not supported for ", text);
    }
    return loop;
}

/// A view selects no element twice, so a call with out= is enough.
void update_view(RowId id, const Array& target, const Array* values) {
    Array out = target;
    UfuncOptions options;
    options.out[0] = &out;
    options.casting = Casting::Unsafe;
    const Argument args[] = {target, values ? *values : target};
    call(id, {args, size_t(rows()[id].nin)}, options);
}

}  // namespace

void update_at(RowId id, const Array& array, std::span<const Index> index, const Array* values) {
    const char* const name = rows()[id].name;
    check(id, array, values);
    if (!is_advanced(index)) return update_view(id, basic_index(array, index), values);
    const LoopId loop = loop_of(id, array, values);
    if (!is_aligned(array)) {
        const Array aligned = copy(array, 'C');
        update_at(id, aligned, index, values);
        return assign(array, aligned, name);
    }
    warn_of_lost_imaginary_part(loops()[loop].out[0], array.dtype());
    const IndexedElements places = places_of(array, index, true);
    Array elements = array;
    View chosen;
    if (values) {
        elements = astype(*values, loops()[loop].in[1], 'K', false);
        if (overlaps(elements, array) || !is_aligned(elements)) elements = copy(elements, 'K');
        chosen = elements.as_operand(places.shape, name);
    } else {
        chosen = array.as_operand(array.shape(), name);
        chosen.strides = Dims::filled(places.shape.size(), 0);
    }
    if (check_empty(places, name)) return;
    if (values && rows()[id].has(NegativeFault) && info(loops()[loop].in[1]).kind == Kind::Signed) {
        check_inside(places, name);  // an index outside is told first
        check_exponents(id, *values, 0, false, loops()[loop].in[1], name);
    }
    before_write(array.storage());
    View base = places.base.as_operand(places.base.shape(), name);
    base.strides = places.strides;
    array.storage().front().run(IndexedAccess{IndexedAccess::Kind::Update, places.shape, base, places.indices, chosen,
                                              Outside::Raise, name, loop});
}

}  // namespace cuarray

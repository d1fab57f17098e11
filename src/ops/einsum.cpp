// einsum.cpp -- contracts labelled arrays two at a time: as products of elements, as their sums, or as matrix products.
#include "cuarray/ops/einsum.h"

#include <algorithm>
#include <string>

#include "cuarray/ops/matmul.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/runtime/memory.h"
#include "ops/einsum_labels.h"
#include "ops/einsum_path.h"
#include "ops/sum_of_products.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

constexpr const char* kEinsum = "einsum";

int position(const Dims& labels, int64_t label) {
    const int64_t* const at = std::find(labels.begin(), labels.end(), label);
    return at == labels.end() ? -1 : int(at - labels.begin());
}
bool has(const Dims& labels, int64_t label) { return position(labels, label) >= 0; }

int64_t extent_of(const LabelledArray& term, int64_t label) { return term.array.shape()[position(term.labels, label)]; }

std::string name_of(int64_t label) { return label >= 128 ? "'...'" : std::string("'") + char(label) + "'"; }

[[noreturn]] void raise_extents(int64_t label, int64_t one, int64_t other) {
    raise(ErrorKind::Value, kEinsum, ": ", name_of(label), " names axes of ", one, " and ", other, " elements");
}

/// The extent of each label in all terms.
class Extents {
 public:
    void add(const LabelledArray& term) {
        for (int d = 0; d < term.labels.size(); ++d) {
            const int64_t label = term.labels[d], extent = term.array.shape()[d];
            const int at = position(labels_, label);
            if (at < 0) {
                labels_.push_back(label);
                extents_.push_back(extent);
            } else if (extents_[at] == 1) {
                extents_[at] = extent;
            } else if (extent != 1 && extent != extents_[at]) {
                raise_extents(label, extents_[at], extent);
            }
        }
    }
    int64_t operator[](int64_t label) const { return extents_[position(labels_, label)]; }

 private:
    Dims labels_, extents_;
};

/// A view with the axes of `labels`, in their order. Axes that it lacks get one element.
Array arranged(const LabelledArray& term, const Dims& labels) {
    if (labels == term.labels) return term.array;
    Layout layout;
    for (const int64_t label : labels) {
        const int at = position(term.labels, label);
        layout.shape.push_back(at < 0 ? 1 : term.array.shape()[at]);
        layout.strides.push_back(at < 0 ? 0 : term.array.strides()[at]);
    }
    return term.array.view(layout);
}

/// A view in which each label has one axis, without those of one element that broadcast.
LabelledArray simplified(const LabelledArray& term, const Extents& extents) {
    LabelledArray result;
    Layout layout;
    bool is_same = true;
    for (int d = 0; d < term.labels.size(); ++d) {
        const int64_t label = term.labels[d], extent = term.array.shape()[d];
        const int at = position(result.labels, label);
        if (at >= 0) {
            if (layout.shape[at] != extent) raise_extents(label, layout.shape[at], extent);
            layout.strides[at] += term.array.strides()[d];
        } else {
            result.labels.push_back(label);
            layout.shape.push_back(extent);
            layout.strides.push_back(term.array.strides()[d]);
        }
        is_same = is_same && at < 0;
    }
    for (int d = result.labels.size() - 1; d >= 0; --d) {
        if (layout.shape[d] == extents[result.labels[d]]) continue;
        result.labels.erase(d);
        layout.shape.erase(d);
        layout.strides.erase(d);
        is_same = false;
    }
    return is_same ? term : LabelledArray{term.array.view(layout), result.labels};
}

/// The term summed over the labels for which `is_kept` is false.
template <class IsKept>
LabelledArray summed(const LabelledArray& term, IsKept is_kept) {
    ReduceOptions options;
    Dims labels;
    for (int d = 0; d < term.labels.size(); ++d)
        is_kept(term.labels[d]) ? labels.push_back(term.labels[d]) : options.axes.push_back(d);
    if (options.axes.empty()) return term;
    options.all_axes = false;
    const DType dtype = term.array.dtype();
    if (dtype != DType::bool_) options.dtype = dtype;
    options.name = kEinsum;
    return {reduce(dtype == DType::bool_ ? reduction::any : reduction::sum, term.array, options), labels};
}

int64_t size_of(const LabelledArray& term, const Dims& labels) {
    int64_t size = 1;
    for (const int64_t label : labels) size *= extent_of(term, label);
    return size;
}

Dims joined_labels(const Dims& a, const Dims& b, const Dims& c = {}) {
    Dims all = a;
    for (const int64_t label : b) all.push_back(label);
    for (const int64_t label : c) all.push_back(label);
    return all;
}

Dims without(Dims labels, int axis) {
    labels.erase(axis);
    return labels;
}

/// The smallest distance in memory between elements that differ in one of the labels.
int64_t apart(const LabelledArray& term, const Dims& labels) {
    int64_t least = kNoLimit;
    for (const int64_t label : labels)
        least = std::min(least, std::abs(term.array.strides()[position(term.labels, label)]));
    return least;
}

/// A stack of matrices, `first` down and `second` across; a group without labels has no axis, unless it stands in a
/// stack.
Array as_matrices(const LabelledArray& term, const Dims& stack, const Dims& first, const Dims& second) {
    const Array array = arranged(term, joined_labels(stack, first, second));
    const bool has_all_axes = !stack.empty();
    if (first.size() <= 1 && second.size() <= 1 && (!has_all_axes || (first.size() && second.size()))) return array;
    if (!first.empty() && !second.empty() && apart(term, first) < apart(term, second)) {
        // If this is a copy, it keeps neighbours together, and a library takes it transposed.
        Dims axes;
        for (int axis = 0; axis <= stack.size() + 1; ++axis) axes.push_back(axis);
        std::swap(axes[stack.size()], axes[stack.size() + 1]);
        return as_matrices(term, stack, second, first).transpose(axes);
    }
    Dims shape;
    for (const int64_t label : stack) shape.push_back(extent_of(term, label));
    for (const Dims* const group : {&first, &second})
        if (has_all_axes || !group->empty()) shape.push_back(size_of(term, *group));
    return array.reshape(shape);
}

/// Whether a view has more elements than its memory, as windows that overlap have: a copy would be larger.
bool repeats_elements(const Array& array) {
    int64_t span = 1;
    for (int d = 0; d < array.ndim(); ++d)
        span += (array.shape()[d] - 1) * std::abs(array.strides()[d]) / item_size(array.dtype());
    return array.size() > span;
}

/// Of a view that repeats elements so many bytes are copied at a time.
constexpr int64_t kMostCopied = 4 << 20;

/// work(part) of so many parts of a term along a label, which its results have: joined.
template <class Work>
LabelledArray in_parts(const LabelledArray& term, int64_t label, int64_t parts, Work work) {
    const int axis = position(term.labels, label);
    const int64_t extent = term.array.shape()[axis], step = std::max<int64_t>(extent / parts, 1);
    LabelledArray whole;
    int along = -1;
    const auto part_of = [&](const Array& array, int d, int64_t begin, int64_t end) {
        Layout layout = array.layout();
        layout.shape[d] = end - begin;
        return array.view(layout, begin * array.strides()[d]);
    };
    for (int64_t begin = 0; begin < extent; begin += step) {
        const int64_t end = std::min(begin + step, extent);
        const LabelledArray part = work({part_of(term.array, axis, begin, end), term.labels});
        if (along < 0) {
            along = position(part.labels, label);
            Dims shape = part.array.shape();
            shape[along] = extent;
            whole = {empty(shape, part.array.dtype(), part.array.device()), part.labels};
        }
        assign(part_of(whole.array, along, begin, end), part.array, kEinsum);
    }
    return whole;
}

/// The sum over `met` of products of elements, without a copy of either term.
LabelledArray folded(const LabelledArray& x, const LabelledArray& y, const Dims& kept, const Dims& met) {
    const Dims labels = joined_labels(kept, met);
    Dims axes;
    for (int k = kept.size(); k < labels.size(); ++k) axes.push_back(k);
    return {sum_of_products(arranged(x, labels), arranged(y, labels), x.array.dtype(), axes, false), kept};
}

/// The product of two terms, summed over the common labels for which `is_kept` is false. Every other label is kept.
template <class IsKept>
LabelledArray multiplied(const LabelledArray* x, const LabelledArray* y, IsKept is_kept, const Dims& wanted) {
    Dims stack, met, rows, columns;
    for (const int64_t label : x->labels)
        (!has(y->labels, label) ? rows : is_kept(label) ? stack : met).push_back(label);
    for (const int64_t label : y->labels)
        if (!has(x->labels, label)) columns.push_back(label);
    if (met.empty()) {
        // Products of elements, in the order of the result where this is the last product.
        Dims labels = joined_labels(stack, rows, columns);
        const bool is_last = labels.size() == wanted.size() &&
                             std::ranges::all_of(wanted, [&](int64_t label) { return has(labels, label); });
        if (is_last) labels = wanted;
        const Array left = arranged(*x, labels), right = arranged(*y, labels);
        return {apply_row(row::multiply, left, right), labels};
    }
    if (rows.empty() && columns.empty() && met.size() == 1) {
        const int axis = position(x->labels, met[0]);
        return {sum_of_products(x->array, arranged(*y, x->labels), x->array.dtype(), {axis}, false),
                without(x->labels, axis)};
    }
    if (rows.empty() && columns.empty()) {
        // Several axes become one: a fold of several would follow their order in memory.
        const auto as_lines = [&](const LabelledArray& term) {
            Dims shape;
            for (const int64_t label : stack) shape.push_back(extent_of(term, label));
            shape.push_back(size_of(term, met));
            return arranged(term, joined_labels(stack, met)).reshape(shape);
        };
        return {sum_of_products(as_lines(*x), as_lines(*y), x->array.dtype(), {stack.size()}, false), stack};
    }
    // The product whose rows come first in the result needs no transposition of it.
    const auto first_of = [&](const Dims& labels) {
        int first = wanted.size();
        for (const int64_t label : labels)
            if (const int at = position(wanted, label); at >= 0) first = std::min(first, at);
        return first;
    };
    if (!columns.empty() && first_of(columns) < first_of(rows)) {
        std::swap(x, y);
        std::swap(rows, columns);
    }
    if (columns.empty() && repeats_elements(x->array)) return folded(*x, *y, joined_labels(stack, rows), met);
    for (const LabelledArray* const term : {x, y}) {
        const Dims& own = term == x ? rows : columns;
        const int64_t parts = term->array.nbytes() / kMostCopied + 1;
        if (own.empty() || parts == 1 || !repeats_elements(term->array)) continue;
        const auto extent = [&](int64_t label) { return extent_of(*term, label); };
        const int64_t longest = *std::ranges::max_element(own, {}, extent);
        if (extent(longest) == 1) continue;
        return in_parts(*term, longest, parts, [&](const LabelledArray& part) {
            return term == x ? multiplied(&part, y, is_kept, wanted) : multiplied(x, &part, is_kept, wanted);
        });
    }
    // The larger term is not copied, if one must be.
    if (x->array.size() < y->array.size()) {
        Dims order;
        for (const int64_t label : y->labels)
            if (has(met, label)) order.push_back(label);
        met = order;
    }
    Array result = matmul(as_matrices(*x, stack, rows, met), as_matrices(*y, stack, met, columns));
    const Dims labels = joined_labels(stack, rows, columns);
    Dims shape;
    for (const int64_t label : labels) shape.push_back(extent_of(has(x->labels, label) ? *x : *y, label));
    return {shape == result.shape() ? result : result.reshape(shape), labels};
}

}  // namespace

Array einsum(std::vector<LabelledArray> terms, const Dims& wanted, std::span<const std::pair<int64_t, int64_t>> path) {
    Extents extents;
    for (const LabelledArray& term : terms) extents.add(term);
    for (LabelledArray& term : terms) term = simplified(term, extents);
    const auto is_wanted = [&](int64_t label) { return has(wanted, label); };
    const auto multiply_pair = [&](size_t i, size_t j) {
        const auto is_needed = [&](int64_t label) {
            for (size_t k = 0; k < terms.size(); ++k)
                if (k != i && k != j && has(terms[k].labels, label)) return true;
            return is_wanted(label);
        };
        const auto in_either = [&](const LabelledArray& other) {
            return [&](int64_t label) { return has(other.labels, label) || is_needed(label); };
        };
        const LabelledArray x = summed(terms[i], in_either(terms[j])), y = summed(terms[j], in_either(terms[i]));
        LabelledArray product = multiplied(&x, &y, is_needed, wanted);
        terms.erase(terms.begin() + ptrdiff_t(std::max(i, j)));
        terms.erase(terms.begin() + ptrdiff_t(std::min(i, j)));
        return product;
    };
    for (const auto& [i, j] : path) {
        if (i == j || std::min(i, j) < 0 || std::max(i, j) >= int64_t(terms.size()))
            raise(ErrorKind::Value, kEinsum, ": the path takes terms ", i, " and ", j, " of ", terms.size());
        LabelledArray product = multiply_pair(size_t(i), size_t(j));
        terms.push_back(std::move(product));
    }
    while (terms.size() > 1) {
        LabelledArray product = multiply_pair(0, 1);
        terms.insert(terms.begin(), std::move(product));
    }
    const LabelledArray result = summed(terms[0], is_wanted);
    Dims axes;
    for (const int64_t label : wanted) {
        const int at = position(result.labels, label);
        if (at < 0) raise(ErrorKind::Value, kEinsum, ": ", name_of(label), " of the result is that of no array");
        axes.push_back(at);
    }
    return wanted == result.labels ? result.array : result.array.transpose(axes);
}

namespace {

/// Whether there are few products of one element of each term.
bool are_few_products(const std::vector<LabelledArray>& terms) {
    constexpr int64_t kFewProducts = 4096;
    int64_t products = 1;
    Dims labels;
    for (const LabelledArray& term : terms)
        for (int d = 0; d < term.labels.size(); ++d) {
            if (has(labels, term.labels[d])) continue;
            labels.push_back(term.labels[d]);
            products *= std::max<int64_t>(term.array.shape()[d], 1);
            if (products > kFewProducts) return false;
        }
    return true;
}

std::vector<std::pair<int64_t, int64_t>> path_of(const EinsumOperands& operands,
                                                 const std::vector<LabelledArray>& terms,
                                                 const ContractionOrder& order) {
    const int count = int(terms.size());
    if (order.steps) return pairs_of_path(*order.steps, count);
    if (count < 3 || !order.find || (order.is_free_for_few && are_few_products(terms))) return {};
    Extents extents;
    std::vector<Dims> shapes;
    for (const LabelledArray& term : terms) {
        extents.add(term);  // whose errors come first
        shapes.push_back(term.array.shape());
    }
    return pairs_of_path(order.find(operands.subscripts, shapes), count);
}

/// The type of products and sums, to which all arrays and the output may be cast.
DType dtype_of_products(const ArrayList& arrays, const Array* out, DType dtype, Casting casting) {
    Few<ArgType, 8> types;
    bool are_alike = true;
    const auto add = [&](const Array& array) {
        types.push_back({array.dtype(), {}});
        are_alike = are_alike && array.dtype() == types[0].dtype;
    };
    for (const Array* const array : arrays) add(*array);
    if (out) add(*out);
    if (dtype == DType::none) dtype = are_alike ? types[0].dtype : result_type({types.data(), types.size()});
    for (const ArgType& type : types) {
        if (type.dtype == dtype) continue;
        if (!can_cast(type.dtype, dtype, casting))
            raise(ErrorKind::Type, kEinsum, ": cannot cast ", info(type.dtype).name, " to ", info(dtype).name,
                  " with casting rule '", to_string(casting), "'");
        warn_of_lost_imaginary_part(type.dtype, dtype);
    }
    return dtype;
}

/// Whether the result has all labels of an array, so that nothing is added.
bool keeps_labels(const Dims& wanted, const Dims& labels) {
    return std::ranges::all_of(labels, [&](int64_t label) { return has(wanted, label); });
}

void write_sums(const Array& sums, const Array& out, Casting casting) {
    if (!out.is_writable()) raise(ErrorKind::Value, kEinsum, ": output array is read-only");
    if (out.shape() != sums.shape())
        raise(ErrorKind::Value, kEinsum, ": out= has shape ", to_string(out.shape()), ", the result ",
              to_string(sums.shape()));
    if (out.dtype() != sums.dtype() && !can_cast(sums.dtype(), out.dtype(), casting))
        raise(ErrorKind::Type, kEinsum, ": cannot cast the output from ", info(sums.dtype()).name, " to ",
              info(out.dtype()).name, " with casting rule '", to_string(casting), "'");
    warn_of_lost_imaginary_part(sums.dtype(), out.dtype());
    assign(out, sums, kEinsum);
}

}  // namespace

namespace functions {

Array einsum(const EinsumOperands& operands, Array* out, DType dtype, const std::optional<char>& order, Casting casting,
             const ContractionOrder& optimize) {
    const ArrayList& arrays = operands.arrays;
    if (arrays.empty()) raise(ErrorKind::Value, kEinsum, ": at least one array is needed");
    EinsumLabels labels(operands);
    std::vector<LabelledArray> terms;
    terms.reserve(arrays.size());
    if (arrays.size() == 1 && !out && keeps_labels(labels.of_result, labels.of_arrays[0])) {
        terms.push_back({*arrays[0], std::move(labels.of_arrays[0])});
        Array view = cuarray::einsum(std::move(terms), labels.of_result);
        return view.ndim() == 0 ? copy(view) : view;
    }
    dtype = dtype_of_products(arrays, out, dtype, casting);
    bool are_fortran = true;
    for (size_t k = 0; k < arrays.size(); ++k) {
        are_fortran = are_fortran && arrays[k]->is_f_contiguous();
        terms.push_back({astype(*arrays[k], dtype, 'K', false), std::move(labels.of_arrays[k])});
    }
    const auto path = path_of(operands, terms, optimize);
    Array sums = cuarray::einsum(std::move(terms), labels.of_result, path);
    if (out) {
        write_sums(sums, *out, casting);
        return *out;
    }
    const char letter = order.value_or('K');
    return letter == 'K' ? sums : astype(sums, dtype, letter == 'A' ? are_fortran ? 'F' : 'C' : letter, false);
}

}  // namespace functions
}  // namespace cuarray

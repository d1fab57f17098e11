// einsum.h -- products of arrays by labelled axes (Einstein summation).
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include "cuarray/ops/arguments.h"

namespace cuarray {

/// An array whose axes have labels: the code of a letter, or a number from 128 on for an axis of an ellipsis.
struct LabelledArray {
    Array array;
    Dims labels;
};

/// The sum, over all labels that `wanted` lacks, of the products of the terms, which have one dtype and device; a view
/// where nothing is multiplied or added. An axis of one element broadcasts to the others of its label. Two terms at a
/// time are multiplied: each pair of `path` takes two terms by their positions and appends their product, as in
/// numpy.einsum_path; what is left, or all of it without a path, goes from left to right. ValueError for extents that
/// differ.
CUARRAY_API Array einsum(std::vector<LabelledArray> terms, const Dims& wanted,
                         std::span<const std::pair<int64_t, int64_t>> path = {});

/// Arrays and the subscripts of their axes, such as "ij,jk->ik", without blanks. "..." stands for axes that broadcast.
/// Without "->" the result has the labels that appear once, in alphabetical order, behind the axes of "...".
struct EinsumOperands {
    std::string subscripts;
    ArrayList arrays;
};

/// The order of products of three terms and more. Each step multiplies the terms at its positions one after another and
/// appends the product, as in numpy.einsum_path. Without steps they are found, or go from left to right.
struct ContractionOrder {
    using Steps = std::vector<Dims>;
    std::optional<Steps> steps;
    std::function<Steps(const std::string& subscripts, std::span<const Dims> shapes)> find;
    bool is_free_for_few = false;  ///< whether few products go from left to right, and nothing is found
};

namespace functions {

using namespace cuarray;

/// The sum of products of arrays over labels that the result lacks, in `dtype` or the promoted type of the arrays and
/// of `out`, to which `casting` allows casts; it holds for `out`, too. Of one array of which no elements are multiplied
/// or added the result is a view in its own type and layout. ValueError for subscripts that do not fit, and for extents
/// that differ.
CUARRAY_API Array einsum(const EinsumOperands& operands, Array* out = nullptr, DType dtype = DType::none,
                         const std::optional<char>& order = {}, Casting casting = Casting::Safe,
                         const ContractionOrder& optimize = {});

}  // namespace functions

using functions::einsum;

}  // namespace cuarray

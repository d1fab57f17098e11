// fold_space.h -- the axes of a fold: which element of which fold lies where, and where results go.
#pragma once
#include "host/machine.h"

namespace cuarray::host {

/// A space of kept axes (one fold each) and reduced ones (numbered in C order as they stand). Where memory runs along
/// the reduced axes, these are the inner ones and a fold is a row; else they are the outer ones, and folds are columns.
struct FoldSpace {
    Plan plan;          ///< the elements, in the order in which they are visited
    int64_t n = 0;      ///< elements of a fold
    int64_t folds = 0;
    bool by_columns = false;
    bool rows_are_even = false;  ///< the rows of a column fold lie at one distance: the first stride

    /// Prepares plan and results. Folds of fewer than `least_row` elements, if several, become columns.
    void lay_out(const LoopLibrary& library, const char* name, const Expr& expr, const Dims& shape, const Dims& axes,
                 std::span<const View> inputs, std::span<const View> outputs, int64_t least_row);

    /// Where the results from fold `first` on lie side by side in output k, or null: then they are given to `store`.
    char* place(size_t k, int64_t first) const;
    void store(size_t k, int64_t first, int64_t count, const char* results) const;

 private:
    void join(const Space& outer, const Space& inner);

    Plan results_;  // one operand for each output
};

}  // namespace cuarray::host

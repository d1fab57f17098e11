// fold_space.h -- the layout of a reduction: its elements and results over kept and reduced axes.
#pragma once
#include "host/machine.h"

namespace cuarray::host {

/// What a Reduce and a LeftFold have in common, by reference.
struct FoldTask {
    template <class T>
    FoldTask(const T& task)
        : expr(*task.expr),
          shape(task.shape),
          axes(task.axes),
          inputs(task.inputs),
          outputs(task.outputs),
          name(task.name) {}

    const Expr& expr;
    const Dims& shape;
    const Dims& axes;
    std::span<const View> inputs, outputs;
    const char* name;
};

/// A space of kept axes (one fold per element) and reduced axes (numbered in C order). If the smaller strides are along
/// the reduced axes, these are the inner ones and a fold is a row; else they are the outer ones, and folds are columns.
struct FoldSpace {
    Plan plan;      ///< the elements, in the order of traversal
    int64_t n = 0;  ///< elements of a fold
    int64_t folds = 0;
    bool by_columns = false;
    bool rows_are_even = false;  ///< the rows of column folds have a constant stride: the first one

    /// Prepares plan and results. Folds of fewer than `least_row` elements, if several, become columns.
    void lay_out(const LoopLibrary& library, const FoldTask& task, int64_t least_row);

    /// The address of the results from fold `first` on if output k is contiguous, or null: then use `store`.
    char* place(size_t k, int64_t first) const;
    void store(size_t k, int64_t first, int64_t count, const char* results) const;

 private:
    void join(const Space& outer, const Space& inner);

    Plan results_;  // one operand for each output
};

}  // namespace cuarray::host

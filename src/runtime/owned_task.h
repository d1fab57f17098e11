// owned_task.h -- a task with copies of everything that it points to, so that it can run after its caller has returned.
#pragma once
#include <string>
#include <vector>
#include "cuarray/runtime/task.h"

namespace cuarray {

/// A copy of a task, of its Expr, views, scalars and name. It keeps the operands' memory alive. Not movable: the task
/// points into it.
template <class T>
class OwnedTask {
 public:
    explicit OwnedTask(const T& original) : task(original), name_(original.name) {
        task.name = name_.c_str();
        if constexpr (requires { task.expr; }) {
            expr_ = *task.expr;
            inputs_.assign(task.inputs.begin(), task.inputs.end());
            outputs_.assign(task.outputs.begin(), task.outputs.end());
            task.expr = &expr_;
            task.inputs = inputs_;
            task.outputs = outputs_;
        }
        if constexpr (requires { task.initial; })
            if (task.initial) task.initial = &(initial_ = *task.initial);
        if constexpr (requires { task.indices.front(); }) {
            indices_.assign(task.indices.begin(), task.indices.end());
            task.indices = indices_;
        }
        if constexpr (requires { task.counts; }) task.counts = &(counts = *task.counts);
        if constexpr (requires { task.kth; }) {
            kth_.assign(task.kth.begin(), task.kth.end());
            task.kth = kth_;
        }
        operands(task, [&](const Operand& operand) { memory_.emplace_back(operand.view.storage); });
    }
    OwnedTask(const OwnedTask&) = delete;
    OwnedTask& operator=(const OwnedTask&) = delete;

    /// Replaces the storage s of every operand by storage_for(s).
    template <class StorageFor>
    void replace_memory(StorageFor storage_for) {
        operands(task, [&](const Operand& operand) {
            // All views are members of this object.
            const_cast<View&>(operand.view).storage = storage_for(operand.view.storage);
        });
    }

    T task;
    MaskCounts counts;  ///< of a Compaction

 private:
    std::string name_;
    Expr expr_;
    std::vector<View> inputs_, outputs_;
    Scalar initial_;
    std::vector<IndexedAxis> indices_;
    std::vector<int64_t> kth_;
    std::vector<StorageRef> memory_;
};

}  // namespace cuarray

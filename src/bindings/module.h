// module.h -- the parts of cuarray._core that are bound with pybind11.
#pragma once
#include <memory>
#include <vector>
#include "bindings/functions/casters.h"

namespace cuarray::python {

void bind_devices(pybind11::module_& module);  ///< the class device, current and default device, doctor
void bind_arrays(pybind11::module_& module);   ///< creation, joining, memory questions, reductions
void bind_array_functions(pybind11::module_& module);
void bind_other_arrays(pybind11::module_& module);       ///< what other libraries' arrays are
void bind_numba_arguments(pybind11::module_& module);    ///< arrays in Numba's compiled functions
void bind_ufunc_methods(pybind11::module_& module);      ///< what functions along an axis are made of
void bind_indexing(pybind11::module_& module);           ///< elements along an axis, by positions
void bind_editing(pybind11::module_& module);            ///< elements removed and inserted
void bind_sorting(pybind11::module_& module);            ///< sorting, selecting and searching
void bind_pools(pybind11::module_& module);              ///< what cuarray.memory is made of
void bind_loans(pybind11::module_& module);              ///< memory lent for the time of a call
void bind_tables(pybind11::module_& module);             ///< dtypes, promotion, rows and reductions as data
void bind_streams(pybind11::module_& module);            ///< streams, events, graphs
void bind_hooks(pybind11::module_& module);              ///< library locator, warnings, the end of the process
void bind_python_frames(pybind11::module_& module);      ///< which line of the program is running
void bind_wrapped_functions(pybind11::module_& module);  ///< functions that are not bound, or ask a fallback
void bind_fallback(pybind11::module_& module);           ///< what operators ask where they know no answer
void bind_imports(pybind11::module_& module);            ///< __import__ for programs that import NumPy
void bind_functions(pybind11::module_& module);          ///< the rows of functions.def
void bind_profile(pybind11::module_& module);            ///< recording for cuarray.profile
void bind_random(pybind11::module_& module);             ///< numbers of NumPy's bit generators
void bind_sequence(pybind11::module_& module);           ///< numbers of a PCG64 in its order

/// The `with` blocks of one kind that this thread is in: each holds what ends with it.
template <class Scope> class WithBlocks {
 public:
    template <class... Args> static void enter(Args&&... args) {
        open_.push_back(std::make_unique<Scope>(std::forward<Args>(args)...));
    }
    static void leave() {
        if (!open_.empty()) open_.pop_back();
    }

 private:
    static inline thread_local std::vector<std::unique_ptr<Scope>> open_;
};

}  // namespace cuarray::python

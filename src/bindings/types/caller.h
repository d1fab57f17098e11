// caller.h -- which library's C code calls a slot of ours.
#pragma once

namespace cuarray::python {

/// Whether PyTorch's C code made the call of Python's C API that asks us now.
bool is_called_by_torch();

}  // namespace cuarray::python

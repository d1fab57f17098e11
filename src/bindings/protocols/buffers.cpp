// buffers.cpp -- the buffer protocol: the memory of arrays on cpu, with a format and a shape or as plain bytes.
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include "bindings/protocols/interfaces.h"
#include "bindings/types/caller.h"
#include "bindings/types/ndarray.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

/// The format of PEP 3118, which ends with a zero; or "" for a type it has no letter for.
std::array<char, 4> buffer_format(DType dtype) {
    const DTypeInfo& type = info(dtype);
    // int64 is 'l', not 'q': NumPy's int64 is C's long wherever that has 64 bits.
    const char* letters = type.kind == Kind::Bool       ? "?"
                          : type.kind == Kind::Signed   ? "bh_i___l"
                          : type.kind == Kind::Unsigned ? "BH_I___L"
                          : dtype == DType::bfloat16    ? ""
                                                        : "_e_f___d";
    if (!*letters) return {};
    if (type.kind == Kind::Complex) return {'Z', letters[type.size / 2 - 1]};
    return {letters[type.size - 1]};
}

/// What a Py_buffer points at: its own copies, because x.shape = ... may change the array meanwhile.
struct BufferDescription {
    std::array<char, 4> format;
    Dims shape, strides;
    Export memory;
};

/// A description that was given back, for the next one: most live as long as one call.
std::unique_ptr<BufferDescription> spare_description;

std::unique_ptr<BufferDescription> new_description() {
    return spare_description ? std::move(spare_description) : std::make_unique<BufferDescription>();
}

void give_back(std::unique_ptr<BufferDescription> description) {
    description->memory = {};  // which may free memory, and run other code
    spare_description = std::move(description);
}

/// NumPy drops the errors of the buffer protocol and asks for the array interface instead. A fault on a GPU is raised
/// once, by the first wait: so it is kept for that question.
constinit thread_local const Storage* failed_storage = nullptr;  // apart from the error: read by every export
thread_local std::optional<Error> deferred_error;

Export export_buffer(const Array& array) {
    failed_storage = nullptr;
    try {
        return export_memory(array);
    } catch (const Error& error) {
        failed_storage = &array.storage();
        deferred_error = error;
        throw;
    }
}

/// Strides for consumers, some of which read those of axes of one element as well.
Dims exported_strides(const Array& array, int flags) {
    const bool prefers_f = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
    const bool is_c = array.is_c_contiguous() && !(prefers_f && array.is_f_contiguous());
    if (!is_c && !array.is_f_contiguous()) return array.strides();
    Dims strides = array.shape();
    int64_t stride = item_size(array.dtype());
    for (int i = 0; i < array.ndim(); ++i) {
        const int axis = is_c ? array.ndim() - 1 - i : i;
        strides[axis] = stride;
        stride *= array.shape()[axis];
    }
    return strides;
}

const char* refuse_buffer(const Array& array, bool has_format, int flags) {
    if (!is_on_host(array.device())) return "the memory is not on the host; write x.numpy()";
    const bool wants_bytes = !(flags & (PyBUF_FORMAT | PyBUF_ND));
    if (!has_format && (flags & PyBUF_FORMAT))
        return "the buffer protocol has no bfloat16; write x.view('uint16') or x.astype('float32')";
    // torch.asarray reads the bytes of any object as numbers of its default type.
    if (wants_bytes && is_called_by_torch()) return "PyTorch would misread the bytes; write x.torch()";
    if ((flags & PyBUF_WRITABLE) && !array.is_writable()) return "the array is read-only";
    constexpr int kOrders = PyBUF_C_CONTIGUOUS | PyBUF_F_CONTIGUOUS | PyBUF_ANY_CONTIGUOUS;
    const auto has = [flags](int wanted) { return (flags & wanted) == wanted; };
    if (has(PyBUF_STRIDES) && !(flags & kOrders & ~PyBUF_STRIDES)) return nullptr;  // any strides: most consumers
    const bool is_c = array.is_c_contiguous(), is_f = array.is_f_contiguous();
    if (has(PyBUF_C_CONTIGUOUS) && !is_c) return "the array is not C-contiguous";
    if (has(PyBUF_F_CONTIGUOUS) && !is_f) return "the array is not Fortran-contiguous";
    if (has(PyBUF_ANY_CONTIGUOUS) && !is_c && !is_f) return "the array is not contiguous";
    if (!has(PyBUF_STRIDES) && !is_c) return "the array is not C-contiguous";
    return nullptr;
}

}  // namespace

std::optional<Error> take_buffer_error(const Array& array) {
    const bool is_kept = std::exchange(failed_storage, nullptr) == &array.storage();
    return is_kept ? std::exchange(deferred_error, std::nullopt) : std::nullopt;
}

int fill_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
    view->obj = nullptr;
    return guarded_number<int>([&] {
        static char nothing[16];
        const Array& array = array_of(self);
        const std::array<char, 4> format = buffer_format(array.dtype());
        if (const char* reason = refuse_buffer(array, format[0], flags)) {
            PyErr_Format(PyExc_BufferError, "buffer: %s", reason);  // a C++ exception takes microseconds
            return -1;
        }
        std::unique_ptr<BufferDescription> description = new_description();
        description->format = format;
        description->shape = array.shape();
        description->strides = exported_strides(array, flags);
        description->memory = export_buffer(array);
        char* data = exported_address(array);
        view->buf = data ? data : nothing;
        view->len = array.nbytes();
        view->itemsize = item_size(array.dtype());
        view->readonly = !array.is_writable();
        view->ndim = (flags & PyBUF_ND) ? array.ndim() : 1;  // hashlib takes one axis
        view->format = (flags & PyBUF_FORMAT) ? description->format.data() : nullptr;
        view->shape = (flags & PyBUF_ND) ? reinterpret_cast<Py_ssize_t*>(description->shape.data()) : nullptr;
        view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES
                            ? reinterpret_cast<Py_ssize_t*>(description->strides.data())
                            : nullptr;
        view->suboffsets = nullptr;
        view->internal = description.release();
        view->obj = Py_NewRef(self);
        return 0;
    });
}

void release_buffer(PyObject*, Py_buffer* view) noexcept {
    give_back(std::unique_ptr<BufferDescription>(static_cast<BufferDescription*>(view->internal)));
}

}  // namespace cuarray::python

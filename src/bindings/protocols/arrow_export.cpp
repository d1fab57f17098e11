// arrow_export.cpp -- __arrow_c_array__ and __arrow_c_device_array__: a line of elements as a column of Arrow's,
// without a copy. The structs are those of Arrow's C data interface and C device data interface.
#include <cstdint>
#include <memory>
#include "bindings/functions/convert.h"
#include "bindings/protocols/interfaces.h"
#include "bindings/types/ndarray.h"
#include "cuarray/runtime/runtime.h"

namespace cuarray::python {
namespace {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;

    static constexpr const char* kCapsule = "arrow_schema";
    void free() {
        if (release) release(this);
    }
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;

    static constexpr const char* kCapsule = "arrow_array";
    void free() {
        if (release) release(this);
    }
};

struct ArrowDeviceArray {
    ArrowArray array;
    int64_t device_id;
    int32_t device_type;
    void* sync_event;
    int64_t reserved[3];

    static constexpr const char* kCapsule = "arrow_device_array";
    void free() { array.free(); }
};

static_assert(sizeof(ArrowSchema) == 72 && sizeof(ArrowArray) == 80 && sizeof(ArrowDeviceArray) == 128);

constexpr int32_t kArrowCpu = 1, kArrowCuda = 2;

/// Arrow's letter for a dtype; 0 where it has no such type.
char arrow_letter(DType dtype) {
    const DTypeInfo& type = info(dtype);
    const char* const by_size = type.kind == Kind::Bool                                   ? "b"
                                : type.kind == Kind::Signed                               ? "cs-i---l"
                                : type.kind == Kind::Unsigned                             ? "CS-I---L"
                                : type.kind == Kind::Floating && dtype != DType::bfloat16 ? "-e-f---g"
                                                                                          : "";
    return *by_size ? by_size[type.size - 1] : 0;
}

/// The dtype that a consumer asks for, where the elements may become that without losing more than digits; else their
/// own, which the interface leaves to us.
DType requested_dtype(PyObject* requested, DType own) {
    if (!is_given(requested)) return own;
    const auto* const schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(requested, ArrowSchema::kCapsule));
    if (!schema) throw ExceptionIsSet{};
    for (int d = 0; d < kDTypes; ++d) {
        const DType wanted = DType(d);
        if (!schema->format || schema->format[0] != arrow_letter(wanted) || schema->format[1]) continue;
        const bool is_rounded = info(own).kind == Kind::Floating && info(wanted).kind == Kind::Floating;
        if (is_rounded || can_cast(own, wanted, Casting::Safe)) return wanted;
    }
    return own;
}

/// What a column points at. Holding the storage, not the Python object, lets the consumer free it in any thread, with
/// or without the GIL.
struct ExportedColumn {
    Export memory;
    const void* buffers[2];  // the validity bitmap, absent because nothing is null, and the elements
};

void free_column(ArrowArray* column) {
    delete static_cast<ExportedColumn*>(column->private_data);
    column->release = nullptr;
}

void free_schema(ArrowSchema* schema) {
    delete[] schema->format;
    schema->release = nullptr;
}

/// A capsule over a struct of its own, which its consumer moves out of by clearing `release`.
template <class Struct>
Object arrow_capsule(std::unique_ptr<Struct> held) {
    const Object capsule = Object::steal(PyCapsule_New(held.get(), Struct::kCapsule, [](PyObject* capsule) {
        const SavedException aside;
        auto* const content = static_cast<Struct*>(PyCapsule_GetPointer(capsule, Struct::kCapsule));
        content->free();
        delete content;
    }));
    static_cast<void>(held.release());
    return capsule;
}

/// A pair (schema, column) as consumers take it apart.
template <class Column>
PyObject* capsules_of(DType dtype, std::unique_ptr<Column> column) {
    Object second = arrow_capsule(std::move(column));
    auto schema = std::make_unique<ArrowSchema>();
    schema->format = new char[2]{arrow_letter(dtype), 0};
    schema->name = "";
    schema->release = free_schema;
    const Object first = arrow_capsule(std::move(schema));
    return Object::steal(PyTuple_Pack(2, first.get(), second.get())).release();
}

/// The array whose memory is a column of a dtype: itself, or a copy where elements have another dtype or steps between
/// them. Bools are bits in Arrow.
Array column_memory(PyObject* self, DType dtype, const char* method) {
    static Attribute pack_bits{"cuarray._arguments.functions", "packbits"};
    const Array array = shared_with_libraries(self);
    const char* const name = info(array.dtype()).name;
    if (array.ndim() != 1)
        raise(ErrorKind::Buffer, method, ": a column has one axis, not shape ", to_string(array.shape()),
              array.ndim() ? "; write x.ravel(), or {\"a\": x[:, 0], \"b\": x[:, 1]}" : "; write x.reshape(1)");
    if (!arrow_letter(array.dtype()))
        raise(ErrorKind::Buffer, method, ": Arrow has no ", name,
              array.dtype() == DType::bfloat16 ? "; write x.astype('float32')" : "; write x.real and x.imag");
    if (dtype == DType::bool_) {
        const Object names = Object::steal(Py_BuildValue("(s)", "bitorder"));
        const Object order = Object::steal(PyUnicode_FromString("little"));
        PyObject* const args[] = {self, order.get()};
        return array_of(Object::steal(PyObject_Vectorcall(pack_bits.get(), args, 1, names.get())).get());
    }
    const bool is_aligned = reinterpret_cast<uintptr_t>(array.data()) % uintptr_t(info(array.dtype()).align) == 0;
    if (array.is_c_contiguous() && is_aligned && dtype == array.dtype()) return array;
    const GilRelease released(is_long(array.device(), array.size()));
    return astype(array, dtype, 'C', true);
}

ArrowArray make_column(const Array& memory, int64_t length) {
    static constexpr char kNothing[16] = {};
    auto exported = std::make_unique<ExportedColumn>();
    exported->memory = export_memory(memory);
    const char* const data = exported_address(memory);
    exported->buffers[0] = nullptr;
    exported->buffers[1] = data ? data : kNothing;
    ArrowArray column{};
    column.length = length;
    column.n_buffers = 2;
    column.buffers = exported->buffers;
    column.release = free_column;
    column.private_data = exported.release();
    return column;
}

}  // namespace

PyObject* arrow_array_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    static constexpr Signature kSignature{"__arrow_c_array__", {"requested_schema"}, 1};
    return guarded([&] {
        PyObject* values[1];
        parse(kSignature, args, count, keywords, values);
        const Array& array = array_of(self);
        if (!is_on_host(array.device()))
            raise(ErrorKind::Buffer, "__arrow_c_array__: the memory is on ", to_string(array.device()),
                  "; write x.numpy()");
        const DType dtype = requested_dtype(values[0], array.dtype());
        const Array memory = column_memory(self, dtype, "__arrow_c_array__");
        return capsules_of(dtype, std::make_unique<ArrowArray>(make_column(memory, array.size())));
    });
}

PyObject* arrow_device_array_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    static constexpr Signature kSignature{"__arrow_c_device_array__", {"requested_schema"}, 1};
    return guarded([&] {
        PyObject* values[1];
        parse(kSignature, args, count, keywords, values);
        const Array& array = array_of(self);
        const DType dtype = requested_dtype(values[0], array.dtype());
        const Array memory = column_memory(self, dtype, "__arrow_c_device_array__");
        const bool is_host = is_on_host(array.device());
        auto column = std::make_unique<ArrowDeviceArray>();
        column->array = make_column(memory, array.size());
        column->device_id = is_host ? -1 : array.device().index;
        column->device_type = is_host ? kArrowCpu : kArrowCuda;
        if (!is_host) {  // without an event the interface says that the elements are there
            const GilRelease released(true);
            wait_on_host(memory.storage(), true);
        }
        return capsules_of(dtype, std::move(column));
    });
}

}  // namespace cuarray::python

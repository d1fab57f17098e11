// test_dlpack.cpp -- tensors of DLPack from arrays and arrays from tensors: what they say, share, keep and refuse.
#include <utility>
#include <vector>
#include "../core/check.h"
#include "cuarray/cuarray.h"

// What other libraries read, as DLPack 1 lays it out in memory.
struct DLManagedTensorVersioned {
    uint32_t major = 1, minor = 0;
    void* manager_ctx = nullptr;
    void (*deleter)(DLManagedTensorVersioned*) = nullptr;
    uint64_t flags = 0;
    void* data = nullptr;
    int32_t device_type = 1, device_id = 0, ndim = 0;
    uint8_t code = 2, bits = 64;
    uint16_t lanes = 1;
    int64_t *shape = nullptr, *strides = nullptr;
    uint64_t byte_offset = 0;
};

using namespace cuarray;

namespace {

constexpr uint64_t kReadOnly = 1, kCopied = 2;
int deleted = 0;

/// A tensor of another library over two numbers.
struct OtherTensor {
    std::vector<double> numbers{1, 2};
    int64_t shape[1] = {2};
    DLManagedTensorVersioned tensor;

    OtherTensor() {
        tensor.deleter = [](DLManagedTensorVersioned*) { ++deleted; };
        tensor.data = numbers.data();
        tensor.ndim = 1;
        tensor.shape = shape;
    }
    bool is_refused() {
        DLPackTensor given(&tensor);
        const int before = deleted;
        const bool raises = RAISES(Buffer, from_dlpack(std::move(given)));
        const bool is_kept = given.get() == &tensor && deleted == before;
        given.release();
        return raises && is_kept;
    }
};

void test_what_a_tensor_says() {
    const Array m = array({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
    const DLPackTensor tensor = to_dlpack(m(slice(), slice(1, {})));
    CHECK(tensor->major == 1 && tensor->flags == 0 && tensor->data == m.data() + 4 && tensor->byte_offset == 0);
    CHECK(tensor->code == 2 && tensor->bits == 32 && tensor->lanes == 1 && tensor->ndim == 2);
    CHECK(tensor->shape[0] == 2 && tensor->shape[1] == 2 && tensor->strides[0] == 3 && tensor->strides[1] == 1);
    CHECK(tensor->device_type == (m.device() == Device{} ? 1 : 2) && tensor->device_id == 0);
    CHECK(to_dlpack(m.broadcast_to({2, 2, 3}))->flags == kReadOnly);
    const DLPackTensor copied = to_dlpack(m(slice({}, {}, -1)));
    CHECK(copied->flags == kCopied && copied->strides[0] == 3 && copied->data != m.data());
    CHECK(to_dlpack(zeros({0}))->data == nullptr && to_dlpack(array(true))->code == 6 &&
          to_dlpack(array(1.5))->shape == nullptr);
    CHECK(RAISES(Value, to_dlpack(Array())));
}

void test_round_trip() {
    Array x = array({1., 2.}) + 1.0;
    const Array y = from_dlpack(to_dlpack(x)), fixed = from_dlpack(to_dlpack(x.broadcast_to({3, 2})));
    x(0) = 7;
    CHECK(y.to_vector<double>() == std::vector<double>({7, 3}), "the same memory");
    CHECK(fixed.is_read_only() && !y.is_read_only() && fixed(2).to_vector<double>() == y.to_vector<double>());
    DLPackTensor tensor = to_dlpack(x + 1.0);  // which nobody else keeps
    const Array z = from_dlpack(std::move(tensor));
    CHECK(!tensor && z.to_vector<double>() == std::vector<double>({8, 4}));
}

void test_memory_of_others() {
    OtherTensor other;
    {
        Array part;
        {
            const Array x = from_dlpack(DLPackTensor(&other.tensor));
            CHECK(x.device() == Device{} && x.dtype() == DType::float64 && x.shape() == Dims{2});
            part = x(slice(1, {}));
        }
        CHECK(deleted == 0 && part.item<double>() == 2);
        part(0) = 5;
    }
    CHECK(deleted == 1 && other.numbers[1] == 5);
    OtherTensor unread;
    DLPackTensor(&unread.tensor).reset();
    CHECK(deleted == 2);
}

void test_refusals() {
    CHECK(RAISES(Value, from_dlpack(nullptr)));
    OtherTensor newer, vectors, unknown, elsewhere, nowhere, shapeless, negative;
    newer.tensor.major = 2;
    vectors.tensor.lanes = 4;
    unknown.tensor.code = 9;
    elsewhere.tensor.device_type = 7;
    nowhere.tensor.data = nullptr;
    shapeless.tensor.shape = nullptr;
    negative.shape[0] = -1;
    CHECK(newer.is_refused() && vectors.is_refused() && unknown.is_refused() && elsewhere.is_refused());
    CHECK(nowhere.is_refused() && shapeless.is_refused() && negative.is_refused());
}

}  // namespace

int main() {
    test_what_a_tensor_says();
    test_round_trip();
    test_memory_of_others();
    test_refusals();
}

// compare_driver_api.cpp -- compiles only where src/cuda/driver_api.h says what NVIDIA's cuda.h says.
#include "cuda/driver_api.h"  // first: some of its constants are macros in cuda.h

#include <cuda.h>
#include <cudaTypedefs.h>
#include <type_traits>

#define COMPARE(name, value) static_assert(int(name) == value, #name);
CUARRAY_DRIVER_CONSTANTS(COMPARE)
#undef COMPARE

// In this namespace our types hide NVIDIA's of the same names.
namespace cuarray::cuda {

/// Enums become int and opaque pointers void*: ours are other types of the same shape.
template <class T, class = void>
struct Plain {
    using type = T;
};
template <class T>
struct Plain<T, std::enable_if_t<std::is_enum_v<T>>> {
    using type = int;
};
template <class T>
struct Plain<T*> {
    using target = std::remove_const_t<T>;
    using plain = typename Plain<target>::type;
    static constexpr bool is_opaque = std::is_class_v<target>;
    using type =
        std::conditional_t<is_opaque, void*, std::conditional_t<std::is_const_v<T>, const plain*, plain*>>;
};
template <class R, class... Args>
struct Plain<R (*)(Args...)> {
    using type = typename Plain<R>::type (*)(typename Plain<Args>::type...);
};

template <class Ours, class Theirs>
constexpr bool is_same_call = std::is_same_v<typename Plain<Ours>::type, typename Plain<Theirs>::type>;

template <class... Args>
struct Call {
    using type = CUresult (*)(Args...);
};

#define COMPARE(name, version, ...) \
    static_assert(is_same_call<Call<__VA_ARGS__>::type, ::PFN_##name##_v##version>, #name);
CUARRAY_DRIVER_ENTRIES(COMPARE)
CUARRAY_OPTIONAL_DRIVER_ENTRIES(COMPARE)
#undef COMPARE
static_assert(sizeof(CUmemAccessDesc) == sizeof(::CUmemAccessDesc) &&
              offsetof(CUmemAccessDesc, flags) == offsetof(::CUmemAccessDesc, flags) &&
              sizeof(CUmemAccessDesc::location) == sizeof(::CUmemLocation));
static_assert(is_same_call<GetProcAddress*, ::PFN_cuGetProcAddress_v12000>);

#define REQUIRED(name, version, ...) \
    static_assert(version <= 12000, #name " is newer than the oldest driver");
CUARRAY_DRIVER_ENTRIES(REQUIRED)

}  // namespace cuarray::cuda

int main() {}

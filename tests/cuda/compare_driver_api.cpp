// compare_driver_api.cpp -- compiles only if src/cuda/driver_api.h agrees with NVIDIA's cuda.h.
#include "cuda/driver_api.h"  // first: some of its constants are macros in cuda.h

#include <cuda.h>
#include <cudaTypedefs.h>

#include "same_call.h"

#define COMPARE(name, value) static_assert(int(name) == value, #name);
CUARRAY_DRIVER_CONSTANTS(COMPARE)
#undef COMPARE

// In this namespace cuarray's types hide NVIDIA's of the same names.
namespace cuarray::cuda {

#define COMPARE(name, version, ...) \
    static_assert(is_same_call<Call<__VA_ARGS__>::type, ::PFN_##name##_v##version>, #name);
CUARRAY_DRIVER_ENTRIES(COMPARE, COMPARE)
CUARRAY_OPTIONAL_DRIVER_ENTRIES(COMPARE)
#undef COMPARE
static_assert(sizeof(CUmemAccessDesc) == sizeof(::CUmemAccessDesc) &&
              offsetof(CUmemAccessDesc, flags) == offsetof(::CUmemAccessDesc, flags) &&
              sizeof(CUmemAccessDesc::location) == sizeof(::CUmemLocation));
static_assert(is_same_call<GetProcAddress*, ::PFN_cuGetProcAddress_v12000>);

#define REQUIRED(name, version, ...) static_assert(version <= 12000, #name " is newer than the oldest driver");
CUARRAY_DRIVER_ENTRIES(REQUIRED, REQUIRED)

}  // namespace cuarray::cuda

int main() {}

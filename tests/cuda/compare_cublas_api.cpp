// compare_cublas_api.cpp -- compiles only if src/cuda/cublas_api.h agrees with NVIDIA's cublas_v2.h.
#include "cuda/cublas_api.h"

#include <cublas_v2.h>

#include "same_call.h"

// In this namespace cuarray's types hide NVIDIA's of the same names.
namespace cuarray::cuda {

#define COMPARE(name, ...) static_assert(is_same_call<Call<__VA_ARGS__>::type, decltype(&::name)>, #name);
CUARRAY_CUBLAS_FUNCTIONS(COMPARE)
#undef COMPARE
#define COMPARE(name, value) static_assert(int(::name) == value, #name);
CUARRAY_CUBLAS_STATUSES(COMPARE)
CUARRAY_CUBLAS_CONSTANTS(COMPARE)
#undef COMPARE
static_assert(CUBLAS_STATUS_SUCCESS == 0 && int(MAJOR_VERSION) == 0 && int(MINOR_VERSION) == 1);

}  // namespace cuarray::cuda

int main() {}

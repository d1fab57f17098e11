// compare_cusolver_api.cpp -- compiles only if src/cuda/cusolver_api.h agrees with NVIDIA's cusolverDn.h.
#include "cuda/cusolver_api.h"

#include <cusolverDn.h>

#include "same_call.h"

// In this namespace cuarray's types hide NVIDIA's of the same names.
namespace cuarray::cuda {

#define COMPARE(name, ...) static_assert(is_same_call<Call<__VA_ARGS__>::type, decltype(&::name)>, #name);
CUARRAY_CUSOLVER_FUNCTIONS(COMPARE)
CUARRAY_CUSOLVER_LATER_FUNCTIONS(COMPARE)
#undef COMPARE
#define COMPARE(name, value) static_assert(int(::name) == value, #name);
CUARRAY_CUSOLVER_STATUSES(COMPARE)
CUARRAY_CUSOLVER_CONSTANTS(COMPARE)
#undef COMPARE
static_assert(CUSOLVER_STATUS_SUCCESS == 0);

}  // namespace cuarray::cuda

int main() {}

// compare_nvrtc_api.cpp -- compiles only if src/cuda/nvrtc_api.h agrees with NVIDIA's nvrtc.h.
#include "cuda/nvrtc_api.h"

#include <nvrtc.h>

#include "same_call.h"

// In this namespace cuarray's types hide NVIDIA's of the same names.
namespace cuarray::cuda {

#define COMPARE(name, ...) static_assert(is_same_call<Call<__VA_ARGS__>::type, decltype(&::name)>, #name);
CUARRAY_NVRTC_FUNCTIONS(COMPARE)
#undef COMPARE
static_assert(NVRTC_SUCCESS == 0);

}  // namespace cuarray::cuda

int main() {}

// compare_cufft_api.cpp -- compiles only if src/cuda/cufft_api.h agrees with NVIDIA's cufft.h and cufftXt.h.
#include <cufftXt.h>

// Macros in cufft.h, constants here.
constexpr int kForward = CUFFT_FORWARD, kInverse = CUFFT_INVERSE;
#undef CUFFT_FORWARD
#undef CUFFT_INVERSE
#include "cuda/cufft_api.h"

#include "same_call.h"

// In this namespace cuarray's types hide NVIDIA's of the same names.
namespace cuarray::cuda {

#define COMPARE(name, ...) static_assert(is_same_call<Call<__VA_ARGS__>::type, decltype(&::name)>, #name);
CUARRAY_CUFFT_FUNCTIONS(COMPARE)
#undef COMPARE
#define COMPARE(name, value) static_assert(int(::name) == value, #name);
CUARRAY_CUFFT_STATUSES(COMPARE)
#undef COMPARE
static_assert(CUFFT_FORWARD == kForward && CUFFT_INVERSE == kInverse && CUFFT_SUCCESS == 0);

}  // namespace cuarray::cuda

int main() {}

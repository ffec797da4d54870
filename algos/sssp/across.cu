// The search over several GPUs as a kernel on each. See across.cuh.
#include "algos/sssp/across.cuh"

#define FORAY_PATHS extern "C" __global__ __launch_bounds__(foray::kBlock, 2) void

FORAY_PATHS sssp_across_o32(const __grid_constant__ foray::PathsArgs<foray::u32> a) {
  __shared__ foray::PathsShared<foray::u32> sh;
  foray::paths(a, sh);
}

FORAY_PATHS sssp_across_o64(const __grid_constant__ foray::PathsArgs<foray::u64> a) {
  __shared__ foray::PathsShared<foray::u64> sh;
  foray::paths(a, sh);
}

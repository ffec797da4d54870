// The search over several GPUs as a kernel on each. See across.cuh, and algos/bfs/fused.cu for
// the tuning.

#define FORAY_BLOCK 512
#define FORAY_STAGE 1024

#include "algos/dobfs/across.cuh"

#define FORAY_FUSED extern "C" __global__ __launch_bounds__(FORAY_BLOCK, 1) void

FORAY_FUSED bfs_across_o32(const __grid_constant__ foray::AcrossArgs<foray::u32> a) {
  __shared__ foray::AcrossShared<foray::u32> sh;
  foray::across(a, sh);
}

FORAY_FUSED bfs_across_o64(const __grid_constant__ foray::AcrossArgs<foray::u64> a) {
  __shared__ foray::AcrossShared<foray::u64> sh;
  foray::across(a, sh);
}

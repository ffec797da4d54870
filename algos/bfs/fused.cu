// The search as one kernel. See fused.cuh.

// Two blocks of 512 threads a multiprocessor leave each thread 64 registers.
#define FORAY_BLOCK 512

#include "algos/bfs/fused.cuh"

#define FORAY_FUSED extern "C" __global__ __launch_bounds__(FORAY_BLOCK, 2) void

FORAY_FUSED bfs_fused_o32(foray::FusedArgs<foray::u32> a) {
  __shared__ foray::FusedShared<foray::u32> sh;
  foray::fused(a, sh);
}

FORAY_FUSED bfs_fused_o64(foray::FusedArgs<foray::u64> a) {
  __shared__ foray::FusedShared<foray::u64> sh;
  foray::fused(a, sh);
}

// The search as a kernel of the whole grid that stays until it ends. See fused.cuh.

// One block of 512 threads a multiprocessor leaves each thread 128 registers: with
// two and half as many registers, variables that had to go to memory cost more
// than the threads gave.
#define FORAY_BLOCK 512

// A smaller stage leaves more of the first-level cache to bitmaps.
#define FORAY_STAGE 1024

#include "algos/bfs/fused.cuh"
#include "algos/bfs/gather.cuh"

#define FORAY_FUSED extern "C" __global__ __launch_bounds__(FORAY_BLOCK, 1) void

FORAY_FUSED bfs_fused_o32(const __grid_constant__ foray::FusedArgs<foray::u32> a) {
  __shared__ foray::FusedShared<foray::u32> sh;
  foray::fused<foray::Pushes>(a, sh);
}

FORAY_FUSED bfs_fused_o64(const __grid_constant__ foray::FusedArgs<foray::u64> a) {
  __shared__ foray::FusedShared<foray::u64> sh;
  foray::fused<foray::Pushes>(a, sh);
}

extern "C" __global__ __launch_bounds__(FORAY_BLOCK) void bfs_gather(foray::GatherArgs a) { foray::gather(a); }

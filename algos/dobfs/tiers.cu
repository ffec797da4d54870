// The direction-optimizing search as one kernel, over rows in tiers. See tiers.cuh, and algos/bfs/fused.cu for the
// tuning.

#define FORAY_BLOCK 512
#define FORAY_STAGE 1024

#include "operators/advance/tiers.cuh"

#include "algos/dobfs/tiers.cuh"

#define FORAY_FUSED extern "C" __global__ __launch_bounds__(FORAY_BLOCK, 1) void

FORAY_FUSED dobfs_tiers_o32(const __grid_constant__ foray::FusedArgs<foray::u32> a) {
  __shared__ foray::FusedShared<foray::u32> sh;
  foray::fused<foray::Tiered>(a, sh);
}

FORAY_FUSED dobfs_tiers_o64(const __grid_constant__ foray::FusedArgs<foray::u64> a) {
  __shared__ foray::FusedShared<foray::u64> sh;
  foray::fused<foray::Tiered>(a, sh);
}

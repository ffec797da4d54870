// The direction-optimizing search as a kernel of the whole grid that stays until it ends. See
// direction.cuh, and algos/bfs/fused.cu for the tuning.

#define FORAY_BLOCK 512
#define FORAY_STAGE 1024

#include "algos/dobfs/direction.cuh"

#define FORAY_FUSED extern "C" __global__ __launch_bounds__(FORAY_BLOCK, 1) void

FORAY_FUSED dobfs_fused_o32(const __grid_constant__ foray::FusedArgs<foray::u32> a) {
  __shared__ foray::FusedShared<foray::u32> sh;
  foray::fused<foray::Optimising>(a, sh);
}

FORAY_FUSED dobfs_fused_o64(const __grid_constant__ foray::FusedArgs<foray::u64> a) {
  __shared__ foray::FusedShared<foray::u64> sh;
  foray::fused<foray::Optimising>(a, sh);
}

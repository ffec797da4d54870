// The levels of a search whose frontier is small, as a kernel of one cluster of
// blocks. See deep.cuh.

#define FORAY_BLOCK 384
#define FORAY_STAGE 1024

#include "algos/bfs/deep.cuh"

#define FORAY_DEEP extern "C" __global__ __launch_bounds__(FORAY_BLOCK, 1) void

namespace foray {

// enter_deep lays out the shared memory: what all need, then the visited bits.
template <bool kTargets, class Offset>
__device__ __forceinline__ void enter_deep(const FusedArgs<Offset>& a, const DeepArgs& d) {
  extern __shared__ __align__(16) unsigned char shared[];
  deep<kTargets>(a, d, *(DeepShared*)shared, (u32*)(shared + sizeof(DeepShared)));
}

}  // namespace foray

FORAY_DEEP bfs_deep_o32(const __grid_constant__ foray::FusedArgs<foray::u32> a, const __grid_constant__ foray::DeepArgs d) { foray::enter_deep<false>(a, d); }
FORAY_DEEP bfs_deep_o64(const __grid_constant__ foray::FusedArgs<foray::u64> a, const __grid_constant__ foray::DeepArgs d) { foray::enter_deep<false>(a, d); }

// With targets.
FORAY_DEEP bfs_deep_targets_o32(const __grid_constant__ foray::FusedArgs<foray::u32> a, const __grid_constant__ foray::DeepArgs d) { foray::enter_deep<true>(a, d); }
FORAY_DEEP bfs_deep_targets_o64(const __grid_constant__ foray::FusedArgs<foray::u64> a, const __grid_constant__ foray::DeepArgs d) { foray::enter_deep<true>(a, d); }

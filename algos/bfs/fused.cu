// The search in kernels that stay until it ends. See fused.cuh and deep.cuh.

// Two blocks of 512 threads a multiprocessor leave each thread 64 registers.
#define FORAY_BLOCK 512

// A smaller stage leaves more of the first-level cache to bitmaps.
#define FORAY_STAGE 1024

#include "algos/bfs/deep.cuh"
#include "algos/bfs/fused.cuh"

#define FORAY_FUSED extern "C" __global__ __launch_bounds__(FORAY_BLOCK, 2) void
#define FORAY_DEEP extern "C" __global__ __launch_bounds__(FORAY_BLOCK, 1) void

FORAY_FUSED bfs_fused_o32(const __grid_constant__ foray::FusedArgs<foray::u32> a) {
  __shared__ foray::FusedShared<foray::u32> sh;
  foray::fused(a, sh);
}

FORAY_FUSED bfs_fused_o64(const __grid_constant__ foray::FusedArgs<foray::u64> a) {
  __shared__ foray::FusedShared<foray::u64> sh;
  foray::fused(a, sh);
}

namespace foray {

// enter_deep lays out the shared memory: what all need, then the visited bits.
template <class Offset>
__device__ __forceinline__ void enter_deep(const FusedArgs<Offset>& a, const DeepArgs& d) {
  extern __shared__ __align__(16) unsigned char shared[];
  deep(a, d, *(DeepShared*)shared, (u32*)(shared + sizeof(DeepShared)));
}

}  // namespace foray

FORAY_DEEP bfs_deep_o32(const __grid_constant__ foray::FusedArgs<foray::u32> a, const __grid_constant__ foray::DeepArgs d) { foray::enter_deep(a, d); }
FORAY_DEEP bfs_deep_o64(const __grid_constant__ foray::FusedArgs<foray::u64> a, const __grid_constant__ foray::DeepArgs d) { foray::enter_deep(a, d); }

FORAY_FUSED bfs_heads_o32(foray::Csr<foray::u32> g, uint4* heads) { foray::fill_heads(g, heads); }
FORAY_FUSED bfs_heads_o64(foray::Csr<foray::u64> g, uint4* heads) { foray::fill_heads(g, heads); }

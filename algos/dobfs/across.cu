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

// Rows of second and third in-neighbors, of which a pull over several GPUs probes a copy.
#define FORAY_NEXT(width, Offset)                                                                                                \
  extern "C" __global__ __launch_bounds__(FORAY_BLOCK) void bfs_next_##width(foray::Csr<Offset> in, foray::shared_out::Next* next, foray::u32 n) { \
    for (foray::u32 v = blockIdx.x * FORAY_BLOCK + threadIdx.x; v < n; v += gridDim.x * FORAY_BLOCK) {                            \
      const Offset b = in.offsets[v], e = in.offsets[v + 1];                                                                      \
      next[v] = foray::shared_out::Next{b + 1 < e ? in.targets[b + 1] : 0, b + 2 < e ? in.targets[b + 2] : 0};                                 \
    }                                                                                                                             \
  }

FORAY_NEXT(o32, foray::u32)
FORAY_NEXT(o64, foray::u64)

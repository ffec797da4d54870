// The kernels that find core numbers of graphs of short rows (peel.cuh).
#define FORAY_BLOCK 1024
#define FORAY_STAGE 32

#include "algos/kcore/internal/mesh/peel.cuh"

#define FORAY_PEEL(width, Offset)                                                                                                      \
  extern "C" __global__ void __launch_bounds__(FORAY_BLOCK, 1) peel_mesh_##width(const __grid_constant__ foray::PeelArgs<Offset> a) { \
    extern __shared__ __align__(16) unsigned char shared[];                                                                            \
    __shared__ foray::PeelShared sh;                                                                                                   \
    foray::peel_mesh(a, sh, (foray::u32*)shared);                                                                                      \
  }

FORAY_PEEL(o32, foray::u32)
FORAY_PEEL(o64, foray::u64)

// The kernels that go through the levels of a search and back (sweep.cuh).
#define FORAY_BLOCK 512
#define FORAY_STAGE 32

#include "algos/bc/internal/sweep/sweep.cuh"

extern "C" __global__ void __launch_bounds__(FORAY_BLOCK) sweep_place(const __grid_constant__ foray::SweepArgs a) { foray::sweep_place(a); }
extern "C" __global__ void __launch_bounds__(FORAY_BLOCK) sweep_scan(const __grid_constant__ foray::SweepArgs a) { foray::sweep_scan(a); }
extern "C" __global__ void __launch_bounds__(FORAY_BLOCK) sweep_add(const __grid_constant__ foray::SweepArgs a) { foray::sweep_add(a); }

#define FORAY_NEAR(width, Offset)                                                                                                                           \
  extern "C" __global__ void __launch_bounds__(FORAY_BLOCK) sweep_near_##width(const __grid_constant__ foray::SweepArgs a, const foray::Csr<Offset> g) { \
    foray::sweep_near(a, g);                                                                                                                              \
  }

FORAY_NEAR(o32, foray::u32)
FORAY_NEAR(o64, foray::u64)

#define FORAY_SWEEP(way, quads)                                                                                                              \
  extern "C" __global__ void __launch_bounds__(FORAY_BLOCK, 1) sweep_##way##_##quads(const __grid_constant__ foray::SweepArgs a) {          \
    extern __shared__ __align__(16) unsigned char shared[];                                                                                  \
    const foray::Sweep<quads> sweep{a, (foray::SweepValue*)shared, foray::cluster_rank(), foray::cluster_size()};                            \
    sweep.way(a.results[foray::kSweepLevels]);                                                                                               \
  }

FORAY_SWEEP(out, 1)
FORAY_SWEEP(out, 2)
FORAY_SWEEP(home, 1)
FORAY_SWEEP(home, 2)

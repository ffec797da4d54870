// The kernels that find components over several GPUs (trees.cuh).
#define FORAY_BLOCK 512
#define FORAY_STAGE 32

#include "algos/cc/internal/unite/trees.cuh"

extern "C" __global__ void __launch_bounds__(FORAY_BLOCK) trees_plant(const __grid_constant__ foray::PlantArgs a) { foray::plant(a); }

#define FORAY_TREES(width, Offset)                                                                                                     \
  extern "C" __global__ void __launch_bounds__(FORAY_BLOCK, 3) trees_census_##width(const __grid_constant__ foray::CensusArgs<Offset> a) { \
    __shared__ foray::u64 totals[foray::kWarps];                                                                                       \
    foray::census(a, totals);                                                                                                          \
  }                                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(FORAY_BLOCK, 3) trees_name_##width(const __grid_constant__ foray::NameArgs<Offset> a) {     \
    __shared__ foray::NameShared sh;                                                                                                   \
    foray::name(a, sh);                                                                                                                \
  }

FORAY_TREES(o32, foray::u32)
FORAY_TREES(o64, foray::u64)

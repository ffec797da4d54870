// The kernels that unite trees within tiles (unite.cuh).
#include "algos/cc/internal/unite/unite.cuh"

#define FORAY_UNITE(width, Offset) \
  extern "C" __global__ void __launch_bounds__(foray::kUniteThreads) unite_tiles_##width(const foray::UniteArgs<Offset> a) { foray::unite_tiles(a); }

FORAY_UNITE(o32, foray::u32)
FORAY_UNITE(o64, foray::u64)

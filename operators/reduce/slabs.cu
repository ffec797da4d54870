// The kernels that make the layout of slabs (slabs.cuh).
#include "operators/reduce/slab_reduce.cuh"

#define FORAY_SLABS(name) \
  extern "C" __global__ void __launch_bounds__(foray::kBlock) slab_##name(const foray::SlabArgs<foray::u32> a) { foray::slab_##name(a); }

FORAY_SLABS(last)
FORAY_SLABS(count)
FORAY_SLABS(place)
FORAY_SLABS(pieces)
FORAY_SLABS(runs)
FORAY_SLABS(rows)
FORAY_SLABS(scan)
FORAY_SLABS(starts)
FORAY_SLABS(local)

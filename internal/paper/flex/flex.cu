// The kernels of FlexBFS's ablation. See flex.cuh.
#include "internal/paper/flex/flex.cuh"

#define FORAY_FLEX(name, Offset, width, two_level, apart)                                                                             \
  extern "C" __global__ __launch_bounds__(foray::kBlock) void flex_level_##name##_##width(                                            \
      const __grid_constant__ foray::FlexArgs<Offset> a) {                                                                            \
    foray::flex_level<two_level, apart>(a);                                                                                           \
  }                                                                                                                                   \
  extern "C" __global__ __launch_bounds__(foray::kBlock) void flex_stay_##name##_##width(                                             \
      const __grid_constant__ foray::FlexArgs<Offset> a) {                                                                            \
    foray::flex_stay<two_level, apart>(a);                                                                                            \
  }

#define FORAY_FLEX_ALL(Offset, width)                   \
  FORAY_FLEX(global, Offset, width, false, false)       \
  FORAY_FLEX(two, Offset, width, true, false)           \
  FORAY_FLEX(apart, Offset, width, true, true)

FORAY_FLEX_ALL(foray::u32, o32)
FORAY_FLEX_ALL(foray::u64, o64)

// The kernels of reduce.Mode (mode.cuh), which calls no functor.
#include "operators/reduce/mode_long.cuh"
#include "operators/reduce/reduce.cuh"  // whose constants the host has too

#define FORAY_MODE(width, Offset)                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(foray::kBlock) mode_rows_##width(const foray::ModeArgs<Offset> a) { foray::enter_mode_rows(a); }                \
  extern "C" __global__ void __launch_bounds__(foray::kBlock) mode_warps_##width(const foray::ModeArgs<Offset> a) { foray::enter_mode_warps(a); }              \
  extern "C" __global__ void __launch_bounds__(foray::kModeThreads) mode_longs_##width(const foray::ModeArgs<Offset> a) { foray::enter_mode_longs(a); }

FORAY_MODE(o32, foray::u32)
FORAY_MODE(o64, foray::u64)

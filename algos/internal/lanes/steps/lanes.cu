// The kernels that search a level of many lanes by pulling (lanes.cuh, settle.cuh), by pushing the lanes that are behind
// (behind.cuh), and those for lists (list.cuh).
#include "algos/internal/lanes/steps/behind.cuh"
#include "algos/internal/lanes/steps/list.cuh"
#include "algos/internal/lanes/steps/settle.cuh"

#define FORAY_LANES(width, Offset, words)                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(foray::kBlock, 8) lanes_first_##width##_##words(const foray::LanesArgs<Offset> a) { foray::lanes_first<words>(a); }   \
  extern "C" __global__ void __launch_bounds__(foray::kBlock) lanes_sample_##width##_##words(const foray::LanesArgs<Offset> a) { foray::lanes_sample<words>(a); } \
  extern "C" __global__ void __launch_bounds__(foray::kBlock) lanes_push_##width##_##words(const foray::LanesArgs<Offset> a) { foray::lanes_push<words>(a); }     \
  extern "C" __global__ void __launch_bounds__(foray::kBlock) lanes_parts_##width##_##words(const foray::LanesArgs<Offset> a) { foray::lanes_parts<words>(a); }   \
  extern "C" __global__ void __launch_bounds__(foray::kBlock) lanes_rest_##width##_##words(const foray::LanesArgs<Offset> a) { foray::lanes_rest<words>(a); }     \
  extern "C" __global__ void __launch_bounds__(foray::kBlock) lanes_settle_##width##_##words(const foray::LanesArgs<Offset> a) { foray::lanes_settle<words>(a); }
#define FORAY_LANES_ALL(width, Offset) \
  FORAY_LANES(width, Offset, 1)        \
  FORAY_LANES(width, Offset, 4)        \
  FORAY_LANES(width, Offset, 8)

FORAY_LANES_ALL(o32, foray::u32)
FORAY_LANES_ALL(o64, foray::u64)

extern "C" __global__ void __launch_bounds__(foray::kBlock) lanes_begin(const foray::LanesList a) { foray::lanes_begin(a); }
extern "C" __global__ void __launch_bounds__(foray::kBlock) lanes_look(const foray::LanesList a) { foray::lanes_look(a); }

// The kernel that checks depths of a graph that is dealt out. See judge.cuh.
#include "internal/testing/depthcheck/judge.cuh"

#define FORAY_JUDGE(name, Offset)                                                                    \
  extern "C" __global__ void __launch_bounds__(foray::kBlock) judge_##name(foray::JudgeArgs<Offset> a) { \
    foray::judge(a);                                                                                 \
    foray::report(a.post);                                                                           \
  }

FORAY_JUDGE(o32, foray::u32)
FORAY_JUDGE(o64, foray::u64)

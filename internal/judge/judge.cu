// The kernel that checks depths of a graph that is dealt out. See judge.cuh.
#include "internal/judge/judge.cuh"

extern "C" __global__ void __launch_bounds__(foray::kBlock) judge_depths(foray::JudgeArgs a) {
  foray::judge(a);
  foray::report(a.post);
}

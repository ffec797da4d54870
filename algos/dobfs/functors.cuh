// This file holds what happens at an edge of a direction-optimizing search as one kernel: the
// functors of pushes that a pull follows, and the sink of pulls. direction.cuh says when each
// is used.
#pragma once

#include "algos/bfs/functors.cuh"

namespace foray {

// Heavy is the functor of a heavy push: nothing enters a queue. Any of the
// sources that find a vertex may be its parent.
struct Heavy : Silent {
  u32* seen;
  u32* parents;  // or null
  bool look;     // before an atomic operation: pays where many edges lead to few vertices

  using Shared = Light::Shared;
  // fresh: without parents, what was visited may be marked again.
  __device__ __forceinline__ bool fresh(u32 t) const { return (!parents && !look) || !has(seen, t); }
  __device__ __forceinline__ bool visit(Shared&, bool active, u32 source, u32 t, u64) const {
    if (active) {
      if (parents) parents[t] = source;
      atomicOr(seen + (t >> 5), 1u << (t & 31));
    }
    return false;
  }
};

// PrePush is the functor of a push that comes before a pull of the same level, so that
// fewer candidates are left to pull.
struct PrePush : Silent {
  const u32* seen;
  u32* pushed;
  u32* parents;  // or null

  using Shared = Light::Shared;
  __device__ __forceinline__ bool fresh(u32 t) const { return !parents || !has(seen, t); }
  __device__ __forceinline__ bool visit(Shared&, bool active, u32 source, u32 t, u64) const {
    if (active) {
      if (parents) parents[t] = source;
      atomicOr(pushed + (t >> 5), 1u << (t & 31));
    }
    return false;
  }
};

// prepush_share returns which part of the words of a frontier should be pushed before a pull: one
// word in so many; 0: none; 1: all, and then there is nothing to pull. share is the part
// of the candidates that the frontier is, so a candidate probes about 1/share of its
// in-neighbors. An edge that is pushed costs as much as so many probes (pushed), and
// x edges a candidate leave exp(-x) of those that are left. So the cost is least where x
// is the logarithm below. It holds where degrees are uniform (mean_in_degree is their mean) and edges
// random.
__device__ __forceinline__ u32 prepush_share(float share, float left, float candidates, float mean_in_degree, float pushed) {
  if (share <= 0 || left <= 0) return 0;
  const float edges = __logf(left / (candidates * pushed * share));
  if (edges < 0.2f) return 0;
  return max(u32(mean_in_degree * share / edges + 0.5f), 1u);
}

// Labelled is the sink of a pull.
struct Labelled {
  u32* parents;  // or null
  __device__ __forceinline__ void found(u32 v, u32 parent) const {
    if (parents) parents[v] = parent;
  }
  // Where none of the four was visited before, all may get a parent: it is another one
  // or none in the end for those that aren't found.
  __device__ __forceinline__ void found4(u32 v, const uint4& from, u32 hits, u32 candidates) const {
    if (parents) store4(parents + v, from, candidates == 15 ? 15 : hits);
  }
};

}  // namespace foray

// This file holds the search in one cluster of blocks while frontiers are small: the functor
// of its pushes (traverse/cluster.cuh), and what it leaves to the whole grid.
#pragma once

#include "algos/bfs/fused.cuh"
#include "traverse/cluster.cuh"

namespace foray {

// DeepArgs is what deep takes beside FusedArgs.
struct DeepArgs {
  const uint4* heads;
  u32 local;  // words of visited bits that a block keeps in shared memory; 0: none
  u32 pad;
};

// Reach labels what wasn't visited. With kTargets it looks for targets, which costs searches
// without any 3%.
template <class Offset, bool Targets>
struct Reach {
  // Tuning. A thread has one vertex to expand, most of the time.
  static constexpr u32 kOthers = 256, kOwn = 2048, kLongRow = 32;
  static constexpr bool kOnce = false, kSkipsSource = true, kEdges = false, kHits = Targets, kSums = false;

  const FusedArgs<Offset>& a;
  OwnedBits seen;
  u32 depth;    // that is being assigned
  u32 reached;  // targets
  // Labels are written one level late, behind the barrier, which waits for all earlier
  // writes.
  u32 late, late_source;

  __device__ __forceinline__ void begin(u32 level) {
    depth = level;
    late = kNoVertex;
  }
  __device__ __forceinline__ bool visit(u32 v, u32, u64) const {
    return seen.set(v, [](u32, u32) {}, [&](u32 w, u32 bit) { atomicOr(a.written + w, bit); });
  }
  __device__ __forceinline__ void found(u32 v, u32 source) {
    end();
    late = v;
    late_source = source;
  }
  __device__ __forceinline__ u32 hit(u32 v) const {
    u32 hits = 0;
#pragma unroll 1
    for (u32 i = 0; i < a.targets; i++) hits += a.target[i] == v;
    return hits;
  }
  __device__ __forceinline__ bool enough(u32 hits) {
    reached += hits;
    return reached == a.targets;
  }
  __device__ __forceinline__ constexpr bool forgets() const { return false; }
  __device__ __forceinline__ void forget(u32) const {}
  __device__ __forceinline__ void end() const {
    if (late != kNoVertex) label<false>(a, late, depth, late_source);
  }
};

using DeepShared = Inboxes<u32, Reach<u32, false>>::Shared;
static_assert(sizeof(DeepShared) == 102928, "the host knows the size");

template <bool kTargets, class Offset>
__device__ void deep(const FusedArgs<Offset>& a, const DeepArgs& d, DeepShared& sh, u32* local) {
  volatile FusedState* state = a.state;
  if (state->next != kOneCluster) return;
  const u32 k = state->k, q = state->q;
  u32* plane = a.planes + u64(k) * a.stride;
  Reach<Offset, kTargets> f{a, OwnedBits(plane, local, d.local, a.out.n), 0, 0, kNoVertex, 0};
  f.seen.load();
  for (u32 i = 0; kTargets && i < a.targets; i++) f.reached += *(const volatile u32*)(plane + (a.target[i] >> 5)) >> (a.target[i] & 31) & 1;
  Inboxes<Offset, Reach<Offset, kTargets>> x{a.out, d.heads, sh, a.items[q ^ 1], (u32*)a.prefix[q ^ 1], a.state->asides, cluster_rank(), cluster_size()};
  const ClusterArgs<Offset> c{
      Queue<Offset>{a.items[q], a.prefix[q], a.out.offsets, a.shift, 0},
      &a.engine.grid->slots[(*(volatile u32*)&a.engine.grid->round - 1) & 3], a.leave, a.sends, a.limit};
  u32 level = state->level;  // of the frontier that was expanded last
  u64 visited = state->visited;
  stay(a.engine, c, x, f, level, visited);
  f.seen.store([&](u32 w, u32 more) { a.written[w] |= more; });
  if (cluster_rank() == 0 && threadIdx.x == 0) {
    state->next = kWholeGrid;
    state->level = level;
    state->visited = visited;
    state->levels = level;  // those before it; whether it has a vertex the queue says
  }
}

}  // namespace foray

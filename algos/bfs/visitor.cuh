// This file holds what happens at an edge of a breadth-first search, on a GPU:
// the counterpart of Visitor in visit.go.
#pragma once

#include "operators/filter/cull.cuh"

namespace foray {

// Visitor labels what wasn't visited and lets it through: exactly, by an atomic
// OR in the bitmap. It is the functor of a push and the sink of a pull.
struct Visitor {
  u32* seen;     // visited vertices, a bit each
  i32* depths;   // or null
  u32* parents;  // or null
  i32 level;     // the depth that is being assigned
  u32 culls;     // for CullingVisitor

  struct Shared {};
  __device__ void begin(Shared&) const {}
  __device__ void end(Shared&, Slot*) const {}

  // fresh: a bit that is set is certain.
  __device__ __forceinline__ bool fresh(u32 t) const { return !has(seen, t); }

  __device__ __forceinline__ bool visit(Shared&, bool active, u32 source, u32 t, u64) const {
    if (!active || !claim(seen, t)) return false;
    found(t, source);
    return true;
  }

  // found labels a vertex.
  __device__ __forceinline__ void found(u32 v, u32 parent) const {
    if (depths) depths[v] = level;
    if (parents) parents[v] = parent;
  }
  __device__ __forceinline__ void found4(u32 v, const uint4& from, u32 hits, u32) const {
    const u32 same = u32(level);
    if (depths) store4((u32*)depths + v, make_uint4(same, same, same, same), hits);
    if (parents) store4(parents + v, from, hits);
  }
};

// CullingVisitor drops visited vertices in the ways that culls selects.
// Counted makes it count how many vertices each way drops.
template <bool Counted>
struct CullingVisitor {
  u32* seen;     // visited vertices, a bit each
  i32* depths;   // or null
  u32* parents;  // or null
  i32 level;     // the depth that is being assigned
  u32 culls;     // kCull..., kClaimExact

  struct Shared {
    CullShared cull;
    u32 counts[kCounts];
  };

  __device__ void begin(Shared& sh) const {
    if (culls & kCullHistory) forget(sh.cull);
    if (Counted && threadIdx.x < kCounts) sh.counts[threadIdx.x] = 0;
    __syncthreads();
  }

  __device__ void end(Shared& sh, Slot* slot) const {
    if (!Counted) return;
    __syncthreads();
    if (threadIdx.x < kCounts && sh.counts[threadIdx.x]) atomicAdd(&slot->counts[threadIdx.x], u64(sh.counts[threadIdx.x]));
    __syncthreads();
    if (threadIdx.x < kCounts) sh.counts[threadIdx.x] = 0;
  }

  __device__ __forceinline__ void note(Shared& sh, u32 which, bool x) const {
    if (!Counted) return;
    const u32 mask = __ballot_sync(kAll, x);
    if (lane() == 0 && mask) atomicAdd(&sh.counts[which], u32(__popc(mask)));
  }

  // drop applies one way of culling: if the way reports it, the vertex is dropped.
  template <class Way>
  __device__ __forceinline__ void drop(Shared& sh, u32 which, bool& keep, Way&& way) const {
    const bool had = keep;
    keep = keep && !way();
    note(sh, which, had && !keep);
  }

  // fresh: every target is asked in visit.
  __device__ __forceinline__ bool fresh(u32) const { return true; }

  __device__ __forceinline__ bool visit(Shared& sh, bool active, u32 source, u32 t, u64) const {
    bool keep = active;
    note(sh, kCountEdges, active);
    if (culls & kCullBitmask) drop(sh, kCountBitmask, keep, [&] { return masked((u8*)seen, t); });
    if (culls & kCullWarp) {
      const bool twice = twin(sh.cull, keep, t);  // by all lanes, whatever keep says
      keep = keep && !twice;
      note(sh, kCountWarp, twice);
    }
    if (culls & kCullHistory) drop(sh, kCountHistory, keep, [&] { return recent(sh.cull, t); });
    if (culls & kClaimExact) drop(sh, kCountExact, keep, [&] { return !claim(seen, t); });
    if (culls & kCullLabel) {
      drop(sh, kCountLabel, keep, [&] {
        return depths ? *(volatile i32*)(depths + t) >= 0 : *(volatile u32*)(parents + t) != kNoVertex;
      });
    }
    if (keep) {
      if (depths) depths[t] = level;
      if (parents) parents[t] = source;
    }
    return keep;
  }
};

}  // namespace foray

// This file holds the edge frontier on a GPU: expansion of vertices into the
// list of the edges out of them, contraction of such a list into vertices, and
// both in one (Merrill, Garland, Grimshaw, PPoPP 2012, 5).
#pragma once

#include "operators/advance/merge.cuh"

namespace foray {

// Edges is an edge frontier: the targets, and the sources where they are
// wanted.
struct Edges {
  u32* targets;
  u32* sources;  // may be null
};

// reserve gives every thread's row its place in the edge frontier: a block-wide
// prefix sum and one atomic operation.
template <class Offset>
__device__ __forceinline__ void reserve(Row<Offset>& r, Slot* slot, Stage& sh) {
  __syncthreads();
  u64 total, at = block_exclusive(u64(r.size()), sh.totals, total);
  if (threadIdx.x == 0) sh.base = total ? atomicAdd(&slot->tail, total) : 0;
  __syncthreads();
  r.slot = sh.base + at;
}

// Store is the body that writes edges to their place.
template <class Offset>
struct Store {
  const Csr<Offset>& g;
  Edges out;

  __device__ __forceinline__ void operator()(bool active, u32 source, Offset edge, u64 slot) const {
    if (!active) return;
    out.targets[slot] = g.targets[edge];
    if (out.sources) out.sources[slot] = source;
  }

  __device__ __forceinline__ void several(const bool* active, const u32* sources, const Offset* edges, u64 first) const {
    u32 t[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) t[j] = active[j] ? g.targets[edges[j]] : 0;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      if (!active[j]) continue;
      const u64 slot = first + j * kBlock + threadIdx.x;
      out.targets[slot] = t[j];
      if (out.sources) out.sources[slot] = sources[j];
    }
  }
};

// expand_twc lists the edges out of the frontier, in no order.
template <class Offset>
__device__ void expand_twc(const Csr<Offset>& g, const In<Offset>& in, Edges out, Slot* slot, Stage& stage, GatherShared<Offset>& sh) {
  Store<Offset> body{g, out};
  for (u64 base = 0; base < in.count; base += dealt()) {
    const u64 i = deal(base);
    const bool have = i < in.count;
    Row<Offset> r = row_of(g, have, have ? in.item(u32(i)) : 0);
    reserve(r, slot, stage);
    gather_twc(r, sh, body, [] {});
  }
}

// expand_merge lists the edges out of the frontier, in its order.
template <class Offset>
__device__ void expand_merge(const Csr<Offset>& g, const In<Offset>& in, Edges out, Slot* slot, MergeShared<Offset>& sh) {
  Store<Offset> body{g, out};
  walk_merge(g, in, sh, body, [] {});
  if (blockIdx.x == 0 && threadIdx.x == 0) slot->tail = in.edges;
}

// contract emits the targets of an edge frontier that the functor lets
// through.
template <class Offset, class F>
__device__ void contract(Edges in, u64 count, F& f, typename F::Shared& shared, Emitter<Offset>& out) {
  for (u64 base = u64(blockIdx.x) * kAtOnce * kBlock; base < count; base += u64(gridDim.x) * kAtOnce * kBlock) {
    u32 t[kAtOnce];
    bool go[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      const u64 i = base + j * kBlock + threadIdx.x;
      go[j] = i < count;
      t[j] = go[j] ? in.targets[i] : 0;
    }
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) go[j] = go[j] && f.fresh(t[j]);
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      if (!__any_sync(kAll, go[j])) continue;
      const u64 i = base + j * kBlock + threadIdx.x;
      out.put(f.visit(shared, go[j], go[j] && in.sources ? in.sources[i] : 0, t[j], i), t[j]);
    }
    out.relieve();
  }
}

// contract_expand does so and lists the edges out of those at once.
template <class Offset, class F>
__device__ void contract_expand(const Csr<Offset>& g, Edges in, u64 count, F& f, typename F::Shared& shared, Edges out, Slot* slot, Stage& stage, GatherShared<Offset>& sh) {
  Store<Offset> body{g, out};
  for (u64 base = 0; base < count; base += dealt()) {
    const u64 i = deal(base);
    const bool active = i < count;
    const u32 t = active ? in.targets[i] : 0;
    const bool keep = f.visit(shared, active, active && in.sources ? in.sources[i] : 0, t, i);
    const u32 kept = __syncthreads_count(keep);
    if (kept == 0) continue;
    if (threadIdx.x == 0) atomicAdd(&slot->visited, u64(kept));  // vertices of this level
    Row<Offset> r = row_of(g, keep, t);
    reserve(r, slot, stage);
    gather_twc(r, sh, body, [] {});
  }
}

}  // namespace foray

// This file holds a push with two piles over short rows in which blocks run ahead: a block
// expands what it lets through at once, for some rounds, before it meets the others. Most of
// what a round costs on deep graphs is the barrier and the loads that wait for one another.
#pragma once

#include "operators/advance/flat.cuh"

namespace foray {

// Tuning: how many vertices a block keeps to itself; others may take what is beyond.
constexpr u32 kAheadRoom = 1024;

// AheadShared is a block's own frontiers, used in turn.
struct AheadShared {
  u32 items[2][kAheadRoom];
  u32 n[2];  // asked for
};

// keep_ahead puts v into a block's own frontier where keep is set, or where there is no room
// into the queue. All lanes of a warp call it together.
template <class Offset>
__device__ __forceinline__ void keep_ahead(bool keep, u32 v, AheadShared& own, u32 which, Emitter<Offset>& out) {
  const u32 mask = __ballot_sync(kAll, keep);
  if (mask == 0) return;
  u32 at = 0;
  if (lane() == 0) at = atomicAdd(&own.n[which], __popc(mask));
  at = __shfl_sync(kAll, at, 0) + __popc(mask & lanes_below());
  if (keep && at < kAheadRoom) own.items[which][at] = v;
  out.put(keep && at >= kAheadRoom, v);
}

// expand_ahead expands vertices, of the grid's frontier or the block's own.
template <class Offset, class F, class Item>
__device__ __forceinline__ void expand_ahead(const Csr<Offset>& g, u64 count, u64 first, u64 step, F& f, AheadShared& own, u32 which, Emitter<Offset>& out, Item&& item) {
  typename F::Shared none;
  for (u64 base = 0; base < count; base += step) {
    const u64 i = base + first;
    const bool have = i < count;
    const u32 v = have ? item(u32(i)) : 0;
    const Row<Offset> r = row_of(g, have, v);
    for (Offset k = threadIdx.x % kFlatLanes; __any_sync(kAll, k < r.size()); k += kFlatLanes) {
      const bool active = k < r.size();
      const u32 t = active ? g.targets[r.begin + k] : 0;
      keep_ahead(f.visit(none, active, v, t, r.begin + k), t, own, which, out);
    }
  }
}

// push_ahead pushes. Targets that are let through are marked in the bitmap near, and those that
// a block goes on with are no longer: they may be let through again.
template <class Offset, class F>
__device__ __forceinline__ void push_ahead(const Csr<Offset>& g, const In<Offset>& in, F& f, u32* near, u32 rounds, AheadShared& own, Emitter<Offset>& out) {
  if (threadIdx.x == 0) own.n[0] = 0;
  __syncthreads();
  const u64 rows = kBlock / kFlatLanes;
  expand_ahead(g, in.count, blockIdx.x + gridDim.x * u64(threadIdx.x / kFlatLanes), rows * gridDim.x, f, own, 0, out, [&](u32 i) { return in.item(i); });
  u32 which = 0;
  for (u32 r = 0;; r++) {
    __syncthreads();
    const u32 n = min(own.n[which], kAheadRoom);
    const u32* items = own.items[which];
    if (n == 0) break;
    if (r == rounds) {
      for (u32 base = 0; base < n; base += kBlock) out.put(base + threadIdx.x < n, items[(base + threadIdx.x) % kAheadRoom]);
      break;
    }
    if (threadIdx.x == 0) own.n[which ^ 1] = 0;
    // Whoever lets a vertex through from now on finds no mark; what was done to it before by
    // those who found one is seen below.
    for (u32 i = threadIdx.x; i < n; i += kBlock) atomicAnd(near + (items[i] >> 5), ~(1u << (items[i] & 31)));
    __threadfence();
    __syncthreads();
    expand_ahead(g, n, threadIdx.x / kFlatLanes, rows, f, own, which ^ 1, out, [&](u32 i) { return items[i]; });
    which ^= 1;
  }
}

}  // namespace foray

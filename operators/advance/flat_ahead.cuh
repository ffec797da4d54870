// This file holds a push with two piles over short rows in which blocks run ahead: a block
// expands what it lets through at once, for some rounds, before it meets the others. Most of
// what a round costs on deep graphs is the barrier and the loads that wait for one another.
//
// Vertices that a block continues with aren't claimed: a vertex may be expanded by two blocks, or twice by
// one, and each thread that lowered it expands it. Only vertices for the grid's next frontier are claimed, once
// for all rounds, and so are vertices for the far pile.
#pragma once

#include "operators/advance/flat.cuh"
#include "operators/pile/pile.cuh"

namespace foray {

// Tuning: how many vertices a block keeps to itself, as many as it expands at once; others take
// what is beyond, in the next round of the grid. How many that are due later it gathers.
constexpr u32 kFlatAhead = kBlock / kFlatLanes;
constexpr u32 kFlatLater = 1024;

// FlatAhead is a block's own frontiers, used in turn, and what is due later.
struct FlatAhead {
  u32 items[2][kFlatAhead];
  u32 n[3];  // asked for; one is read, one is filled, one is cleared
  u32 later[kFlatLater];
  u32 n_later;  // asked for
};

// stage_flat puts v into an array in shared memory where keep is set, and reports whether there
// was no room. All lanes of a warp call it together.
__device__ __forceinline__ bool stage_flat(bool keep, u32 v, u32* items, u32* n, u32 room) {
  const u32 mask = __ballot_sync(kAll, keep);
  if (mask == 0) return false;
  u32 at = 0;
  if (lane() == 0) at = atomicAdd(n, __popc(mask));
  at = __shfl_sync(kAll, at, 0) + __popc(mask & lanes_below());
  if (keep && at < room) items[at] = v;
  return keep && at >= room;
}

// push_flat_ahead pushes. near is the bitmap of the grid's next frontier, totals shared memory.
template <class Offset, class F>
__device__ __forceinline__ void push_flat_ahead(const Csr<Offset>& g, const In<Offset>& in, F& f, u32* near, u32 rounds, FlatAhead& own,
                                           u64* totals, Emitter<Offset>& out) {
  if (threadIdx.x == 0) own.n[0] = own.n[1] = own.n[2] = own.n_later = 0;
  // The first round is over the grid's frontier, others over what the block kept in the one before.
  for (u32 r = 0;; r++) {
    __syncthreads();
    const u32* items = own.items[r & 1];
    u64 count = in.count, step = u64(gridDim.x) * kFlatAhead, first = blockIdx.x + gridDim.x * u64(threadIdx.x / kFlatLanes);
    if (r > 0) {
      count = min(own.n[r % 3], kFlatAhead), step = kFlatAhead, first = threadIdx.x / kFlatLanes;
      if (count == 0) break;
      if (r > rounds) {
        const u32 v = items[threadIdx.x % kFlatAhead];
        out.put(threadIdx.x < count && claim(near, v), v);
        break;
      }
    }
    if (threadIdx.x == 0) own.n[(r + 2) % 3] = 0;
    for (u64 base = 0; base < count; base += step) {
      const u64 i = base + first;
      const bool have = i < count;
      const u32 v = !have ? 0 : r > 0 ? items[i] : in.item(u32(i));
      const Row<Offset> row = row_of(g, have, v);
      for (Offset k = threadIdx.x % kFlatLanes; __any_sync(kAll, k < row.size()); k += kFlatLanes) {
        const bool active = k < row.size();
        const u32 t = active ? g.targets[row.begin + k] : 0;
        const u32 due = f.due(active, v, t, row.begin + k);
        const bool now = due <= f.stage, later = !now && due != kNever;
        const bool beyond = stage_flat(now, t, own.items[(r + 1) & 1], &own.n[(r + 1) % 3], kFlatAhead);
        out.put(beyond && claim(near, t), t);
        const bool full = stage_flat(later, t, own.later, &own.n_later, kFlatLater);
        append(f.items, f.count, full && claim(f.far, t), t);
      }
    }
  }
  __syncthreads();
  const u32 n = min(own.n_later, kFlatLater);
  for (u32 base = 0; base < n; base += kBlock) {
    const bool have = base + threadIdx.x < n;
    const u32 v = have ? own.later[base + threadIdx.x] : 0;
    append_block(f.items, f.count, have && claim(f.far, v), v, totals);
  }
}

}  // namespace foray

// This file holds pushes with two piles in which blocks run ahead: a block expands the vertices that it
// lets through at once, for some rounds, before it meets the others. A round of a small
// frontier costs mostly the barrier and loads that wait for one another.
#pragma once

#include "operators/advance/flat.cuh"
#include "operators/advance/merge.cuh"
#include "operators/pile/pile.cuh"

namespace foray {

// Tuning: how many vertices a block keeps to itself; others may take what is beyond.
constexpr u32 kAheadRoom = 1024;

// kAheadShift: the number of edges that a block continues with is in units of 64, above 16 bits of rounds.
constexpr u32 kAheadShift = 6;

// AheadShared is a block's own frontiers, used in turn.
template <u32 Room>
struct AheadShared {
  u32 items[2][Room];
  u32 n[2];  // asked for

  __device__ __forceinline__ u32 count(u32 which) const { return min(n[which], Room); }
};
// RowsAhead has room for the rows of push_rows_ahead, one per thread.
using RowsAhead = AheadShared<kBlock>;

// keep_ahead puts v into a block's own frontier where keep is set, or where there is no room
// into the queue. All lanes of a warp call it together.
template <class Offset, u32 Room>
__device__ __forceinline__ void keep_ahead(bool keep, u32 v, AheadShared<Room>& own, u32 which, Emitter<Offset>& out) {
  const u32 mask = __ballot_sync(kAll, keep);
  if (mask == 0) return;
  u32 at = 0;
  if (lane() == 0) at = atomicAdd(&own.n[which], __popc(mask));
  at = __shfl_sync(kAll, at, 0) + __popc(mask & lanes_below());
  if (keep && at < Room) own.items[which][at] = v;
  out.put(keep && at >= Room, v);
}

// sort_ahead does so with what a functor let through, which is rare: most edges lead to who has been
// let through. A call keeps kernels small. All lanes of a warp call it together.
template <class Offset, class F, u32 Room>
__device__ __noinline__ void sort_ahead(const F& f, u32 due, u32 v, AheadShared<Room>& own, u32 which, Emitter<Offset>& out) {
  keep_ahead(f.sort(due, v), v, own, which, out);
}

// expand_ahead expands the rows of count vertices, a few at a time, whose loads are under way together.
template <class Offset, class F, class Item>
__device__ __forceinline__ void expand_ahead(const Csr<Offset>& g, u64 count, u64 first, u64 step, F& f, AheadShared<kAheadRoom>& own, u32 which, Emitter<Offset>& out, Item&& item) {
  for (u64 base = first; base - first < count; base += step * kAtOnce) {
    u32 v[kAtOnce], t[kAtOnce], due[kAtOnce];
    Row<Offset> r[kAtOnce];
    bool active[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) v[j] = base + j * step < count ? item(u32(base + j * step)) : 0;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) r[j] = row_of(g, base + j * step < count, v[j]);
    for (Offset k = threadIdx.x % kFlatLanes;; k += kFlatLanes) {
      bool any = false;
#pragma unroll
      for (u32 j = 0; j < kAtOnce; j++) any |= active[j] = k < r[j].size();
      if (!__any_sync(kAll, any)) break;
#pragma unroll
      for (u32 j = 0; j < kAtOnce; j++) t[j] = active[j] ? g.targets[r[j].begin + k] : 0;
#pragma unroll
      for (u32 j = 0; j < kAtOnce; j++) due[j] = f.due(active[j], v[j], t[j], r[j].begin + k);
#pragma unroll
      for (u32 j = 0; j < kAtOnce; j++) {
        if (__any_sync(kAll, due[j] != kNever)) sort_ahead(f, due[j], t[j], own, which, out);
      }
    }
  }
}

// unmark_ahead clears the mark of a vertex that the block continues with: a thread that lets it through
// from now on finds no mark. Writes of threads that found a mark are visible afterwards.
__device__ __forceinline__ void unmark_ahead(u32* near, u32 v) { atomicAnd(near + (v >> 5), ~(1u << (v & 31))); }

// push_ahead pushes over short rows. It marks targets that are let through in the bitmap near, and unmarks
// those that a block continues with: they may be let through again. near is null if no target is let through twice.
template <class Offset, class F>
__device__ __forceinline__ void push_ahead(const Csr<Offset>& g, const In<Offset>& in, F& f, u32* near, u32 rounds, AheadShared<kAheadRoom>& own, Emitter<Offset>& out) {
  if (threadIdx.x == 0) own.n[0] = 0;
  __syncthreads();
  const u64 rows = kBlock / kFlatLanes;
  u64 count = in.count, first = blockIdx.x + gridDim.x * u64(threadIdx.x / kFlatLanes), step = rows * gridDim.x;
  const u32* items = in.items;
  u32 which = 0;
  for (u32 r = 0;; r++) {
    const auto item = [&](u32 i) { return items ? items[i] : i; };
    expand_ahead(g, count, first, step, f, own, which, out, item);
    __syncthreads();
    count = own.count(which);
    items = own.items[which];
    if (count == 0) break;
    if (r >= rounds) {
      for (u32 base = 0; base < count; base += kBlock) out.put(base + threadIdx.x < count, items[(base + threadIdx.x) % kAheadRoom]);
      break;
    }
    which ^= 1;
    if (threadIdx.x == 0) own.n[which] = 0;
    if (near != nullptr) {
      for (u32 i = threadIdx.x; i < count; i += kBlock) unmark_ahead(near, items[i]);
      __threadfence();
    }
    __syncthreads();
    first = threadIdx.x / kFlatLanes, step = rows;
  }
}

// VisitAhead is the body of a push whose targets a block keeps to itself. F is an AtPile.
template <class Offset, class F>
struct VisitAhead {
  const Csr<Offset>& g;
  F& f;
  RowsAhead& own;
  u32& which;
  Emitter<Offset>& out;

  __device__ __forceinline__ void several(const bool* active, const u32* sources, const Offset* edges, u64) const {
    u32 t[kAtOnce], due[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) t[j] = active[j] ? g.targets[edges[j]] : 0;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) due[j] = f.due(active[j], sources[j], t[j], edges[j]);
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      if (__any_sync(kAll, due[j] != kNever)) sort_ahead(f, due[j], t[j], own, which, out);
    }
  }
};

// walk_listed calls body.several for all edges of rows that list_rows has listed, as walk_rows does
// for the whole grid, where so many blocks take part, of which this is one.
template <class Offset, class Body, class Between>
__device__ __forceinline__ void walk_listed(u32 count, u64 edges, u32 blocks, u32 block, MergeShared<Offset>& sh, Body&& body, Between&& between) {
  constexpr u32 step = 32 * kAtOnce;
  const u64 warps = u64(blocks) * kWarps, share = ((edges + warps - 1) / warps + 31) & ~u64(31);
  const u64 first = min((u64(warp()) * blocks + block) * share, edges), last = min(first + share, edges);
  u32 row = 0;  // of the edge before
  for (u64 base = 0; base < share; base += step) {
    bool active[kAtOnce];
    u32 sources[kAtOnce];
    Offset at[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      const u64 k = first + base + j * 32 + lane();
      active[j] = k < last;
      u32 lo = row, hi = active[j] ? count : lo + 1;  // the last row that begins at or before k
#pragma unroll 1
      while (hi - lo > 1) {
        const u32 mid = (lo + hi) / 2;
        if (sh.bases[mid] <= Offset(k)) {
          lo = mid;
        } else {
          hi = mid;
        }
      }
      row = lo;
      sources[j] = sh.sources[lo];
      at[j] = sh.bases[kRowBegins + lo] + Offset(k - sh.bases[lo]);
    }
    body.several(active, sources, at, base);
    between();
  }
}

// push_rows_ahead pushes over rows of any length. A block continues with the vertices that it lets through as long
// as they are no more than its threads, with limited edges: other blocks help with more.
template <class Offset, class F>
__device__ __forceinline__ void push_rows_ahead(const Csr<Offset>& g, const In<Offset>& in, F& f, u32* near, u32 rounds, u32 most, RowsAhead& own,
                                                MergeShared<Offset>& merge, u64* totals, Emitter<Offset>& out) {
  if (threadIdx.x == 0) own.n[0] = 0;
  __syncthreads();
  u32 which = 0;
  const VisitAhead<Offset, F> body{g, f, own, which, out};
  const auto between = [&] { out.relieve(); };
  u32 r = 0, n = in.count;
  if (n > kBlock) {
    walk_merge(g, in, merge, body, between);
    r = 1;
  }
  for (;; r++) {
    if (r > 0) {
      __syncthreads();
      n = own.count(which);
      if (n == 0) return;
    }
    const bool have = threadIdx.x < n;
    const u32 v = !have ? 0 : r > 0 ? own.items[which][threadIdx.x] : in.item(threadIdx.x);
    const u64 edges = list_rows(g, have, v, merge, totals);
    if (r > 0) {
      if (r > rounds || edges > most) {
        out.put(have, v);
        return;
      }
      which ^= 1;
      if (threadIdx.x == 0) own.n[which] = 0;
      if (near != nullptr) {
        if (have) unmark_ahead(near, v);
        __threadfence();
      }
      __syncthreads();
    }
    walk_listed(n, edges, r > 0 ? 1 : gridDim.x, r > 0 ? 0 : blockIdx.x, merge, body, between);
  }
}

}  // namespace foray

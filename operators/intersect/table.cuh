// This file holds the intersection by a table: a block has a part of a vertex's
// row in a hash table in shared memory, in which its warps look up what the rows
// of all neighbors have between the part's first entry and its last.
#pragma once

#include "operators/intersect/choose.cuh"

namespace foray {

constexpr u32 kPlaces = 2 * kPart;  // of a table: half of them are free

// TableShared is what tables need of shared memory.
struct TableShared {
  u32 places[kPlaces];
  u64 task;
  u64 totals[kWarps];
};

__device__ __forceinline__ u32 place_of(u32 x) { return (x * 2654435761u) >> 20; }
static_assert(kPlaces == 1 << 12, "place_of has as many bits");

__device__ __forceinline__ void insert(TableShared& sh, u32 x) {
  for (u32 at = place_of(x);; at = (at + 1) % kPlaces) {
    const u32 had = atomicCAS(&sh.places[at], kNoVertex, x);
    if (had == kNoVertex || had == x) return;
  }
}

__device__ __forceinline__ bool holds(const TableShared& sh, u32 x) {
  for (u32 at = place_of(x);; at = (at + 1) % kPlaces) {
    const u32 y = sh.places[at];
    if (y == x) return true;
    if (y == kNoVertex) return false;
  }
}

// list_tasks lists the tables that are to be made: the parts of the rows that
// are worth it.
template <class Offset>
__device__ void list_tasks(const IntersectArgs<Offset>& a) {
  const u64 least = a.strategy == kByTable ? 1 : kTableRow;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const u32 u = a.source(i);
    if (!a.counts(u)) continue;
    const u64 size = span_of(a, u, u).size();
    if (size < least) continue;
    const u64 parts = (size + kPart - 1) / kPart, at = atomicAdd(&a.post.slot->counts[kTasks], parts);
    for (u64 p = 0; p < parts; p++) a.tasks[at + p] = u64(u) << 32 | p;
  }
}

// probe_row looks up the part of a row between two entries; a warp does it.
// Lanes are told their own share.
template <class Offset, class Found>
__device__ __forceinline__ u32 probe_row(const TableShared& sh, const u32* targets, const Span<Offset>& b, u32 least, u32 most, Found&& found) {
  u32 n = 0;
  Offset i = lower_bound(targets, b, least) + lane();
  for (bool on = true; on; i += 32) {
    const u32 x = i < b.end ? targets[i] : kNoVertex;
    const bool active = i < b.end && x <= most;
    if (active && !(i > b.begin && targets[i - 1] == x) && holds(sh, x)) {
      found(x);
      n++;
    }
    on = __all_sync(kAll, active);
  }
  return n;
}

// run_tasks makes tables and looks up the rows of their neighbors. It returns
// the thread's share of how many common neighbors there are.
template <class Offset, class Sink>
__device__ u64 run_tasks(const IntersectArgs<Offset>& a, const Sink& sink, TableShared& sh) {
  const u32* targets = a.g.targets;
  const u64 tasks = *(volatile u64*)&a.post.slot->counts[kTasks];
  u64 total = 0;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) sh.task = atomicAdd(&a.post.slot->counts[kTaken], 1ull);
    for (u32 i = threadIdx.x; i < kPlaces; i += kBlock) sh.places[i] = kNoVertex;
    __syncthreads();
    if (sh.task >= tasks) return total;
    const u64 task = a.tasks[sh.task];
    const u32 u = u32(task >> 32);
    const Span<Offset> row = span_of(a, u, u);
    Span<Offset> part = row;
    part.begin += Offset(u32(task)) * kPart;
    if (part.size() > kPart) part.end = part.begin + kPart;
    for (Offset i = part.begin + threadIdx.x; i < part.end; i += kBlock) {
      const u32 x = targets[i];
      if (i == row.begin || targets[i - 1] != x) insert(sh, x);  // once in all parts
    }
    const u32 least = targets[part.begin], most = targets[part.end - 1];
    __syncthreads();
    // The neighbors, 32 at a time, of which some have a row that is worth it.
    const Offset first = a.g.offsets[u], end = a.g.offsets[u + 1];
    for (Offset base = first + warp() * 32; base < end; base += kBlock) {
      const Offset e = base + lane();
      const u32 mine = e < end ? targets[e] : 0;
      Span<Offset> b{0, 0};
      if (e < end && (!(a.options & kAscending) || mine > u)) b = span_of(a, mine, u);
      const bool wanted = b.size() > 0 && choose(a.strategy, row.size(), b.size()) == kByTable;
      for (u32 todo = __ballot_sync(kAll, wanted); todo; todo &= todo - 1) {
        const u32 from = __ffs(todo) - 1;
        const u32 v = __shfl_sync(kAll, mine, from);
        const Span<Offset> s{__shfl_sync(kAll, b.begin, from), __shfl_sync(kAll, b.end, from)};
        const u64 edge = base + from;
        const u32 n = warp_sum(probe_row(sh, targets, s, least, most, [&](u32 w) { sink.found(u, v, w, edge); }));
        if (lane() == 0 && n) sink.add(edge, n);
        if (lane() == 0) total += n;
      }
    }
  }
}

}  // namespace foray

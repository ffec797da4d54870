// This file makes the edges of a quotient graph: those of the rows of a graph, between the labels of their ends.
#pragma once

#include "frontier/bitmap.cuh"

namespace foray {

constexpr u32 kRelabeled = 0;     // counter of the slot: the edges
constexpr u32 kRelabelTile = 32;  // so many times 32 entries are a warp's at a time

// RelabelArgs are the arguments of the kernels. Edges without ids have the numbers of their entries.
struct RelabelArgs {
  const void* offsets;   // of 64 bits if wide is set, else of 32
  const u32* targets;
  const u32* labels;     // of the vertices; kNoVertex: it is left out, with its edges
  const float* weights;  // or null: each is 1
  const u64* ids;        // or null
  u64* pairs;            // the edges, in any order; or null: they are counted
  u32* extras;           // their weights, or their ids if these have 32 bits; or null
  u64* wide_ids;         // or null
  u64* next;             // where the next edges go
  Post post;
  u64 entries;
  u32 vertices;
  u32 wide;
  u32 directed;          // 0: an edge has two entries, of which one counts
  u32 heavy;             // extras are weights
};

__device__ __forceinline__ u64 offset_of(const RelabelArgs& a, u32 v) {
  return a.wide ? ((const u64*)a.offsets)[v] : ((const u32*)a.offsets)[v];
}

// row_with returns the row that an entry is in, from lo to hi.
__device__ __forceinline__ u32 row_with(const RelabelArgs& a, u64 entry, u32 lo, u32 hi) {
  while (lo < hi) {
    const u32 middle = hi - (hi - lo) / 2;
    if (offset_of(a, middle) <= entry) {
      lo = middle;
    } else {
      hi = middle - 1;
    }
  }
  return lo;
}

__device__ __forceinline__ void relabel_edges(const RelabelArgs& a) {
  constexpr u64 kTile = 32 * kRelabelTile;
  u32 found = 0;
  for (u64 tile = (u64(blockIdx.x) * kWarps + warp()) * kTile; tile < a.entries; tile += u64(gridDim.x) * kWarps * kTile) {
    const u64 end = min(tile + kTile, a.entries);
    const u32 first = row_with(a, tile, 0, a.vertices - 1), last = row_with(a, end - 1, first, a.vertices - 1);
    for (u64 base = tile; base < end; base += 32) {
      const u64 e = base + lane();
      u32 from = kNoVertex, to = kNoVertex;
      if (e < end) {
        const u32 v = row_with(a, e, first, last), w = a.targets[e];
        if (a.directed || w >= v) from = a.labels[v], to = a.labels[w];
      }
      const bool have = from != kNoVertex && to != kNoVertex;
      const u32 mask = __ballot_sync(kAll, have);
      if (!a.pairs) {
        found += lane() == 0 ? __popc(mask) : 0;
        continue;
      }
      u64 at = 0;
      if (lane() == 0 && mask) at = atomicAdd(a.next, u64(__popc(mask)));
      at = __shfl_sync(kAll, at, 0) + __popc(mask & lanes_below());
      if (!have) continue;
      a.pairs[at] = u64(from) << 32 | to;
      const u64 id = a.ids ? a.ids[e] : e;
      if (a.wide_ids) a.wide_ids[at] = id;
      if (!a.extras) continue;
      if (a.heavy) {
        const float w = a.weights ? a.weights[e] : 1;
        a.extras[at] = w == w ? __float_as_uint(w) : 0x7fc00000u;
      } else {
        a.extras[at] = u32(id);
      }
    }
  }
  if (found) atomicAdd(&a.post.slot->counts[kRelabeled], u64(found));
}

}  // namespace foray

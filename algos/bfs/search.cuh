// This file holds the parts of a search on a GPU that operators don't provide: its start,
// the count of reached vertices, and the quadratic pull for comparison.
#pragma once

#include "algos/bfs/visitor.cuh"
#include "frontier/convert.cuh"
#include "operators/advance/gather.cuh"

namespace foray {

// StartArgs is what start takes. Sources are distinct.
template <class Offset>
struct StartArgs {
  const u32* sources;  // null: the only one is source
  Queue<Offset> out;
  Post post;
  u32* seen;
  i32* depths;   // or null
  u32* parents;  // or null
  u32 source;
  u32 count;
  u32 n;
  u32 pad;
};

// fill writes "not reached" everywhere, 16 bytes at a time: arrays begin at
// multiples of 256 bytes and have room for whole steps.
template <class Offset>
__device__ void fill(const StartArgs<Offset>& a) {
  const uint4 none = make_uint4(kAll, kAll, kAll, kAll), zero = make_uint4(0, 0, 0, 0);
  const u64 step = u64(gridDim.x) * kBlock, first = u64(blockIdx.x) * kBlock + threadIdx.x;
  const u64 labels = (u64(a.n) + 3) / 4, words = (u64(a.n) + 127) / 128;
  for (u64 i = first; i < labels; i += step) {
    if (a.depths) ((uint4*)a.depths)[i] = none;
    if (a.parents) ((uint4*)a.parents)[i] = none;
    if (i < words) ((uint4*)a.seen)[i] = zero;
  }
}

// start labels the sources and makes them the frontier. One block does it.
template <class Offset>
__device__ void start(const StartArgs<Offset>& a, TileShared& sh) {
  for (u32 i = threadIdx.x; i < a.count; i += kBlock) {
    const u32 v = a.sources ? a.sources[i] : a.source;
    atomicOr(a.seen + (v >> 5), 1u << (v & 31));
    if (a.depths) a.depths[v] = 0;
    if (a.parents) a.parents[v] = v;
    a.out.items[i] = v;
  }
  __syncthreads();
  list_prefix(a.out.items, a.count, a.out, sh, a.post.slot);
}

// ReachArgs is what reached takes.
struct ReachArgs {
  const i32* depths;   // or null
  const u32* parents;  // or null
  Post post;
  u32 n;
  u32 pad;
};

// reached counts the vertices that have a label.
__device__ __forceinline__ void reached(const ReachArgs& a, TileShared& sh) {
  u64 sum = 0;
  for (u64 v = u64(blockIdx.x) * kBlock + threadIdx.x; v < a.n; v += u64(gridDim.x) * kBlock) {
    sum += a.depths ? a.depths[v] >= 0 : a.parents[v] != kNoVertex;
  }
  add_up(sum, sh.totals, &a.post.slot->visited);
}

// QuadraticArgs is what pull_quadratic takes.
template <class Offset>
struct QuadraticArgs {
  Csr<Offset> in;
  i32* depths;
  u32* parents;  // or null
  Post post;
  i32 level;
  u32 shift;
};

// pull_quadratic has a thread for every vertex of the graph; those without a
// depth look for an in-neighbor of the level before and stop at the first
// (Hwu, Kirk, El Hajj, 4th ed., 15).
template <class Offset>
__device__ void pull_quadratic(const QuadraticArgs<Offset>& a, TileShared& sh) {
  u64 tail = 0, visited = 0;
  volatile i32* depths = a.depths;
  for (u64 v = u64(blockIdx.x) * kBlock + threadIdx.x; v < a.in.n; v += u64(gridDim.x) * kBlock) {
    if (depths[v] >= 0) continue;
    for (Offset e = a.in.offsets[v]; e < a.in.offsets[v + 1]; e++) {
      const u32 u = a.in.targets[e];
      visited++;
      if (depths[u] == a.level - 1) {
        depths[v] = a.level;
        if (a.parents) a.parents[v] = u;
        tail += u64(1) << a.shift;
        break;
      }
    }
  }
  add_up(tail, sh.totals, &a.post.slot->tail);
  add_up(visited, sh.totals, &a.post.slot->visited);
}

}  // namespace foray

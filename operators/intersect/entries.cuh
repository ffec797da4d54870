// This file holds the kernels of intersect: thin entries that a functor's .cu
// file instantiates by FORAY_INTERSECT. An entry's name says functor, what it
// does and the width of offsets: count_pairs_o32.
#pragma once

#include "operators/intersect/merge.cuh"
#include "operators/intersect/search.cuh"
#include "operators/intersect/table.cuh"

namespace foray {

// Each is the sink of a functor that is called for every common neighbor.
template <class F>
struct Each {
  F f;
  __device__ __forceinline__ void found(u32 u, u32 v, u32 w, u64 edge) const { f.common(u, v, w, edge); }
  __device__ __forceinline__ void add(u64, u32) const {}
};

// PairsShared is what run_pairs needs of shared memory.
struct PairsShared {
  u64 chunk;
  u32 lo, hi;
  u64 totals[kWarps];
};

// run_pairs visits all edges, a block's threads one each at a time, and does
// those that need no table. visited and total become the thread's share of the
// edges and of common neighbors.
template <class Offset, class Sink>
__device__ void run_pairs(const IntersectArgs<Offset>& a, const Sink& sink, PairsShared& sh, u64& visited, u64& total) {
  const u32* targets = a.g.targets;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) sh.chunk = atomicAdd(&a.post.slot->counts[kChunks], 1ull);
    __syncthreads();
    const u64 first = sh.chunk * kBlock;
    if (first >= a.edges) return;
    // Where the sources of the block's edges are; each thread looks between.
    if (threadIdx.x == 0) sh.lo = last_before(a.prefix, 0u, a.count, first);
    if (threadIdx.x == 32) sh.hi = last_before(a.prefix, 0u, a.count, min(first + kBlock, a.edges) - 1) + 1;
    __syncthreads();
    const u64 at = first + threadIdx.x;
    u32 u = 0, v = 0, how = kByMerge;
    u64 edge = 0;
    Span<Offset> ra{0, 0}, rb{0, 0};
    if (at < a.edges) {
      const u32 i = last_before(a.prefix, sh.lo, sh.hi, at);
      u = a.source(i);
      if (a.counts(u)) {
        edge = u64(a.g.offsets[u]) + (at - u64(a.prefix[i]));
        v = targets[edge];
        if (!(a.options & kAscending) || v > u) {
          visited++;
          ra = span_of(a, u, u);
          rb = span_of(a, v, u);
          how = choose(a.strategy, ra.size(), rb.size());
        }
      }
    }
    if (how == kByMerge) {
      const u32 n = merge_rows(targets, ra, rb, [&](u32 w) { sink.found(u, v, w, edge); });
      if (n) sink.add(edge, n);
      total += n;
    }
    for (u32 todo = __ballot_sync(kAll, how == kBySearch); todo; todo &= todo - 1) {
      const u32 from = __ffs(todo) - 1;
      const u32 wu = __shfl_sync(kAll, u, from), wv = __shfl_sync(kAll, v, from);
      const u64 we = __shfl_sync(kAll, edge, from);
      const Span<Offset> wa{__shfl_sync(kAll, ra.begin, from), __shfl_sync(kAll, ra.end, from)};
      const Span<Offset> wb{__shfl_sync(kAll, rb.begin, from), __shfl_sync(kAll, rb.end, from)};
      const u32 n = warp_sum(search_rows(targets, wa, wb, [&](u32 w) { sink.found(wu, wv, w, we); }));
      if (lane() == from) {
        if (n) sink.add(we, n);
        total += n;
      }
    }
  }
}

template <class Offset, class Sink>
__device__ __forceinline__ void enter_pairs(const IntersectArgs<Offset>& a, const Sink& sink) {
  __shared__ PairsShared sh;
  u64 visited = 0, total = 0;
  run_pairs(a, sink, sh, visited, total);
  add_up(visited, sh.totals, &a.post.slot->visited);
  add_up(total, sh.totals, &a.post.slot->tail);
  report(a.post);
}

template <class Offset, class Sink>
__device__ __forceinline__ void enter_table(const IntersectArgs<Offset>& a, const Sink& sink) {
  __shared__ TableShared sh;
  const u64 total = run_tasks(a, sink, sh);
  add_up(total, sh.totals, &a.post.slot->tail);
  report(a.post);
}

}  // namespace foray

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

#define FORAY_INTERSECT_WIDTH(name, F, S, width, Offset)                                                              \
  FORAY_KERNEL name##_pairs_##width(foray::IntersectArgs<Offset> a, F f) { foray::enter_pairs(a, S{f}); } \
  FORAY_KERNEL name##_table_##width(foray::IntersectArgs<Offset> a, F f) { foray::enter_table(a, S{f}); }

#define FORAY_INTERSECT(name, F)                             \
  FORAY_INTERSECT_WIDTH(name, F, foray::Each<F>, o32, foray::u32) \
  FORAY_INTERSECT_WIDTH(name, F, foray::Each<F>, o64, foray::u64)

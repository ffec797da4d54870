// This file holds the reduction of a value per edge over the edges of each vertex of a
// frontier, or of all, on a GPU. Short rows are reduced by a thread or a few lanes, longer
// ones by a warp, and hubs by all blocks, in segments. Which lanes reduce what, and in which
// order, depends on the row alone, so that sums of floats are always the same.
#pragma once

#include "operators/functor.cuh"

namespace foray {

// Tuning: the longest rows that are reduced by a thread, by a group of lanes, and by a
// warp, and how many edges of a hub a block reduces at a time.
constexpr u32 kThreadRow = 4;
constexpr u32 kGroupLanes = 8;
constexpr u32 kGroupRow = 32;
constexpr u32 kWarpRow = 4096;
constexpr u32 kSegment = 4096;

// Hubs are vertices of long rows, put aside: which, and how many segments come before
// those of each. count packs both numbers, segments in the lower half.
struct Hubs {
  u32* vertices;
  u32* before;
  u64* partials;  // of each segment
  u64* count;     // zero before, unless fixed
  u32 any;        // not 0: there may be hubs
  u32 fixed;      // not 0: the host has listed those of all vertices, in order
};

// Rows is what a reduction goes through.
template <class Offset>
struct Rows {
  Csr<Offset> g;
  bool in;  // rows of in-edges: what the functor sees as an edge's source is the neighbour
  __device__ __forceinline__ Edge edge(u32 v, Offset e, u32 level) const {
    const u32 u = g.targets[e];
    return in ? Edge{u, v, level, u64(e)} : Edge{v, u, level, u64(e)};
  }
};

// gather_part reduces edges from b to e by some lanes, of which this is one.
template <class Offset, class F>
__device__ __forceinline__ typename F::Total gather_part(const Rows<Offset>& rows, const F& f, u32 v, Offset b, Offset e, u32 step, u32 level) {
  using T = typename F::Total;
  T sum = Fold<T, F::kGather>::identity();
  constexpr u32 kAtOnce = 4;
  for (; b < e && e - b > Offset(kAtOnce - 1) * step; b += Offset(kAtOnce) * step) {
    T x[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) x[j] = f.gather(rows.edge(v, b + Offset(j) * step, level));
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) sum = Fold<T, F::kGather>::join(sum, x[j]);
  }
  for (; b < e; b += step) sum = Fold<T, F::kGather>::join(sum, f.gather(rows.edge(v, b, level)));
  return sum;
}

// reduce_rows reduces all rows but those of hubs, which it puts aside.
template <class Offset, class F>
__device__ __forceinline__ typename F::Value reduce_rows(const In<Offset>& in, const Rows<Offset>& rows, const F& f, u32 level, const Hubs& hubs) {
  using T = typename F::Total;
  using V = typename F::Value;
  V sum = Fold<V, F::kReduce>::identity();
  auto apply = [&](u32 v, T total) { sum = Fold<V, F::kReduce>::join(sum, f.apply(v, total, level)); };
  const u64 warps = u64(gridDim.x) * kWarps;
  for (u64 w = u64(warp()) * gridDim.x + blockIdx.x; w * 32 < in.count; w += warps) {
    const u64 i = w * 32 + lane();
    const bool have = i < in.count;
    const u32 v = have ? in.item(u32(i)) : 0;
    Offset begin = 0, end = 0;
    if (have) {
      begin = rows.g.offsets[v];
      end = rows.g.offsets[v + 1];
    }
    const Offset size = end - begin;
    if (have && size > kWarpRow && !hubs.fixed) {
      const u64 segments = (u64(size) + kSegment - 1) / kSegment;
      const u64 at = atomicAdd(hubs.count, u64(1) << 32 | segments);
      hubs.vertices[at >> 32] = v;
      hubs.before[at >> 32] = u32(at);
    }
    for (u32 todo = __ballot_sync(kAll, size > kGroupRow && size <= kWarpRow); todo; todo &= todo - 1) {
      const u32 src = __ffs(todo) - 1;
      const u32 x = __shfl_sync(kAll, v, src);
      const Offset b = __shfl_sync(kAll, begin, src), e = __shfl_sync(kAll, end, src);
      const T total = fold_warp<T, F::kGather>(gather_part(rows, f, x, b + lane(), e, 32, level));
      if (lane() == src) apply(x, total);
    }
    const bool brief = have && size <= kGroupRow;
    if (!__any_sync(kAll, brief && size > kThreadRow)) {
      if (brief) apply(v, gather_part(rows, f, v, begin, end, 1, level));
      continue;
    }
    // Rows of middling length, as many at a time as there are groups of lanes.
    constexpr u32 kGroups = 32 / kGroupLanes;
    const u32 group = lane() / kGroupLanes, at = lane() % kGroupLanes;
#pragma unroll 1
    for (u32 first = 0; first < 32; first += kGroups) {
      const u32 src = first + group;
      const u32 x = __shfl_sync(kAll, v, src);
      const Offset b = __shfl_sync(kAll, begin, src), e = __shfl_sync(kAll, end, src);
      const bool go = __shfl_sync(kAll, u32(brief), src);
      T total = go ? gather_part(rows, f, x, b + at, e, kGroupLanes, level) : Fold<T, F::kGather>::identity();
#pragma unroll
      for (u32 d = kGroupLanes / 2; d > 0; d /= 2) total = Fold<T, F::kGather>::join(total, __shfl_xor_sync(kAll, total, d));
      if (go && at == 0) apply(x, total);
    }
  }
  return sum;
}

// reduce_segments reduces the segments of hubs, once all are put aside.
template <class Offset, class F>
__device__ __forceinline__ void reduce_segments(const Rows<Offset>& rows, const F& f, u32 level, const Hubs& hubs, u64* totals) {
  using T = typename F::Total;
  const u64 all = *(volatile u64*)hubs.count;
  const u32 count = u32(all >> 32), segments = u32(all);
  for (u32 s = blockIdx.x; s < segments; s += gridDim.x) {
    u32 lo = 0, hi = count;  // the last hub whose segments begin at or before s
    while (hi - lo > 1) {
      const u32 mid = (lo + hi) / 2;
      if (((volatile u32*)hubs.before)[mid] <= s) {
        lo = mid;
      } else {
        hi = mid;
      }
    }
    const u32 v = ((volatile u32*)hubs.vertices)[lo];
    const Offset begin = rows.g.offsets[v] + Offset(s - ((volatile u32*)hubs.before)[lo]) * kSegment;
    const Offset end = min(begin + kSegment, rows.g.offsets[v + 1]);
    const T sum = fold_block<T, F::kGather>(gather_part(rows, f, v, begin + threadIdx.x, end, kBlock, level), totals);
    if (threadIdx.x == 0) *(volatile T*)&hubs.partials[s] = sum;
  }
}

// reduce_hubs applies the totals of hubs, once all segments are reduced: a warp a hub.
template <class Offset, class F>
__device__ __forceinline__ typename F::Value reduce_hubs(const Rows<Offset>& rows, const F& f, u32 level, const Hubs& hubs) {
  using T = typename F::Total;
  using V = typename F::Value;
  V sum = Fold<V, F::kReduce>::identity();
  const u64 all = *(volatile u64*)hubs.count;
  const u32 count = u32(all >> 32);
  for (u32 h = warp() * gridDim.x + blockIdx.x; h < count; h += gridDim.x * kWarps) {
    const u32 b = ((volatile u32*)hubs.before)[h], e = h + 1 < count ? ((volatile u32*)hubs.before)[h + 1] : u32(all);
    T total = Fold<T, F::kGather>::identity();
    for (u32 s = b + lane(); s < e; s += 32) total = Fold<T, F::kGather>::join(total, *(volatile T*)&hubs.partials[s]);
    total = fold_warp<T, F::kGather>(total);
    if (lane() == 0) sum = Fold<V, F::kReduce>::join(sum, f.apply(((volatile u32*)hubs.vertices)[h], total, level));
  }
  return sum;
}

// SumOfValues is the functor of reduce.Sum.
struct SumOfValues : GatherFunctor<float, kSum> {
  const float* values;
  float* totals;
  __device__ __forceinline__ float gather(const Edge& e) const { return values[e.source]; }
  __device__ __forceinline__ u32 apply(u32 v, float total, u32) const {
    totals[v] = total;
    return 0;
  }
};

}  // namespace foray

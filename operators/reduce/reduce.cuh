// This file holds the reduction of a value per edge over the edges of each vertex of a
// frontier, or of all, on a GPU. Short rows are reduced by as many lanes as they need, long ones,
// those of hubs, in segments by a warp each. Which lanes reduce what, and in which order, depends
// on the row and its neighbors in the frontier alone, so that sums of floats are always the same.
#pragma once

#include "operators/functor.cuh"

namespace foray {

// Tuning: the longest rows of which several are reduced by a warp at a time, how many edges of a
// row a lane reads at once, and how many edges of a hub a warp reduces at a time. Of a row that is
// longer than that a warp has the more rounds the fewer warps there are for such rows: by degree
// they lie side by side.
constexpr u32 kShortRow = 128;
constexpr u32 kLaneEdges = 4;
constexpr u32 kSegment = 1024;

// Hubs are vertices of long rows, put aside: which, and how many segments come before
// those of each. count packs both numbers, segments in the lower half.
struct Hubs {
  u32* vertices;
  u32* before;
  u64* partials;  // of each segment
  u32* owners;    // of each segment: which hub of those above
  u64* count;     // zero before, unless fixed
  u32 any;        // not 0: there may be hubs
  u32 fixed;      // not 0: the host has listed those of all vertices, in order
};

// Rows is what a reduction goes through.
template <class Offset>
struct Rows {
  Csr<Offset> g;
  bool in;  // rows of in-edges: what the functor sees as an edge's source is the neighbor
  __device__ __forceinline__ Edge edge(u32 v, u32 u, Offset e, u32 level) const {
    return in ? Edge{u, v, level, u64(e)} : Edge{v, u, level, u64(e)};
  }
  __device__ __forceinline__ Edge edge(u32 v, Offset e, u32 level) const { return edge(v, g.targets[e], e, level); }
};

// gather_some joins to sum what kLaneEdges edges bring, step apart from b on, as far as they are
// before end. first is some edge of the row. All loads are under way at once: what is beyond the
// row reads an edge of it again, where the functor leaves nothing behind that would show.
template <class Offset, class F>
__device__ __forceinline__ typename F::Total gather_some(const Rows<Offset>& rows, const F& f, typename F::Total sum, u32 v, Offset first, Offset b, Offset end, u32 step, u32 level) {
  using T = typename F::Total;
  if (!f.pure()) {
#pragma unroll
    for (u32 j = 0; j < kLaneEdges; j++) {
      if (b + Offset(j) * step < end) sum = Fold<T, F::kGather>::join(sum, f.gather(rows.edge(v, b + Offset(j) * step, level)));
    }
    return sum;
  }
  Offset e[kLaneEdges];
  u32 u[kLaneEdges];
  T x[kLaneEdges];
#pragma unroll
  for (u32 j = 0; j < kLaneEdges; j++) {
    e[j] = b + Offset(j) * step < end ? b + Offset(j) * step : first;
    u[j] = rows.g.targets[e[j]];
  }
#pragma unroll
  for (u32 j = 0; j < kLaneEdges; j++) x[j] = f.gather(rows.edge(v, u[j], e[j], level));
#pragma unroll
  for (u32 j = 0; j < kLaneEdges; j++) {
    const T with = Fold<T, F::kGather>::join(sum, x[j]);
    sum = b + Offset(j) * step < end ? with : sum;
  }
  return sum;
}

// gather_part reduces edges from b to end by some lanes, of which this is one.
template <class Offset, class F>
__device__ __forceinline__ typename F::Total gather_part(const Rows<Offset>& rows, const F& f, u32 v, Offset b, Offset end, u32 step, u32 level) {
  using T = typename F::Total;
  T sum = Fold<T, F::kGather>::identity();
  for (; b < end && end - b > Offset(kLaneEdges - 1) * step; b += Offset(kLaneEdges) * step) {
    u32 u[kLaneEdges];
    T x[kLaneEdges];
#pragma unroll
    for (u32 j = 0; j < kLaneEdges; j++) u[j] = rows.g.targets[b + Offset(j) * step];
#pragma unroll
    for (u32 j = 0; j < kLaneEdges; j++) x[j] = f.gather(rows.edge(v, u[j], b + Offset(j) * step, level));
#pragma unroll
    for (u32 j = 0; j < kLaneEdges; j++) sum = Fold<T, F::kGather>::join(sum, x[j]);
  }
  return b < end ? gather_some(rows, f, sum, v, b, b, end, step, level) : sum;
}

// reduce_short reduces the rows of a warp's 32 vertices that are brief, by so many lanes each, which
// read kLaneEdges edges at most.
template <class Offset, class F, class Apply>
__device__ __forceinline__ void reduce_short(const Rows<Offset>& rows, const F& f, u32 lanes, bool brief, u32 v, Offset begin, Offset end, u32 level, Apply&& apply) {
  using T = typename F::Total;
  const u32 bits = 31 - __clz(lanes), at = lane() & (lanes - 1);
#pragma unroll 1
  for (u32 first = 0; first < 32; first += 32 >> bits) {
    const u32 src = first + (lane() >> bits);
    const u32 x = __shfl_sync(kAll, v, src);
    const Offset b = __shfl_sync(kAll, begin, src), e = __shfl_sync(kAll, end, src);
    const bool go = __shfl_sync(kAll, u32(brief), src);
    T total = Fold<T, F::kGather>::identity();
    if (go && b < e) total = gather_some(rows, f, total, x, b, b + at, e, lanes, level);
#pragma unroll 1
    for (u32 d = lanes / 2; d > 0; d /= 2) total = Fold<T, F::kGather>::join(total, __shfl_xor_sync(kAll, total, d));
    if (go && at == 0) apply(x, total);
  }
}

// put_aside lists hubs of the warp's vertices, which have so many segments each.
__device__ __forceinline__ void put_aside(const Hubs& hubs, bool is, u32 v, u32 segments) {
  const u32 which = __ballot_sync(kAll, is);
  if (!which) return;
  if (!is) segments = 0;
  u32 before = segments;
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
    const u32 x = __shfl_up_sync(kAll, before, d);
    if (lane() >= d) before += x;
  }
  u64 at = 0;
  if (lane() == 31) at = atomicAdd(hubs.count, u64(__popc(which)) << 32 | before);
  at = __shfl_sync(kAll, at, 31);
  if (!is) return;
  const u32 hub = u32(at >> 32) + __popc(which & ((1u << lane()) - 1));
  before += u32(at) - segments;
  hubs.vertices[hub] = v;
  hubs.before[hub] = before;
#pragma unroll 1
  for (u32 s = 0; s < segments; s++) hubs.owners[before + s] = hub;
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
    if (!hubs.fixed) put_aside(hubs, have && size > kShortRow, v, u32((u64(size) + kSegment - 1) / kSegment));
    // The short ones get as many lanes as the longest of them needs.
    const bool brief = have && size <= kShortRow;
    if (!__any_sync(kAll, brief)) continue;
    u32 lanes = 1;
    while (lanes < 32 && __any_sync(kAll, brief && size > kLaneEdges * lanes)) lanes *= 2;
    reduce_short(rows, f, lanes, brief, v, begin, end, level, apply);
  }
  return sum;
}

// RowAhead is a row whose offsets were loaded before its turn.
template <class Offset>
struct RowAhead {
  u32 v;
  Offset begin, end;
  bool have;
  __device__ __forceinline__ RowAhead(const In<Offset>& in, const Rows<Offset>& rows, u64 i) : v(0), begin(0), end(0), have(i < in.count) {
    if (!have) return;
    v = in.item(u32(i));
    begin = rows.g.offsets[v];
    end = rows.g.offsets[v + 1];
  }
  // edge is the number of an edge of the row, or of its first one where it has fewer.
  __device__ __forceinline__ Offset edge(u32 j) const { return begin + j < end ? begin + Offset(j) : begin; }
  __device__ __forceinline__ void targets(const Rows<Offset>& rows, u32 (&u)[kLaneEdges]) const {
    if (begin >= end) return;
#pragma unroll
    for (u32 j = 0; j < kLaneEdges; j++) u[j] = rows.g.targets[edge(j)];
  }
};

// reduce_flat is reduce_rows of a pure functor on graphs of which most rows have kLaneEdges edges or fewer, in the same order. A
// warp loads offsets two groups of 32 rows ahead, and targets one: otherwise a group waits for three loads, one after the other.
template <class Offset, class F>
__device__ __forceinline__ typename F::Value reduce_flat(const In<Offset>& in, const Rows<Offset>& rows, const F& f, u32 level, const Hubs& hubs) {
  using T = typename F::Total;
  using V = typename F::Value;
  V sum = Fold<V, F::kReduce>::identity();
  auto apply = [&](u32 v, T total) { sum = Fold<V, F::kReduce>::join(sum, f.apply(v, total, level)); };
  const u64 warps = u64(gridDim.x) * kWarps;
  u64 w = u64(warp()) * gridDim.x + blockIdx.x;
  RowAhead<Offset> is(in, rows, w * 32 + lane()), next(in, rows, (w + warps) * 32 + lane());
  u32 u[kLaneEdges] = {};
  is.targets(rows, u);
  for (; w * 32 < in.count; w += warps) {
    const RowAhead<Offset> after(in, rows, (w + 2 * warps) * 32 + lane());
    u32 to[kLaneEdges] = {};
    next.targets(rows, to);
    const Offset size = is.end - is.begin;
    const bool brief = is.have && size <= kShortRow;
    if (__any_sync(kAll, size > kLaneEdges)) {
      if (!hubs.fixed) put_aside(hubs, size > kShortRow, is.v, u32((u64(size) + kSegment - 1) / kSegment));
      u32 lanes = 1;
      while (lanes < 32 && __any_sync(kAll, brief && size > kLaneEdges * lanes)) lanes *= 2;
      reduce_short(rows, f, lanes, brief, is.v, is.begin, is.end, level, apply);
    } else if (is.have) {
      T total = Fold<T, F::kGather>::identity();
      if (size != 0) {
        T x[kLaneEdges];
#pragma unroll
        for (u32 j = 0; j < kLaneEdges; j++) x[j] = f.gather(rows.edge(is.v, u[j], is.edge(j), level));
#pragma unroll
        for (u32 j = 0; j < kLaneEdges; j++) {
          const T with = Fold<T, F::kGather>::join(total, x[j]);
          total = j < size ? with : total;
        }
      }
      apply(is.v, total);
    }
    is = next;
    next = after;
#pragma unroll
    for (u32 j = 0; j < kLaneEdges; j++) u[j] = to[j];
  }
  return sum;
}

// reduce_segments reduces the segments of hubs, once all are put aside, a warp a segment, and
// applies the totals of hubs that have but one.
template <class Offset, class F>
__device__ __forceinline__ typename F::Value reduce_segments(const Rows<Offset>& rows, const F& f, u32 level, const Hubs& hubs) {
  using T = typename F::Total;
  using V = typename F::Value;
  V sum = Fold<V, F::kReduce>::identity();
  const u32 segments = u32(*(volatile u64*)hubs.count);
  for (u32 s = warp() * gridDim.x + blockIdx.x; s < segments; s += gridDim.x * kWarps) {
    const u32 h = ((volatile u32*)hubs.owners)[s];
    const u32 v = ((volatile u32*)hubs.vertices)[h], before = ((volatile u32*)hubs.before)[h];
    const Offset first = rows.g.offsets[v], end = rows.g.offsets[v + 1];
    const Offset b = first + Offset(s - before) * kSegment;
    const T total = fold_warp<T, F::kGather>(gather_part(rows, f, v, b + lane(), min(b + kSegment, end), 32, level));
    if (lane() != 0) continue;
    if (end - first <= kSegment) {
      sum = Fold<V, F::kReduce>::join(sum, f.apply(v, total, level));
    } else {
      *(volatile T*)&hubs.partials[s] = total;
    }
  }
  return sum;
}

// reduce_hubs applies the totals of hubs that have several segments, once all are reduced.
template <class Offset, class F>
__device__ __forceinline__ typename F::Value reduce_hubs(const Rows<Offset>& rows, const F& f, u32 level, const Hubs& hubs) {
  using T = typename F::Total;
  using V = typename F::Value;
  V sum = Fold<V, F::kReduce>::identity();
  const u64 all = *(volatile u64*)hubs.count;
  const u32 count = u32(all >> 32), warps = gridDim.x * kWarps;
  // The longest rows are side by side where vertices are in order of degree: each warp gets some.
  for (u32 first = warp() * gridDim.x + blockIdx.x; first < count; first += 32 * warps) {
    const u64 h = first + u64(lane()) * warps;
    const bool have = h < count;
    const u32 b = have ? ((volatile u32*)hubs.before)[h] : 0;
    const u32 e = !have ? 0 : h + 1 < count ? ((volatile u32*)hubs.before)[h + 1] : u32(all);
    for (u32 todo = __ballot_sync(kAll, e - b > 1); todo; todo &= todo - 1) {
      const u32 src = __ffs(todo) - 1;
      const u32 from = __shfl_sync(kAll, b, src), to = __shfl_sync(kAll, e, src);
      T total = Fold<T, F::kGather>::identity();
      for (u32 s = from + lane(); s < to; s += 32) total = Fold<T, F::kGather>::join(total, *(volatile T*)&hubs.partials[s]);
      total = fold_warp<T, F::kGather>(total);
      if (lane() == src) sum = Fold<V, F::kReduce>::join(sum, f.apply(((volatile u32*)hubs.vertices)[h], total, level));
    }
  }
  return sum;
}

// SumOfValues is the functor of reduce.Sum.
struct SumOfValues : GatherFunctor<float, kSum> {
  const float* values;
  float* totals;
  __device__ __forceinline__ bool pure() const { return true; }
  __device__ __forceinline__ float gather(const Edge& e) const { return values[e.source]; }
  __device__ __forceinline__ u32 apply(u32 v, float total, u32) const {
    totals[v] = total;
    return 0;
  }
};

}  // namespace foray

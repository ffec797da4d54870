// This file holds the passes of a reduce over slabs (slabs.cuh).
#pragma once

#include "operators/reduce/reduce.cuh"
#include "operators/reduce/slabs.cuh"

namespace foray {

constexpr u32 kSlabThreads = 1024;

// SlabReduceArgs is the first pass: of the edges.
struct SlabReduceArgs {
  const u16* places;
  const u32* pieces;   // runs before each piece
  const u32* firsts;   // the first piece of each slab, and the end
  const u32* before;   // runs before each slab, and in all
  u32* values;         // of runs
  u32 n;
  u32 slabs;
  u32 count;  // of pieces
  u32 level;
  u32 slab_bits;
  u32 fill;      // what it costs to fill the table for a slab, in pieces
  u32 run_cost;  // what a run costs; a piece without any costs kPieceCost
  u32 pad;
};

constexpr u32 kPieceCost = 1024;

// cost_of is what so many pieces cost with so many runs, without tables.
__device__ __forceinline__ u64 cost_of(const SlabReduceArgs& a, u32 pieces, u32 runs) {
  return u64(pieces) * kPieceCost + u64(runs) * a.run_cost;
}

// piece_at is the first piece, from lo to hi, that so much comes before; a whole warp asks.
__device__ __forceinline__ u32 piece_at(const SlabReduceArgs& a, u32 lo, u32 hi, u64 cost) {
  while (lo < hi) {
    const u32 step = (hi - lo + 31) / 32, q = lo + lane() * step;
    const u32 less = __popc(__ballot_sync(kAll, q < hi && cost_of(a, q, a.pieces[min(q, hi - 1)]) < cost));
    if (less == 0) break;
    hi = min(hi, lo + less * step);
    lo += (less - 1) * step + 1;
  }
  return lo;
}

// Bytes of shared memory: the values of a slab, and those of each warp's runs.
template <class T>
constexpr u32 slab_bytes() {
  return 4 * kSlab + kSlabThreads / 32 * kPiece * sizeof(T);
}

// staged is where the value of a piece's run is put, so that lanes with 8 runs each don't wait
// for one another.
template <class T>
__device__ __forceinline__ u32 staged(u32 run) {
  return run ^ (run / (128 / sizeof(T)) & 7);
}

// reduce_piece reduces the runs of a piece, 8 edges a lane.
template <class T, class F>
__device__ __forceinline__ void reduce_piece(const F& f, const uint4& edges, const u32* table, T* stage, u32* to) {
  const u32 words[4] = {edges.x, edges.y, edges.z, edges.w};
  u32 ends = 0;
#pragma unroll
  for (u32 k = 0; k < 8; k++) ends |= (words[k / 2] >> (k % 2 ? 31 : 15) & 1) << k;
  const u32 count = __popc(ends);
  u32 before = count;
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
    const u32 x = __shfl_up_sync(kAll, before, d);
    if (lane() >= d) before += x;
  }
  const u32 runs = __shfl_sync(kAll, before, 31);
  before -= count;
  u32 x[8];
#pragma unroll
  for (u32 k = 0; k < 8; k++) x[k] = table[(k % 2 ? words[k / 2] >> 16 : words[k / 2]) & (kSlab - 1)];
  const T zero = Fold<T, F::kGather>::identity();
  T sum = zero, first = zero;
  u32 run = before;
#pragma unroll
  for (u32 k = 0; k < 8; k++) {
    sum = Fold<T, F::kGather>::join(sum, f.widened(x[k]));
    const bool end = ends >> k & 1;
    if (end && run != before) stage[staged<T>(run)] = sum;
    first = end && run == before ? sum : first;
    sum = end ? zero : sum;
    run += end;
  }
  // What the lanes before have of the run that this one's first edges belong to.
  bool ended = count > 0;
  T carried = sum;
  if (!__all_sync(kAll, ended)) {
#pragma unroll
    for (u32 d = 1; d < 32; d *= 2) {
      const T y = __shfl_up_sync(kAll, carried, d);
      const bool had = __shfl_up_sync(kAll, u32(ended), d);
      const T both = Fold<T, F::kGather>::join(y, carried);
      if (lane() >= d) {
        carried = ended ? carried : both;
        ended = ended || had;
      }
    }
  }
  carried = __shfl_up_sync(kAll, carried, 1);
  const T whole = Fold<T, F::kGather>::join(lane() ? carried : zero, first);
  if (count) stage[staged<T>(before)] = whole;
  __syncwarp();
  for (u32 r = lane(); r < runs; r += 32) to[r] = f.narrowed(stage[staged<T>(r)]);
  __syncwarp();
}

// reduce_part reduces the pieces of a slab from p to stop.
template <class T, class F>
__device__ __forceinline__ void reduce_part(const SlabReduceArgs& a, const F& f, u32 slab, u32 p, u32 stop, u32* table, T* stage) {
  __syncthreads();
#pragma unroll 8
  for (u32 i = threadIdx.x; i < 1u << a.slab_bits; i += kSlabThreads) {
    const u32 u = min((slab << a.slab_bits) + i, a.n - 1);
    table[i] = f.narrowed(f.gather(Edge{u, u, a.level, 0}));
  }
  __syncthreads();
  const uint4* const all = (const uint4*)a.places;
  u32 q = p + threadIdx.x / 32;
  uint4 edges = q < stop ? all[u64(q) * 32 + lane()] : uint4{0, 0, 0, 0};
  while (q < stop) {
    const u32 after = q + kSlabThreads / 32;
    const uint4 next = after < stop ? all[u64(after) * 32 + lane()] : uint4{0, 0, 0, 0};
    reduce_piece(f, edges, table, stage, a.values + a.pieces[q]);
    edges = next;
    q = after;
  }
}

// reduce_slabs is the first pass. Blocks share out evenly what pieces, runs and tables cost: slabs of
// vertices with few edges have few pieces of many runs. All warps of a block find the same parts.
template <class T, class F>
__device__ __forceinline__ void reduce_slabs(const SlabReduceArgs& a, const F& f) {
  extern __shared__ __align__(16) unsigned char shared[];
  u32* const table = (u32*)shared;
  T* const stage = (T*)(table + kSlab) + threadIdx.x / 32 * kPiece;
  const u64 table_cost = u64(a.fill) * kPieceCost, cost = cost_of(a, a.count, a.before[a.slabs]) + a.slabs * table_cost;
  const u64 from = cost / gridDim.x * blockIdx.x, to = blockIdx.x + 1 < gridDim.x ? cost / gridDim.x * (blockIdx.x + 1) : cost;
#pragma unroll 1
  for (u32 base = 0; base < a.slabs; base += 32) {
    const u32 own = min(base + lane(), a.slabs - 1), first = a.firsts[own], last = a.firsts[own + 1];
    const u64 tables = (own + 1) * table_cost;
    const u64 begins = tables + cost_of(a, first, a.before[own]), ends = tables + cost_of(a, last, a.before[own + 1]);
    u32 some = __ballot_sync(kAll, base + lane() < a.slabs && first < last && begins < to && ends > from);
#pragma unroll 1
    for (; some; some &= some - 1) {
      const u32 src = __ffs(some) - 1, slab = base + src;
      const u32 b = __shfl_sync(kAll, first, src), e = __shfl_sync(kAll, last, src);
      const u64 at = __shfl_sync(kAll, begins, src), before = (slab + 1) * table_cost;
      const u32 p = from > at ? piece_at(a, b, e, from - before) : b, stop = piece_at(a, b, e, to - before);
      if (p < stop) reduce_part<T>(a, f, slab, p, stop, table, stage);
    }
  }
}

// SlabBinArgs is the second pass: of the runs of rows, bin by bin (SlabArgs explains the arrays).
struct SlabBinArgs {
  const u32* rows;
  const u16* local;
  const u32* values;
  const u32* bins;
  const u32* starts;
  const u16* tables;
  Scalar scalar;
  u32 n;
  u32 slabs;
  u32 count;  // of bins
  u32 most;   // runs of a bin; one that has more is one row
  u32 level;
  u32 pad;
};

// copy_four copies four words into shared memory, where they are after copies_end and a barrier.
__device__ __forceinline__ void copy_four(u32* to, const u32* from) {
#if defined(FORAY_EMULATED) || __CUDA_ARCH__ < 800
  *(uint4*)to = *(const uint4*)from;
#else
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(u32(__cvta_generic_to_shared(to))), "l"(from) : "memory");
#endif
}
__device__ __forceinline__ void copies_end() {
#if !defined(FORAY_EMULATED) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// fill_table copies the values of a bin's runs. Eight lanes have a slab, a warp four that follow one another, since these
// have about as many values.
__device__ __forceinline__ void fill_table(const SlabBinArgs& a, u32 bin, u32* table) {
  const u32* const starts = a.starts + u64(bin) * a.slabs;
  const u16* const tables = a.tables + u64(bin) * a.slabs;
#pragma unroll 1
  for (u32 base = warp() * 4; base < a.slabs; base += kWarps * 32) {
    const u32 s = base + lane() / 4 * (kWarps * 4) + lane() % 4;
    const bool have = s < a.slabs;
    const u32 first = have ? starts[s] / 4 : 0, end = have ? starts[a.slabs + s] : 0;
    const u32 fours = have && starts[s] < end ? (end + 3) / 4 - first : 0, at = have ? tables[s] : 0;
#pragma unroll
    for (u32 q = 0; q < 8; q++) {
      const u32 src = q * 4 + lane() / 8;
      const u32 from = __shfl_sync(kAll, first, src), many = __shfl_sync(kAll, fours, src), to = __shfl_sync(kAll, at, src);
      for (u32 i = lane() % 8; i < many; i += 8) copy_four(table + to + 4 * i, a.values + 4 * u64(from + i));
    }
  }
}

// bin_part reduces runs from b to end by some lanes, of which this is one, in the order of gather_part.
template <class T, class F>
__device__ __forceinline__ T bin_part(const SlabBinArgs& a, const F& f, const u32* table, u32 b, u32 end, u32 step) {
  T sum = Fold<T, F::kGather>::identity();
#pragma unroll 1
  for (; b < end; b += kLaneEdges * step) {
    u32 at[kLaneEdges];
#pragma unroll
    for (u32 j = 0; j < kLaneEdges; j++) at[j] = a.local[b + j * step < end ? b + j * step : b];
#pragma unroll
    for (u32 j = 0; j < kLaneEdges; j++) {
      const T with = Fold<T, F::kGather>::join(sum, f.widened(table[at[j]]));
      sum = b + j * step < end ? with : sum;
    }
  }
  return sum;
}

// reduce_bin reduces the rows of a bin, whose table is filled. Rows are shared out to lanes as reduce_rows, reduce_segments and
// reduce_hubs do.
template <class T, class F, class Apply>
__device__ __forceinline__ void reduce_bin(const SlabBinArgs& a, const F& f, const u32* table, u32 from, u32 to, Apply&& apply) {
#pragma unroll 1
  for (u32 group = from / 32 + warp(); group * 32 < to; group += kWarps) {
    const u32 v = group * 32 + lane();
    const bool inside = v >= from && v < to;
    u32 begin = 0, end = 0;
    if (v < a.n) {
      begin = a.rows[v];
      end = a.rows[v + 1];
    }
    const u32 size = end - begin;
    u32 lanes = 1;
    while (lanes < 32 && __any_sync(kAll, size <= kShortRow && size > kLaneEdges * lanes)) lanes *= 2;
    const bool brief = inside && size <= kShortRow;
    const u32 bits = 31 - __clz(lanes), at = lane() & (lanes - 1);
#pragma unroll 1
    for (u32 first = 0; first < 32; first += 32 >> bits) {
      const u32 src = first + (lane() >> bits);
      const u32 b = __shfl_sync(kAll, begin, src), e = __shfl_sync(kAll, end, src);
      const bool go = __shfl_sync(kAll, u32(brief), src);
      T total = Fold<T, F::kGather>::identity();
      if (go && b + at < e) total = bin_part<T>(a, f, table, b + at, e, lanes);
#pragma unroll 1
      for (u32 d = lanes / 2; d > 0; d /= 2) total = Fold<T, F::kGather>::join(total, __shfl_xor_sync(kAll, total, d));
      if (go && at == 0) apply(group * 32 + src, total);
    }
#pragma unroll 1
    for (u32 todo = __ballot_sync(kAll, inside && size > kShortRow); todo; todo &= todo - 1) {
      const u32 src = __ffs(todo) - 1;
      const u32 b = __shfl_sync(kAll, begin, src), e = __shfl_sync(kAll, end, src);
      T total = Fold<T, F::kGather>::identity();
#pragma unroll 1
      for (u32 s = 0; s * kSegment < e - b; s++) {
        const u32 first = b + s * kSegment;
        const T part = fold_warp<T, F::kGather>(bin_part<T>(a, f, table, first + lane(), min(first + kSegment, e), 32));
        if (lane() == s || e - b <= kSegment) total = part;
      }
      if (e - b > kSegment) total = fold_warp<T, F::kGather>(Fold<T, F::kGather>::join(Fold<T, F::kGather>::identity(), total));
      if (lane() == src) apply(v, total);
    }
  }
}

// reduce_bins is the second pass, but for rows that have a bin to themselves, whose values don't fit.
template <class T, class F>
__device__ __forceinline__ void reduce_bins(const SlabBinArgs& a, const F& f) {
  using V = typename F::Value;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ u64 totals[kWarps];
  u32* const table = (u32*)shared;
  V sum = Fold<V, F::kReduce>::identity();
  for (u32 bin = blockIdx.x; bin < a.count; bin += gridDim.x) {
    const u32 from = a.bins[bin], to = a.bins[bin + 1], runs = a.rows[to] - a.rows[from];
    if (runs > a.most) continue;
    __syncthreads();  // after the bin before
    if (runs) fill_table(a, bin, table);
    copies_end();
    __syncthreads();
    reduce_bin<T>(a, f, table, from, to, [&](u32 v, T total) { sum = Fold<V, F::kReduce>::join(sum, f.apply(v, total, a.level)); });
  }
  reduce_into<V, F::kReduce>(sum, a.scalar, totals);
}

// OfRuns is the functor of a pass over rows whose edges are runs: those that have a bin to themselves.
template <class F>
struct OfRuns : F {
  const u32* values;
  __device__ __forceinline__ OfRuns(const F& f, const u32* runs) : F(f), values(runs) {}
  __device__ __forceinline__ bool pure() const { return true; }
  __device__ __forceinline__ typename F::Total gather(const Edge& e) const { return this->widened(values[e.source]); }
};

}  // namespace foray

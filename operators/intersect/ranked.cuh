// This file makes rows by degree of a graph whose vertices are in another order: vertices get
// ranks by descending degree, and the row of a rank has the ranks below it, ascending.
#pragma once

#include "operators/intersect/oriented.cuh"

namespace foray {

// Degrees fall into kDegrees classes, each of one degree up to 2^kExactBits and of a 128th of it
// beyond. Any order of ranks finds all triangles, so ranks within a class are as they come.
constexpr u32 kExactBits = 8;
constexpr u32 kDegrees = (32 - kExactBits + 2) << (kExactBits - 1);

// kRankTile is how many vertices a block ranks at a time, kLongDegree the degree from which on a
// block looks at a row, not a warp.
constexpr u32 kRankTile = 32 * kBlock;
constexpr u32 kLongDegree = 2048;

constexpr u32 kRowEntries = 0;  // counter of the slot: of rows so far

// RankArgs is what these kernels take.
template <class Offset>
struct RankArgs {
  TriangleArgs<Offset> t;  // whose rows are made
  u32* degrees;            // of each class how many vertices there are, later their next rank
  u32* rank;               // of every vertex
  u32* order;              // the vertex of every rank
  u32* loose;              // rows whose entries don't ascend
  u32* rows;
};

// degree_class returns 0 for the largest degrees.
__device__ __forceinline__ u32 degree_class(u64 degree) {
  const u32 d = u32(min(degree, u64(0xffffffffu))), shift = max(0, 32 - __clz(int(d)) - int(kExactBits));
  return kDegrees - 1 - ((shift << (kExactBits - 1)) + (d >> shift));
}

template <class Offset>
__device__ __forceinline__ u64 degree_of(const Csr<Offset>& g, u64 v) { return g.offsets[v + 1] - g.offsets[v]; }

// count_degrees counts the vertices of every class.
template <class Offset>
__device__ __forceinline__ void count_degrees(const RankArgs<Offset>& a, u32* counts) {
  for (u32 c = threadIdx.x; c < kDegrees; c += kBlock) counts[c] = 0;
  __syncthreads();
  for (u64 v = u64(blockIdx.x) * kBlock + threadIdx.x; v < a.t.g.n; v += u64(gridDim.x) * kBlock) atomicAdd(&counts[degree_class(degree_of(a.t.g, v))], 1u);
  __syncthreads();
  for (u32 c = threadIdx.x; c < kDegrees; c += kBlock) {
    if (counts[c]) atomicAdd(&a.degrees[c], counts[c]);
  }
}

// first_ranks replaces the counts by the first rank of each class. One block does it.
template <class Offset>
__device__ __forceinline__ void first_ranks(const RankArgs<Offset>& a, u32* sums) {
  u32 before = 0;
  for (u32 base = 0; base < kDegrees; base += kBlock) {
    const u32 c = base + threadIdx.x, count = c < kDegrees ? a.degrees[c] : 0;
    u32 total;
    __syncthreads();
    const u32 at = block_exclusive(count, sums, total);
    if (c < kDegrees) a.degrees[c] = before + at;
    before += total;
  }
}

// assign_ranks ranks the vertices, a tile at a time: a class of it reserves its ranks together.
template <class Offset>
__device__ __forceinline__ void assign_ranks(const RankArgs<Offset>& a, u32* next) {
  for (u64 tile = u64(blockIdx.x) * kRankTile; tile < a.t.g.n; tile += u64(gridDim.x) * kRankTile) {
    const u64 end = min(tile + kRankTile, u64(a.t.g.n));
    for (u32 c = threadIdx.x; c < kDegrees; c += kBlock) next[c] = 0;
    __syncthreads();
    for (u64 v = tile + threadIdx.x; v < end; v += kBlock) atomicAdd(&next[degree_class(degree_of(a.t.g, v))], 1u);
    __syncthreads();
    for (u32 c = threadIdx.x; c < kDegrees; c += kBlock) {
      if (next[c]) next[c] = atomicAdd(&a.degrees[c], next[c]);
    }
    __syncthreads();
    for (u64 v = tile + threadIdx.x; v < end; v += kBlock) {
      const u32 r = atomicAdd(&next[degree_class(degree_of(a.t.g, v))], 1u);
      a.rank[v] = r;
      a.order[r] = u32(v);
    }
    __syncthreads();
  }
}

// RankedShared is what visit_rows needs of shared memory.
struct RankedShared {
  u32 sums[kWarps], listed[kBlock], n, count;
};

// visit_rows calls body(v, lower, count) for every vertex: the lower ranks of its row, one a thread of
// a warp or of the block, and how many there are in all once they are known; with them where
// they go. It does what both passes over the rows have in common.
template <class Offset, class Each, class Done>
__device__ __forceinline__ void visit_rows(const RankArgs<Offset>& a, RankedShared& sh, Each&& each, Done&& done) {
  const Csr<Offset>& g = a.t.g;
  for (u64 first = u64(blockIdx.x) * kBlock; first < g.n; first += u64(gridDim.x) * kBlock) {
    __syncthreads();
    if (threadIdx.x == 0) sh.n = 0;
    __syncthreads();
    const u64 mine = first + threadIdx.x;
    const bool is_long = mine < g.n && degree_of(g, mine) >= kLongDegree;
    if (is_long) sh.listed[atomicAdd(&sh.n, 1u)] = u32(mine);
    for (u32 todo = __ballot_sync(kAll, mine < g.n && !is_long); todo; todo &= todo - 1) {
      const u32 v = u32(first) + warp() * 32 + __ffs(todo) - 1, own = a.rank[v];
      const Offset end = g.offsets[v + 1];
      u32 count = 0;
      for (Offset e = g.offsets[v]; e < end; e += 32) {
        const u32 r = e + lane() < end ? a.rank[g.targets[e + lane()]] : kNoVertex;
        const u32 lower = __ballot_sync(kAll, r < own);
        if (r < own) each(own, r, count + __popc(lower & lanes_below()));
        count += __popc(lower);
      }
      if (lane() == 0) done(own, count);
    }
    __syncthreads();
    for (u32 i = 0; i < sh.n; i++) {
      const u32 v = sh.listed[i], own = a.rank[v];
      const Offset end = g.offsets[v + 1];
      __syncthreads();
      if (threadIdx.x == 0) sh.count = 0;
      __syncthreads();
      for (Offset e = g.offsets[v] + threadIdx.x; e < end; e += kBlock) {
        const u32 r = a.rank[g.targets[e]];
        if (r < own) each(own, r, atomicAdd(&sh.count, 1u));
      }
      __syncthreads();
      if (threadIdx.x == 0) done(own, sh.count);
    }
  }
}

// size_rows finds where the rows go, and lists the long ones.
template <class Offset>
__device__ __forceinline__ void size_rows(const RankArgs<Offset>& a, RankedShared& sh) {
  visit_rows(a, sh, [](u32, u32, u32) {}, [&](u32 own, u32 count) {
    const Offset begin = Offset(atomicAdd(&a.t.post.slot->counts[kRowEntries], u64(count)));
    a.t.bounds[own] = Bounds<Offset>{begin, Offset(begin + count)};
    list_parts(a.t, own, count);
  });
  report(a.t.post);
}

template <class Offset>
__device__ __forceinline__ void fill_rows(const RankArgs<Offset>& a, RankedShared& sh) {
  visit_rows(a, sh, [&](u32 own, u32 r, u32 i) { a.loose[a.t.bounds[own].begin + i] = r; }, [](u32, u32) {});
}

// sort_short sorts the short rows, a warp each. An entry's place is how many are smaller.
template <class Offset>
__device__ __forceinline__ void sort_short(const RankArgs<Offset>& a) {
  for (u64 first = (u64(blockIdx.x) * kWarps + warp()) * 32; first < a.t.g.n; first += u64(gridDim.x) * kBlock) {
    Bounds<Offset> mine{0, 0};
    if (first + lane() < a.t.g.n) mine = a.t.bounds[first + lane()];
    const u64 size = mine.end - mine.begin;
    for (u32 todo = __ballot_sync(kAll, size > 0 && size < a.t.least); todo; todo &= todo - 1) {
      const u32 from = __ffs(todo) - 1;
      const Offset begin = __shfl_sync(kAll, mine.begin, from);
      const u32 n = u32(__shfl_sync(kAll, mine.end, from) - begin);
      const u32 x = lane() < n ? a.loose[begin + lane()] : kNoVertex, y = lane() + 32 < n ? a.loose[begin + lane() + 32] : kNoVertex;
      u32 below_x = 0, below_y = 0;
      for (u32 i = 0; i < 32; i++) {
        const u32 p = __shfl_sync(kAll, x, i), q = __shfl_sync(kAll, y, i);
        below_x += (p < x) + (q < x);
        below_y += (p < y) + (q < y);
      }
      if (lane() < n) a.rows[begin + below_x] = x;
      if (lane() + 32 < n) a.rows[begin + below_y] = y;
    }
  }
}

// part_of is where a part of a long row is.
template <class Offset>
__device__ __forceinline__ Span<Offset> part_of(const Bounds<Offset>& row, u32 part) {
  Span<Offset> s{Offset(row.begin + Offset(part) * kRowPart), row.end};
  if (s.size() > kRowPart) s.end = s.begin + kRowPart;
  return s;
}

// sort_parts sorts each part of the long rows separately, a block each.
template <class Offset>
__device__ __forceinline__ void sort_parts(const RankArgs<Offset>& a, u32* entries) {
  for (u64 i = blockIdx.x; i < a.t.count; i += gridDim.x) {
    const u64 task = a.t.tasks[i];
    const Span<Offset> part = part_of(a.t.bounds[task >> 32], u32(task));
    const u32 n = u32(part.size());
    __syncthreads();
    for (u32 k = threadIdx.x; k < n; k += kBlock) entries[k] = a.loose[part.begin + k];
    __syncthreads();
    for (u32 k = threadIdx.x; k < n; k += kBlock) {
      const u32 x = entries[k];
      u32 below = 0;
      for (u32 j = 0; j < n; j++) below += entries[j] < x;
      a.loose[part.begin + below] = x;
    }
  }
}

// merge_parts moves the entries of each part to where they are in the whole row.
template <class Offset>
__device__ __forceinline__ void merge_parts(const RankArgs<Offset>& a) {
  for (u64 i = blockIdx.x; i < a.t.count; i += gridDim.x) {
    const u64 task = a.t.tasks[i];
    const Bounds<Offset> row = a.t.bounds[task >> 32];
    const Span<Offset> part = part_of(row, u32(task));
    const u32 parts = u32((u64(row.end - row.begin) + kRowPart - 1) / kRowPart);
    for (Offset e = part.begin + threadIdx.x; e < part.end; e += kBlock) {
      const u32 x = a.loose[e];
      Offset to = row.begin + (e - part.begin);
      for (u32 p = 0; p < parts; p++) {
        if (p == u32(task)) continue;
        const Span<Offset> other = part_of(row, p);
        to += lower_bound(a.loose, other, x) - other.begin;
      }
      a.rows[to] = x;
    }
  }
}

}  // namespace foray

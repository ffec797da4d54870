// This file holds Push by merge path: every block takes an equal share of
// vertices and edges together, found by a search along a diagonal of the edge
// prefix (Davidson, Baxter, Garland, Owens, IPDPS 2014).
#pragma once

#include "operators/advance/push.cuh"

namespace foray {

// kMerge is the share of a block at a time, vertices and edges together.
constexpr u32 kMerge = 4 * kBlock;
constexpr u32 kLeastMerge = 128;  // at least

template <class Offset>
struct MergeShared {
  u32 starts[kMerge + 1];  // of each vertex's edges, within the share
  u32 sources[kMerge + 1];
  Offset bases[kMerge + 1];  // edge of the graph that start 0 would be
  u32 cut[2];
};

// split returns how many vertices come before the diagonal d: those whose
// edges end at or before it. A warp looks at 32 places at a time.
template <class Offset>
__device__ __forceinline__ u32 split(const In<Offset>& in, u64 d) {
  u64 lo = d > in.edges ? d - in.edges : 0;
  u64 hi = d < in.count ? d : in.count;
  while (lo < hi) {
    const u64 step = (hi - lo + 31) / 32, at = lo + step * lane() + step - 1;  // the last of each lane's share
    bool before = false;
    if (at < hi) {
      const u64 end = at + 1 < in.count ? u64(in.prefix[at + 1]) : in.edges;
      before = end + at + 1 <= d;
    }
    const u64 passed = __popc(__ballot_sync(kAll, before));
    lo += step * passed;
    hi = min(hi, lo + step - 1);
  }
  return u32(lo);
}

// walk_merge calls body.several for all edges of the frontier, in shares of
// equal work: first is the place of the first one of thread 0 among all edges
// of the frontier, and a thread's next one is kBlock places further. g has offsets.
template <class Offset, class G, class Body, class Between>
__device__ __forceinline__ void walk_shares(const G& g, const In<Offset>& in, MergeShared<Offset>& sh, Body&& body, Between&& between) {
  const u64 work = in.count + in.edges;
  // A small frontier is cut up finer, so that all blocks have a share.
  const u64 even = (work + gridDim.x - 1) / gridDim.x;
  const u32 share = even >= kMerge ? kMerge : max(u32(even + 127) & ~127u, kLeastMerge);
  for (u64 d = u64(blockIdx.x) * share; d < work; d += u64(gridDim.x) * share) {
    const u64 end = min(d + share, work);
    __syncthreads();
    if (warp() < 2) {
      const u32 cut = split(in, warp() == 0 ? d : end);
      if (lane() == 0) sh.cut[warp()] = cut;
    }
    __syncthreads();
    const u32 v0 = sh.cut[0], v1 = sh.cut[1];
    const u64 e0 = d - v0, e1 = end - v1;  // edges of the frontier in this share
    // The last vertex may continue in the next share.
    const u32 vertices = min(v1 + 1, in.count) - v0;
    for (u32 i = threadIdx.x; i < vertices; i += kBlock) {
      const u32 v = in.item(v0 + i);
      const u64 p = in.prefix[v0 + i];
      sh.starts[i] = p > e0 ? u32(p - e0) : 0;
      sh.sources[i] = v;
      sh.bases[i] = g.offsets[v] + Offset(e0 - p);  // may wrap around; so does the sum
    }
    __syncthreads();
    const u32 edges = u32(e1 - e0);
    for (u32 base = 0; base < edges; base += kAtOnce * kBlock) {
      bool active[kAtOnce];
      u32 sources[kAtOnce];
      Offset at[kAtOnce];
#pragma unroll
      for (u32 j = 0; j < kAtOnce; j++) {
        const u32 k = base + j * kBlock + threadIdx.x;
        active[j] = k < edges;
        u32 lo = 0, hi = vertices;  // the last start at or before k
#pragma unroll 1
        while (hi - lo > 1) {
          const u32 mid = (lo + hi) / 2;
          if (sh.starts[mid] <= k) {
            lo = mid;
          } else {
            hi = mid;
          }
        }
        sources[j] = sh.sources[lo];
        at[j] = sh.bases[lo] + k;
      }
      body.several(active, sources, at, e0 + base);
    }
    between();
  }
}

// walk_merge is walk_shares of a graph.
template <class Offset, class Body, class Between>
__device__ void walk_merge(const Csr<Offset>& g, const In<Offset>& in, MergeShared<Offset>& sh, Body&& body, Between&& between) {
  walk_shares(g, in, sh, body, between);
}

// kRowBegins is where list_rows puts the begins of the rows in MergeShared's bases.
constexpr u32 kRowBegins = kBlock + 1;

// list_row readies MergeShared for walk_rows: the rows of a frontier of no more
// than kBlock vertices, the same in all blocks; v is this thread's vertex, if there is
// one, with its row. It returns the number of edges out of all.
template <class Offset>
__device__ __forceinline__ u64 list_row(u32 v, Offset begin, Offset end, MergeShared<Offset>& sh, u64* totals) {
  u64 total;
  __syncthreads();
  const u64 start = block_exclusive(u64(end - begin), totals, total);
  sh.sources[threadIdx.x] = v;
  sh.bases[threadIdx.x] = Offset(start);
  sh.bases[kRowBegins + threadIdx.x] = begin;
  __syncthreads();
  return total;
}

// list_rows is list_row for rows of a graph.
template <class Offset>
__device__ __forceinline__ u64 list_rows(const Csr<Offset>& g, bool have, u32 v, MergeShared<Offset>& sh, u64* totals) {
  Offset begin = 0, end = 0;
  if (have) {
    begin = g.offsets[v];
    end = g.offsets[v + 1];
  }
  return list_row(v, begin, end, sh, totals);
}

// walk_rows calls body.several for all edges of such a frontier. Every warp takes
// an equal part of them, which lie side by side, so that where rows are long it
// searches for its row once. between is called by whole blocks now and then.
template <class Offset, class Body, class Between>
__device__ __forceinline__ void walk_rows(u32 count, u64 edges, MergeShared<Offset>& sh, Body&& body, Between&& between) {
  constexpr u32 step = 32 * kAtOnce;
  const u64 warps = u64(gridDim.x) * kWarps, share = ((edges + warps - 1) / warps + 31) & ~u64(31);
  const u64 first = min((u64(warp()) * gridDim.x + blockIdx.x) * share, edges), last = min(first + share, edges);
  u32 row = 0;  // of the edge before
  for (u64 base = 0; base < share; base += step) {
    bool active[kAtOnce];
    u32 sources[kAtOnce];
    Offset at[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      const u64 k = first + base + j * 32 + lane();
      active[j] = k < last;
      // The last row that begins at or before k: the same as before, or one after it.
      u32 lo = row, hi = !active[j] || lo + 1 >= count || (base + j > 0 && sh.bases[lo + 1] > Offset(k)) ? lo + 1 : count;
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

// walk_some calls body.several for all edges of the rows of some lanes, which are about
// as long as a warp is wide, kAtOnce rows at a time.
template <class Offset, class Body>
__device__ __forceinline__ void walk_some(const Row<Offset>& mine, u32 some, Body&& body) {
  while (some) {
    u32 sources[kAtOnce];
    Offset at[kAtOnce], size[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      const u32 src = some ? __ffs(some) - 1 : 0;
      sources[j] = __shfl_sync(kAll, mine.source, src);
      at[j] = __shfl_sync(kAll, mine.begin, src) + lane();
      size[j] = __shfl_sync(kAll, mine.size(), src);
      if (!some) size[j] = 0;
      some &= some - 1;
    }
    for (Offset k = lane();; k += 32) {
      bool active[kAtOnce], any = false;
#pragma unroll
      for (u32 j = 0; j < kAtOnce; j++) any |= active[j] = k < size[j];
      if (!__any_sync(kAll, any)) break;
      body.several(active, sources, at, 0);
#pragma unroll
      for (u32 j = 0; j < kAtOnce; j++) at[j] += 32;
    }
  }
}

// walk_alike calls body.several for all edges of a frontier whose rows are about as
// long as a warp is wide. Every warp takes as many vertices as any other.
template <class Offset, class Body>
__device__ __forceinline__ void walk_alike(const Csr<Offset>& g, const In<Offset>& in, Body&& body) {
  const u32 warps = gridDim.x * kWarps, each = min((in.count + warps - 1) / warps, 32u);
  for (u64 first = u64(blockIdx.x * kWarps + warp()) * each; first < in.count; first += u64(warps) * each) {
    const bool have = lane() < each && first + lane() < in.count;
    walk_some(row_of(g, have, have ? in.item(u32(first + lane())) : 0), __ballot_sync(kAll, have), body);
  }
}

// walk_new does so for the vertices of every so many-th word of one bitmap that aren't in
// another one.
template <class Offset, class Body>
__device__ __forceinline__ void walk_new(const Csr<Offset>& g, const u32* now, const u32* before, u32 words, u32 every, Body&& body) {
  for (u64 w = u64(blockIdx.x * kWarps + warp()) * every; w < words; w += u64(gridDim.x) * kWarps * every) {
    const u32 fresh = now[w] & ~before[w];
    walk_some(row_of(g, fresh >> lane() & 1, u32(w) * 32 + lane()), fresh, body);
  }
}

template <class Offset, class F>
__device__ void push_merge(const Csr<Offset>& g, const In<Offset>& in, F& f, Emitter<Offset>& out, typename F::Shared& shared, MergeShared<Offset>& merge) {
  Visit<Offset, F> body{g, f, shared, out};
  walk_merge(g, in, merge, body, [&] {
    if (!kSilent<F>) out.relieve();
  });
}

// push_listed is push_merge of a frontier that list_rows has listed.
template <class Offset, class F>
__device__ __forceinline__ void push_listed(const Csr<Offset>& g, u32 count, u64 edges, F& f, Emitter<Offset>& out, typename F::Shared& shared, MergeShared<Offset>& merge) {
  Visit<Offset, F> body{g, f, shared, out};
  walk_rows(count, edges, merge, body, [&] {
    if (!kSilent<F>) out.relieve();
  });
}

// push_alike is push_merge of a frontier of rows of about a warp's width. What doesn't
// fit the stage is spilled.
template <class Offset, class F>
__device__ __forceinline__ void push_alike(const Csr<Offset>& g, const In<Offset>& in, F& f, Emitter<Offset>& out, typename F::Shared& shared) {
  Visit<Offset, F> body{g, f, shared, out};
  walk_alike(g, in, body);
}

}  // namespace foray

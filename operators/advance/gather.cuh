// This file holds the ways in which a block, or a warp, shares out the rows of
// its vertices: gathering by thread, by warp, and by scan, warp and block
// together (Merrill, Garland, Grimshaw, PPoPP 2012, 4.1).
//
// Each thread brings one row, perhaps an empty one. body is called for every
// edge of all rows, by whole warps: body(active, source, edge, slot), where
// slot is the row's slot plus the edge's place in the row. Lanes without an
// edge call it with active false.
#pragma once

#include "frontier/queue.cuh"

namespace foray {

// Csr is a graph in device memory.
template <class Offset>
struct Csr {
  const Offset* offsets;  // n + 1
  const u32* targets;
  u32 n;
  u32 pad;
};

// Row is a part of the edges of one vertex.
template <class Offset>
struct Row {
  Offset begin, end;
  u64 slot;  // where the first one's output goes, for whoever wants to know
  u32 source;

  __device__ __forceinline__ Offset size() const { return end - begin; }
};

template <class Offset>
__device__ __forceinline__ Row<Offset> row_of(const Csr<Offset>& g, bool have, u32 v) {
  Row<Offset> r{0, 0, 0, v};
  if (have) {
    r.begin = g.offsets[v];
    r.end = g.offsets[v + 1];
  }
  return r;
}

template <class Offset>
__device__ __forceinline__ Row<Offset> from_lane(const Row<Offset>& r, u32 src) {
  Row<Offset> o;
  o.begin = __shfl_sync(kAll, r.begin, src);
  o.end = __shfl_sync(kAll, r.end, src);
  o.slot = __shfl_sync(kAll, r.slot, src);
  o.source = __shfl_sync(kAll, r.source, src);
  return o;
}

// gather_thread: every thread walks its own row.
template <class Offset, class Body>
__device__ __forceinline__ void gather_thread(const Row<Offset>& r, Body&& body) {
  Offset k = 0;
  while (__any_sync(kAll, k < r.size())) {
    body(k < r.size(), r.source, r.begin + k, r.slot + k);
    k++;
  }
}

// walk_warp: a warp walks one row, the same for all lanes.
template <class Offset, class Body>
__device__ __forceinline__ void walk_warp(const Row<Offset>& r, Body&& body) {
  for (Offset base = 0; base < r.size(); base += 32) {
    Offset k = base + lane();
    body(k < r.size(), r.source, r.begin + k, r.slot + k);
  }
}

// gather_warp: a warp walks the rows of its lanes one after the other.
template <class Offset, class Body>
__device__ __forceinline__ void gather_warp(const Row<Offset>& r, Body&& body) {
  u32 todo = __ballot_sync(kAll, r.size() > 0);
  while (todo) {
    u32 src = __ffs(todo) - 1;
    todo &= todo - 1;
    walk_warp(from_lane(r, src), body);
  }
}

// kGather is how many edges of short rows the scan packs at a time.
constexpr u32 kGather = 2 * kBlock;

// Owner is the number of a thread.
template <bool Narrow>
struct OwnerOf {
  using type = u8;
};
template <>
struct OwnerOf<false> {
  using type = uint16_t;
};
using Owner = OwnerOf<(kBlock <= 256)>::type;

// GatherShared is what gather_twc needs of shared memory.
template <class Offset>
struct GatherShared {
  Row<Offset> wide;        // the row that the whole block walks
  u32 winner;              // the thread that brought it
  u32 totals[kWarps];
  Row<Offset> rows[kBlock];  // short rows, by thread
  u32 starts[kBlock];        // of each in the packed edges
  Owner owners[kGather];     // whose edge a packed one is
};

// gather_wide: the block walks the rows of its threads that are at least so
// long, one after the other; those rows are empty afterwards. between is
// called by the whole block now and then.
template <class Offset, class Body, class Between>
__device__ __forceinline__ void gather_wide(Row<Offset>& r, Offset least, GatherShared<Offset>& sh, Body&& body, Between&& between) {
  while (__syncthreads_or(r.size() >= least)) {
    if (r.size() >= least) atomicExch(&sh.winner, threadIdx.x);  // one of them stays
    __syncthreads();
    if (sh.winner == threadIdx.x) {
      sh.wide = r;
      r.begin = r.end;
    }
    __syncthreads();
    const Row<Offset> w = sh.wide;
    u32 rounds = 0;
    for (Offset base = 0; base < w.size(); base += kBlock) {
      Offset k = base + threadIdx.x;
      body(k < w.size(), w.source, w.begin + k, w.slot + k);
      if (++rounds % 4 == 0) between();
    }
  }
}

// gather_middle: each warp walks the rows of its lanes that are at least so
// long; those are empty afterwards.
template <class Offset, class Body>
__device__ __forceinline__ void gather_middle(Row<Offset>& r, Offset least, Body&& body) {
  u32 todo = __ballot_sync(kAll, r.size() >= least);
  while (todo) {
    u32 src = __ffs(todo) - 1;
    todo &= todo - 1;
    walk_warp(from_lane(r, src), body);
    if (lane() == src) r.begin = r.end;
  }
}

// gather_short: a block-wide scan packs what is left of the rows, so that
// every thread gets one edge at a time.
template <class Offset, class Body, class Between>
__device__ __forceinline__ void gather_short(const Row<Offset>& r, GatherShared<Offset>& sh, Body&& body, Between&& between) {
  __syncthreads();
  const u32 size = u32(r.size());
  u32 total, start = block_exclusive(size, sh.totals, total);
  sh.rows[threadIdx.x] = r;
  sh.starts[threadIdx.x] = start;
  for (u32 window = 0; window < total; window += kGather) {
    __syncthreads();
    const u32 lo = max(start, window), hi = min(start + size, window + kGather);
    for (u32 i = lo; i < hi; i++) sh.owners[i - window] = Owner(threadIdx.x);
    __syncthreads();
#pragma unroll
    for (u32 part = 0; part < kGather; part += kBlock) {
      const u32 i = window + part + threadIdx.x;
      const bool active = i < total;
      const u32 owner = active ? sh.owners[part + threadIdx.x] : 0;
      const Offset k = active ? i - sh.starts[owner] : 0;
      const Row<Offset>& o = sh.rows[owner];
      body(active, o.source, o.begin + k, o.slot + k);
    }
    between();
  }
}

// gather_twc: rows of at least a block's threads by the block, of at least a
// warp's lanes by warps, the rest by scan.
template <class Offset, class Body, class Between>
__device__ __forceinline__ void gather_twc(Row<Offset> r, GatherShared<Offset>& sh, Body&& body, Between&& between) {
  gather_wide(r, Offset(kBlock), sh, body, between);
  gather_middle(r, Offset(32), body);
  between();
  gather_short(r, sh, body, between);
}

}  // namespace foray

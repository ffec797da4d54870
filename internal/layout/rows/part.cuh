// This file holds how entries are parted by their rows, before they are counted and put into them: what
// is at work at a time then fits into the second-level cache. A part is as many neighboring rows as
// there are rows in 2^shift.
#pragma once

#include "internal/layout/rows/long.cuh"

namespace foray {

constexpr u32 kParts = 1024;  // at most
constexpr u32 kEntries = 2;   // counter of the slot: entries that there are

struct PartArgs {
  const u64* pairs;    // as RowsArgs has them
  const u32* weights;
  u64 count;
  u32* seen;
  u64* counts;         // of the entries of each part; then where the next one goes
  u64* to;             // entries: row << 32 | target
  u32* heavy;          // their weights or edge ids; or null
  Post post;
  u32 base;
  u32 flags;
  u32 shift;
  u32 parts;
};

// pairs_of returns what pair_of wants to know.
__device__ __forceinline__ RowsArgs pairs_of(const PartArgs& a) {
  RowsArgs r{};
  r.pairs = a.pairs;
  r.base = a.base;
  r.flags = a.flags;
  return r;
}

struct PartCounts {
  u32 of[kParts];
};

// part_count counts the entries of each part.
__device__ __forceinline__ void part_count(const PartArgs& a, PartCounts& sh) {
  const RowsArgs r = pairs_of(a);
  for (u32 i = threadIdx.x; i < a.parts; i += kBlock) sh.of[i] = 0;
  __syncthreads();
  u32 loops = 0;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const Pair p = pair_of(r, i);
    if (a.seen) {
      see(a.seen, p.source);
      see(a.seen, p.target);
    }
    if (p.kept) atomicAdd(&sh.of[p.source >> a.shift], 1u);
    if (p.kept && p.both) atomicAdd(&sh.of[p.target >> a.shift], 1u);
    loops += !p.kept;
  }
  if (loops) atomicAdd(&a.post.slot->counts[kSelfLoops], u64(loops));
  __syncthreads();
  for (u32 i = threadIdx.x; i < a.parts; i += kBlock) {
    if (const u32 n = sh.of[i]) {
      atomicAdd(a.counts + i, u64(n));
      atomicAdd(&a.post.slot->counts[kEntries], u64(n));
    }
  }
}

struct PartSums {
  u64 of[kParts];
};

// part_begin makes counts where the parts begin; a block does it.
__device__ __forceinline__ void part_begin(const PartArgs& a, PartSums& sh) {
  for (u32 i = threadIdx.x; i < a.parts; i += kBlock) sh.of[i] = a.counts[i];
  __syncthreads();
  for (u32 i = threadIdx.x; i < a.parts; i += kBlock) {
    u64 sum = 0;
    for (u32 j = 0; j < i; j++) sum += sh.of[j];
    a.counts[i] = sum;
  }
}

// PartShared is what a block has of a tile of pairs.
template <u32 kPairs, bool kHeavy>
struct PartShared {
  u64 entries[2 * kPairs];
  u32 heavy[kHeavy ? 2 * kPairs : 1];
  u32 counts[kParts];  // of the tile's entries; then where they begin in it
  u64 shift[kParts];   // what is to be added to that
  u32 totals[kWarps];
};

// part_scatter puts entries into their parts: a block sorts a tile of pairs by part, so that it writes
// runs.
template <u32 kPairs, bool kHeavy>
__device__ __forceinline__ void part_scatter(const PartArgs& a, PartShared<kPairs, kHeavy>& sh) {
  constexpr u32 kEach = kPairs / kBlock;
  constexpr u32 kOwn = kParts / kBlock;  // parts that a thread sums up
  const RowsArgs r = pairs_of(a);
  for (u64 tile = u64(blockIdx.x) * kPairs; tile < a.count; tile += u64(gridDim.x) * kPairs) {
    for (u32 i = threadIdx.x; i < kParts; i += kBlock) sh.counts[i] = 0;
    __syncthreads();
    Pair pairs[kEach];
    u32 rank[kEach][2];  // among the tile's entries of the part
#pragma unroll
    for (u32 k = 0; k < kEach; k++) {
      const u64 i = tile + k * kBlock + threadIdx.x;
      pairs[k] = i < a.count ? pair_of(r, i) : Pair{0, 0, false, false};
      if (pairs[k].kept) rank[k][0] = atomicAdd(&sh.counts[pairs[k].source >> a.shift], 1u);
      if (pairs[k].kept && pairs[k].both) rank[k][1] = atomicAdd(&sh.counts[pairs[k].target >> a.shift], 1u);
    }
    __syncthreads();
    u32 mine[kOwn], sum = 0, total;
#pragma unroll
    for (u32 k = 0; k < kOwn; k++) {
      mine[k] = sh.counts[threadIdx.x * kOwn + k];
      sum += mine[k];
    }
    u32 begin = block_exclusive(sum, sh.totals, total);
#pragma unroll
    for (u32 k = 0; k < kOwn; k++) {
      const u32 part = threadIdx.x * kOwn + k;
      sh.counts[part] = begin;
      if (mine[k]) sh.shift[part] = atomicAdd(a.counts + part, u64(mine[k])) - begin;
      begin += mine[k];
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < kEach; k++) {
      const Pair& p = pairs[k];
      const u32 w = kHeavy && p.kept ? a.weights[tile + k * kBlock + threadIdx.x] : 0;
      if (p.kept) {
        const u32 at = sh.counts[p.source >> a.shift] + rank[k][0];
        sh.entries[at] = u64(p.source) << 32 | p.target;
        if (kHeavy) sh.heavy[at] = w;
      }
      if (p.kept && p.both) {
        const u32 at = sh.counts[p.target >> a.shift] + rank[k][1];
        sh.entries[at] = u64(p.target) << 32 | p.source;
        if (kHeavy) sh.heavy[at] = w;
      }
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < total; i += kBlock) {
      const u64 e = sh.entries[i];
      const u64 at = sh.shift[u32(e >> 32) >> a.shift] + i;
      a.to[at] = e;
      if (kHeavy) a.heavy[at] = sh.heavy[i];
    }
    __syncthreads();
  }
}

// Group is the lanes of a warp whose entries are of the same row: one of them does for all what would be
// done for each, one after the other, where a row is long.
struct Group {
  u32 lanes;
  u32 rank;  // of the lane's entry among them

  __device__ __forceinline__ Group(u32 row) : lanes(__match_any_sync(kAll, row)), rank(__popc(lanes & lanes_below())) {}
  __device__ __forceinline__ bool leads() const { return rank == 0; }
  __device__ __forceinline__ u32 size() const { return __popc(lanes); }
};

// parted_count is rows_count for entries that were parted.
__device__ __forceinline__ void parted_count(const RowsArgs& a) {
  for (u64 base = (u64(blockIdx.x) * kWarps + warp()) * 32; base < a.count; base += u64(gridDim.x) * kBlock) {
    const bool have = base + lane() < a.count;
    const u32 row = have ? u32(a.pairs[base + lane()] >> 32) : kNoVertex;
    const Group g(row);
    if (have && g.leads()) atomicAdd(a.ends + row, g.size());
  }
}

// Blocks take so many entries for each thread at a time, one after the other, so that all are at nearly
// the same part.
constexpr u32 kAtOnce = 8;

// parted_scatter is rows_scatter for them.
template <class K>
__device__ __forceinline__ void parted_scatter(const RowsArgs& a, u64* shared) {
  constexpr u32 kTake = kAtOnce * kBlock;
  K* entries = (K*)a.entries;
  for (u64 tile = next_row(a, shared) * kTake; tile < a.count; tile = next_row(a, shared) * kTake) {
    u64 x[kAtOnce], at[kAtOnce];
    u32 rank[kAtOnce];
#pragma unroll
    for (u32 k = 0; k < kAtOnce; k++) {
      const u64 i = tile + k * kBlock + threadIdx.x;
      x[k] = i < a.count ? a.pairs[i] : ~u64(0);
    }
#pragma unroll
    for (u32 k = 0; k < kAtOnce; k++) {
      const u32 row = u32(x[k] >> 32);
      const Group g(row);
      rank[k] = g.rank | (__ffs(g.lanes) - 1) << 8;
      at[k] = 0;
      if (row != kNoVertex && g.leads()) at[k] = a.starts[row] + atomicAdd(a.ends + row, 0 - g.size()) - g.size();
    }
#pragma unroll
    for (u32 k = 0; k < kAtOnce; k++) {
      at[k] = __shfl_sync(kAll, at[k], rank[k] >> 8);
      if (u32(x[k] >> 32) == kNoVertex) continue;
      const K w = rest_of<K>(a, tile + k * kBlock + threadIdx.x);
      entries[at[k] + (rank[k] & 0xff)] = key_of<K>(u32(x[k]), w);
    }
  }
}

}  // namespace foray

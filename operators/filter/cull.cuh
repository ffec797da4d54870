// This file holds the ways to drop a vertex that was seen before: by a bitmask
// that may be stale, by its label, within a warp, by a block's recent history
// (Merrill, Garland, Grimshaw, PPoPP 2012, 4.2), and exactly, by an atomic OR.
#pragma once

#include "frontier/bitmap.cuh"

namespace foray {

// Culls selects ways of culling, as bits; the host has the same values.
constexpr u32 kCullBitmask = 1;
constexpr u32 kCullLabel = 2;
constexpr u32 kCullWarp = 4;
constexpr u32 kCullHistory = 8;
constexpr u32 kClaimExact = 16;

// The counters of a slot that culling counts in.
constexpr u32 kCountEdges = 0;    // looked at
constexpr u32 kCountBitmask = 1;  // dropped, by each way
constexpr u32 kCountLabel = 2;    // thus missed by the bitmask: its false negatives
constexpr u32 kCountWarp = 3;
constexpr u32 kCountHistory = 4;
constexpr u32 kCountExact = 5;

// masked reports whether the bit is set, and sets it. Without an atomic
// operation, a bit that another thread sets in the same byte may get lost: a
// set bit is certain, an unset one isn't.
__device__ __forceinline__ bool masked(u8* mask, u32 v) {
  volatile u8* at = mask + (v >> 3);
  const u8 bit = u8(1u << (v & 7)), had = *at;
  if (had & bit) return true;
  *at = had | bit;
  return false;
}

constexpr u32 kHash = 128;      // entries of a warp's table
constexpr u32 kHistory = 1024;  // entries of a block's cache

// CullShared is what culling needs of shared memory.
struct CullShared {
  u32 hash[kWarps][kHash];
  u32 history[kHistory];
  u64 totals[kWarps];
};

// twin reports whether another lane of this warp has the same vertex and keeps
// it. Collisions of different vertices in the table only hide twins.
__device__ __forceinline__ bool twin(CullShared& sh, bool active, u32 v) {
  u32* at = &sh.hash[warp()][v % kHash];
  if (active) atomicExch(at, v);
  __syncwarp();
  const bool mine = active && *(volatile u32*)at == v;
  __syncwarp();
  if (mine) atomicExch(at, lane());
  __syncwarp();
  const bool drop = mine && *(volatile u32*)at != lane();
  __syncwarp();
  return drop;
}

// recent reports whether the block saw the vertex a short while ago.
__device__ __forceinline__ bool recent(CullShared& sh, u32 v) {
  return atomicExch(&sh.history[v % kHistory], v) == v;
}

__device__ __forceinline__ void forget(CullShared& sh) {
  for (u32 i = threadIdx.x; i < kHistory; i += kBlock) sh.history[i] = kNoVertex;
  __syncthreads();
}

}  // namespace foray

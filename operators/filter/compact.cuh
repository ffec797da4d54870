// This file holds compaction that keeps the order: flags and counts by tile,
// and, after a scan over the tiles, the move.
#pragma once

#include "frontier/tiles.cuh"

namespace foray {

// flag_tiles asks keep(v) of every entry, notes the answers as bits and the
// packed sum (count, edges) of each tile.
template <class Offset, class Keep>
__device__ void flag_tiles(const u32* items, u32 count, const Queue<Offset>& q, u32* flags, u64* tiles, TileShared& sh, Keep&& keep) {
  for (u64 tile = blockIdx.x; tile * kTile < count; tile += gridDim.x) {
    u64 sum = 0;
    for (u32 part = 0; part < kTile; part += kBlock) {
      const u64 i = tile * kTile + part + threadIdx.x;
      const u32 v = i < count ? items[i] : 0;
      const bool stays = i < count && keep(v);
      const u32 word = __ballot_sync(kAll, stays);
      if (lane() == 0 && i < count) flags[i / 32] = word;
      if (stays) sum += q.packed(v);
    }
    u64 total;
    __syncthreads();
    block_exclusive(sum, sh.totals, total);
    if (threadIdx.x == 0) tiles[tile] = total;
  }
}

// move_tiles writes the entries whose flag is set to their place.
template <class Offset>
__device__ void move_tiles(const u32* items, u32 count, const Queue<Offset>& q, const u32* flags, const u64* tiles, TileShared& sh) {
  for (u64 tile = blockIdx.x; tile * kTile < count; tile += gridDim.x) {
    u64 before = tiles[tile];
    for (u32 part = 0; part < kTile; part += kBlock) {
      const u64 i = tile * kTile + part + threadIdx.x;
      const bool stays = i < count && flags[i / 32] >> (i % 32) & 1;
      const u32 v = stays ? items[i] : 0;
      const u64 x = stays ? q.packed(v) : 0;
      u64 total;
      __syncthreads();
      const u64 at = before + block_exclusive(x, sh.totals, total);
      if (stays) q.write(at, v);
      before += total;
    }
  }
}

}  // namespace foray

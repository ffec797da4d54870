// This file holds the full scan, where order must be kept: each tile's sum, the
// sums of the tiles before it, and then each entry's place.
#pragma once

#include "frontier/bitmap.cuh"

namespace foray {

// kTile is how many entries a block looks at before it writes down a count.
constexpr u32 kTile = 8 * kBlock;

// TileShared is what the passes over tiles need of shared memory.
struct TileShared {
  u64 totals[kWarps];
};

// scan_tiles replaces the sums by those of the tiles before, and leaves the
// sum of all in the slot. One block does it.
__device__ __forceinline__ void scan_tiles(u64* tiles, u32 count, Slot* slot, TileShared& sh) {
  u64 before = 0;
  for (u32 base = 0; base < count; base += kBlock) {
    const u32 i = base + threadIdx.x;
    const u64 x = i < count ? tiles[i] : 0;
    u64 total;
    __syncthreads();
    const u64 at = block_exclusive(x, sh.totals, total);
    if (i < count) tiles[i] = before + at;
    before += total;
  }
  if (threadIdx.x == 0) slot->tail = before;
}

}  // namespace foray

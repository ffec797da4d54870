// This file holds the conversion of a frontier from one form into the other,
// on a GPU.
#pragma once

#include "frontier/tiles.cuh"

namespace foray {

// count_words notes the packed sum (count, edges) of every tile of kTile bits.
template <class Offset>
__device__ void count_words(const u32* words, u32 n, const Queue<Offset>& q, u64* tiles, TileShared& sh) {
  const u32 total_words = (n + 31) / 32;
  for (u64 tile = blockIdx.x; tile * kTile < n; tile += gridDim.x) {
    u64 sum = 0;
    for (u32 part = 0; part < kTile; part += kBlock) {
      const u64 v = tile * kTile + part + threadIdx.x;
      if (v / 32 < total_words && has(words, u32(v))) sum += q.packed(u32(v));
    }
    u64 total;
    __syncthreads();
    block_exclusive(sum, sh.totals, total);
    if (threadIdx.x == 0) tiles[tile] = total;
  }
}

// list_words writes the vertices of a bitmap in ascending order; tiles holds
// the sums before each tile.
template <class Offset>
__device__ void list_words(const u32* words, u32 n, const Queue<Offset>& q, const u64* tiles, TileShared& sh) {
  const u32 total_words = (n + 31) / 32;
  for (u64 tile = blockIdx.x; tile * kTile < n; tile += gridDim.x) {
    u64 before = tiles[tile];
    for (u32 part = 0; part < kTile; part += kBlock) {
      const u64 v = tile * kTile + part + threadIdx.x;
      const bool set = v / 32 < total_words && has(words, u32(v));
      const u64 x = set ? q.packed(u32(v)) : 0;
      u64 total;
      __syncthreads();
      const u64 at = before + block_exclusive(x, sh.totals, total);
      if (set) q.write(at, u32(v));
      before += total;
    }
  }
}

// emit_words puts the vertices of a bitmap into a queue in no order, with one
// atomic operation a flush.
template <class Offset>
__device__ void emit_words(const u32* words, u32 n, Emitter<Offset>& out) {
  const u32 total_words = (n + 31) / 32;
  for (u64 base = u64(blockIdx.x) * kBlock; base < total_words; base += u64(gridDim.x) * kBlock) {
    const u64 i = base + threadIdx.x;
    u32 word = i < total_words ? words[i] : 0;
    while (__any_sync(kAll, word != 0)) {
      const u32 bit = word ? __ffs(word) - 1 : 0;
      out.put(word != 0, u32(i * 32 + bit));
      word &= word - 1;
    }
    out.relieve();
  }
}

// mark_items sets the bits of a queue's entries and counts those that weren't
// set, with their edges, in the slot's tail.
template <class Offset>
__device__ void mark_items(const u32* items, u32 count, u32* words, const Queue<Offset>& q, Slot* slot, TileShared& sh) {
  u64 sum = 0;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < count; i += u64(gridDim.x) * kBlock) {
    const u32 v = items[i];
    if (!claim(words, v)) continue;
    sum += q.packed(u32(v));
  }
  add_up(sum, sh.totals, &slot->tail);
}

// count_degrees notes the sum of the degrees of every tile of kTile entries.
template <class Offset>
__device__ void count_degrees(const u32* items, u32 count, const Queue<Offset>& q, u64* tiles, TileShared& sh) {
  for (u64 tile = blockIdx.x; tile * kTile < count; tile += gridDim.x) {
    u64 sum = 0;
    for (u32 part = 0; part < kTile; part += kBlock) {
      const u64 i = tile * kTile + part + threadIdx.x;
      if (i < count) sum += q.degree(items[i]);
    }
    u64 total;
    __syncthreads();
    block_exclusive(sum, sh.totals, total);
    if (threadIdx.x == 0) tiles[tile] = total;
  }
}

// list_degrees writes the edge prefix of a queue; tiles holds the sums before
// each tile.
template <class Offset>
__device__ void list_degrees(const u32* items, u32 count, const Queue<Offset>& q, const u64* tiles, TileShared& sh) {
  for (u64 tile = blockIdx.x; tile * kTile < count; tile += gridDim.x) {
    u64 before = tiles[tile];
    for (u32 part = 0; part < kTile; part += kBlock) {
      const u64 i = tile * kTile + part + threadIdx.x;
      const u64 x = i < count ? q.degree(items[i]) : 0;
      u64 total;
      __syncthreads();
      const u64 at = before + block_exclusive(x, sh.totals, total);
      if (i < count) q.prefix[i] = Offset(at);
      before += total;
    }
  }
}

// list_prefix works out the edge prefix of a queue that the host filled, and
// leaves count and edges in the slot's tail. One block does it.
template <class Offset>
__device__ void list_prefix(const u32* items, u32 count, const Queue<Offset>& q, TileShared& sh, Slot* slot) {
  u64 before = 0;
  for (u32 base = 0; base < count; base += kBlock) {
    const u32 i = base + threadIdx.x;
    const u64 x = i < count ? q.packed(items[i]) : 0;
    u64 total;
    __syncthreads();
    const u64 at = before + block_exclusive(x, sh.totals, total);
    if (i < count) q.prefix[i] = Offset(at & ((u64(1) << q.shift) - 1));
    before += total;
  }
  if (threadIdx.x == 0 && blockIdx.x == 0) slot->tail = before;
}

}  // namespace foray

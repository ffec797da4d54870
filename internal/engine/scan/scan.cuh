// This file holds the exclusive prefix sum of an array of any length, in three
// passes over parts: their sums, the scan of those (scan_tiles of
// frontier/tiles.cuh), and the scan of each part.
#pragma once

#include "frontier/tiles.cuh"

namespace foray {

// kEach is how many entries a thread has of a tile, side by side.
constexpr u32 kEach = kTile / kBlock;
static_assert(kEach == 8, "load8 and store8 move as many");

// load8 loads eight entries from place i on, zeros where there are none. Arrays
// begin at multiples of 256 bytes, and i is a multiple of eight.
__device__ __forceinline__ void load8(const u32* a, u64 i, u64 n, u64 (&x)[kEach]) {
  if (i + kEach <= n) {
    const uint4 lo = *(const uint4*)(a + i), hi = *(const uint4*)(a + i + 4);
    x[0] = lo.x, x[1] = lo.y, x[2] = lo.z, x[3] = lo.w;
    x[4] = hi.x, x[5] = hi.y, x[6] = hi.z, x[7] = hi.w;
    return;
  }
#pragma unroll
  for (u32 k = 0; k < kEach; k++) x[k] = i + k < n ? a[i + k] : 0;
}
__device__ __forceinline__ void load8(const u64* a, u64 i, u64 n, u64 (&x)[kEach]) {
#pragma unroll
  for (u32 k = 0; k < kEach; k++) x[k] = i + k < n ? a[i + k] : 0;
}

__device__ __forceinline__ void store8(u32* a, u64 i, u64 n, const u64 (&x)[kEach]) {
  if (i + kEach <= n) {
    *(uint4*)(a + i) = make_uint4(u32(x[0]), u32(x[1]), u32(x[2]), u32(x[3]));
    *(uint4*)(a + i + 4) = make_uint4(u32(x[4]), u32(x[5]), u32(x[6]), u32(x[7]));
    return;
  }
#pragma unroll
  for (u32 k = 0; k < kEach; k++)
    if (i + k < n) a[i + k] = u32(x[k]);
}
__device__ __forceinline__ void store8(u64* a, u64 i, u64 n, const u64 (&x)[kEach]) {
#pragma unroll
  for (u32 k = 0; k < kEach; k++)
    if (i + k < n) a[i + k] = x[k];
}

// sum_parts writes down the sum of every part of per entries.
template <class In>
__device__ void sum_parts(const In* in, u64 n, u64 per, u32 parts, u64* sums, TileShared& sh) {
  for (u32 part = blockIdx.x; part < parts; part += gridDim.x) {
    const u64 end = min(n, (part + 1) * per);
    u64 sum = 0;
    for (u64 i = part * per + threadIdx.x * kEach; i < end; i += kTile) {
      u64 x[kEach];
      load8(in, i, end, x);
#pragma unroll
      for (u32 k = 0; k < kEach; k++) sum += x[k];
    }
    u64 total;
    __syncthreads();
    block_exclusive(sum, sh.totals, total);
    if (threadIdx.x == 0) sums[part] = total;
  }
}

// scan_part scans one part, beginning with the sum before it, and returns the
// sum behind. All threads of the block call it together. out may be in.
template <class In, class Out>
__device__ u64 scan_part(const In* in, Out* out, u64 begin, u64 end, u64 before, TileShared& sh) {
  for (u64 tile = begin; tile < end; tile += kTile) {
    const u64 i = tile + threadIdx.x * kEach;
    u64 x[kEach], sum = 0, total;
    load8(in, i, end, x);
#pragma unroll
    for (u32 k = 0; k < kEach; k++) {
      const u64 y = x[k];
      x[k] = sum;
      sum += y;
    }
    __syncthreads();
    const u64 at = before + block_exclusive(sum, sh.totals, total);
#pragma unroll
    for (u32 k = 0; k < kEach; k++) x[k] += at;
    store8(out, i, end, x);
    before += total;
  }
  return before;
}

}  // namespace foray

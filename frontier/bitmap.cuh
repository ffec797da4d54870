// This file holds the bits of a frontier in bitmap form, on a GPU.
#pragma once

#include "frontier/queue.cuh"

namespace foray {

// claim sets the bit and reports whether this call was the one. The bit is
// tested before the atomic operation.
__device__ __forceinline__ bool claim(u32* words, u32 v) {
  u32* at = words + (v >> 5);
  const u32 bit = 1u << (v & 31);
  if (*(volatile u32*)at & bit) return false;
  return (atomicOr(at, bit) & bit) == 0;
}

__device__ __forceinline__ bool has(const u32* words, u32 v) { return words[v >> 5] >> (v & 31) & 1; }

// store4 stores those of four values whose bits are set; at is 16 bytes aligned.
__device__ __forceinline__ void store4(u32* at, const uint4& x, u32 which) {
  if (which == 15) {
    *(uint4*)at = x;
    return;
  }
  if (which & 1) at[0] = x.x;
  if (which & 2) at[1] = x.y;
  if (which & 4) at[2] = x.z;
  if (which & 8) at[3] = x.w;
}

}  // namespace foray

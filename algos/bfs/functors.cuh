// This file holds what happens at an edge of a search as one kernel: the functor of
// its pushes.
#pragma once

#include "frontier/bitmap.cuh"
#include "operators/advance/push.cuh"

namespace foray {

// Light is the functor of a light push.
struct Light {
  u32* seen;
  u32* written;
  i32* depths;   // or null
  u8* codes;     // or null
  u32* parents;  // or null
  i32 level;

  struct Shared {};
  __device__ __forceinline__ bool fresh(u32 t) const { return !has(seen, t); }
  __device__ __forceinline__ bool visit(Shared&, bool active, u32 source, u32 t, u64) const {
    const u32 bit = 1u << (t & 31);
    if (!active || atomicOr(seen + (t >> 5), bit) & bit) return false;
    atomicOr(written + (t >> 5), bit);
    if (codes) {
      codes[t] = u8(level);
    } else if (depths) {
      depths[t] = level;
    }
    if (parents) parents[t] = source;
    return true;
  }
};

}  // namespace foray

// This file holds keys: what an entry of a row is while rows are made. A key of 32 bits is a target. One of
// 64 bits has the weight or the id of the edge below it. Rows in the order of keys are by target, and the
// entries of one target are by weight, or by edge id.
#pragma once

#include "frontier/bitmap.cuh"

namespace foray {

// weight_key is a number that sorts unsigned as the bits of a float do, weight_of its inverse.
__device__ __forceinline__ u32 weight_key(u32 bits) { return bits & 0x80000000u ? ~bits : bits | 0x80000000u; }
__device__ __forceinline__ u32 weight_of(u32 key) { return key & 0x80000000u ? key & 0x7fffffffu : ~key; }

// key_of makes a key. low is the weight's key or the edge id, which a key of 32 bits leaves out.
template <class K>
__device__ __forceinline__ K key_of(u32 target, u32 low) {
  if constexpr (sizeof(K) > 4) {
    return K(target) << 32 | low;
  } else {
    return target;
  }
}

__device__ __forceinline__ u32 target_of(u32 key) { return key; }
__device__ __forceinline__ u32 target_of(u64 key) { return u32(key >> 32); }

}  // namespace foray

// This file holds keys: what an entry of a row is while rows are made, a target, and the weight below it
// where the graph has weights. Rows in the order of keys are by target, and of one target by weight.
#pragma once

#include "frontier/bitmap.cuh"

namespace foray {

// weight_key is a number that sorts unsigned as the bits of a float do, weight_of its inverse.
__device__ __forceinline__ u32 weight_key(u32 bits) { return bits & 0x80000000u ? ~bits : bits | 0x80000000u; }
__device__ __forceinline__ u32 weight_of(u32 key) { return key & 0x80000000u ? key & 0x7fffffffu : ~key; }

// key_of makes a key, whose weight's key one of 32 bits leaves out.
template <class K>
__device__ __forceinline__ K key_of(u32 target, u32 weight) {
  if constexpr (sizeof(K) > 4) {
    return K(target) << 32 | weight;
  } else {
    return target;
  }
}

__device__ __forceinline__ u32 target_of(u32 key) { return key; }
__device__ __forceinline__ u32 target_of(u64 key) { return u32(key >> 32); }

}  // namespace foray

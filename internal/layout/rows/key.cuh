// This file holds keys: what an entry of a row is while rows are made. A key of 32 bits is a target. One of
// 64 bits has the weight or the id of the edge below it, one of 128 bits the weight, or 0, and an id of 64
// bits. Rows in the order of keys are by target, the entries of one target by weight, and those of one
// weight by edge id.
#pragma once

#include "frontier/bitmap.cuh"

namespace foray {

using u128 = unsigned __int128;

// weight_key is a number that sorts unsigned as the bits of a float do, weight_of its inverse.
__device__ __forceinline__ u32 weight_key(u32 bits) { return bits & 0x80000000u ? ~bits : bits | 0x80000000u; }
__device__ __forceinline__ u32 weight_of(u32 key) { return key & 0x80000000u ? key & 0x7fffffffu : ~key; }

// key_of makes a key from a target and the bits below the target in another key.
template <class K>
__device__ __forceinline__ K key_of(u32 target, K rest) {
  if constexpr (sizeof(K) > 4) {
    return K(target) << (8 * sizeof(K) - 32) | (rest & ~K(0) >> 32);
  } else {
    return target;
  }
}

template <class K>
__device__ __forceinline__ u32 target_of(K key) {
  return u32(key >> (8 * sizeof(K) - 32));
}

// bits_of returns those of a key from one on, up to the end of its half if it has 128.
template <class K>
__device__ __forceinline__ u32 bits_of(K key, u32 bit) {
  if constexpr (sizeof(K) > 8) {
    return u32((bit < 64 ? u64(key) : u64(key >> 64)) >> (bit & 63));
  } else {
    return u32(key >> bit);
  }
}

// order puts two keys in order, up or down. Longer keys are compared once: there is no instruction for the
// lesser of them.
template <class K>
__device__ __forceinline__ void order(K& x, K& y, bool up) {
  const K p = x, q = y;
  if constexpr (sizeof(K) > 4) {
    const bool swap = (q < p) == up;
    x = swap ? q : p;
    y = swap ? p : q;
  } else {
    const K lo = min(p, q), hi = max(p, q);
    x = up ? lo : hi;
    y = up ? hi : lo;
  }
}

// first_of returns which of two keys comes first, or, unless up, last.
template <class K>
__device__ __forceinline__ K first_of(K x, K y, bool up) {
  if constexpr (sizeof(K) > 4) {
    return (y < x) == up ? y : x;
  } else {
    return up ? min(x, y) : max(x, y);
  }
}

// across returns the key of the lane whose number differs by step.
template <class K>
__device__ __forceinline__ K across(K x, u32 step) {
  if constexpr (sizeof(K) > 8) {
    return K(__shfl_xor_sync(kAll, u64(x >> 64), step)) << 64 | __shfl_xor_sync(kAll, u64(x), step);
  } else {
    return __shfl_xor_sync(kAll, x, step);
  }
}

}  // namespace foray

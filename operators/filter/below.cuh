// This file holds the predicate that compares a key with a limit.
#pragma once

#include "frontier/queue.cuh"

namespace foray {

// Below keeps the vertices whose key is less than the limit. The type of keys
// is a number, the same for all threads: what costs is the load.
struct Below {
  const void* keys;  // of every vertex
  u64 limit;         // its bits
  u32 kind;
  u32 pad;

  __device__ __forceinline__ bool keep(u32 v) const {
    switch (kind) {  // predicate.go has the same numbers
      case 0: return ((const i32*)keys)[v] < i32(u32(limit));
      case 1: return ((const u32*)keys)[v] < u32(limit);
      case 2: return ((const long long*)keys)[v] < (long long)limit;
      case 3: return ((const u64*)keys)[v] < limit;
      case 4: return ((const float*)keys)[v] < __uint_as_float(u32(limit));
      default: return ((const double*)keys)[v] < __longlong_as_double((long long)limit);
    }
  }
};

}  // namespace foray

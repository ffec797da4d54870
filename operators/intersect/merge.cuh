// This file holds the intersection by merging two rows, by one thread.
#pragma once

#include "operators/intersect/choose.cuh"

namespace foray {

// merge_rows calls found for each entry that both have, once, and returns how
// many there are.
template <class Offset, class Found>
__device__ __forceinline__ u32 merge_rows(const u32* targets, Span<Offset> a, Span<Offset> b, Found&& found) {
  u32 n = 0, last = kNoVertex;
  while (a.begin < a.end && b.begin < b.end) {
    const u32 x = targets[a.begin], y = targets[b.begin];
    if (x == y && x != last) {
      found(x);
      n++;
      last = x;
    }
    a.begin += x <= y;
    b.begin += y <= x;
  }
  return n;
}

}  // namespace foray

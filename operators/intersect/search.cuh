// This file holds the intersection by searching: the lanes of a warp look up an
// entry each of the shorter row in the longer one.
#pragma once

#include "operators/intersect/choose.cuh"

namespace foray {

// search_rows calls found for each entry that both have, once, and returns how
// many there are. All lanes of a warp call it together, with the same rows; each
// is told its own share.
template <class Offset, class Found>
__device__ __forceinline__ u32 search_rows(const u32* targets, Span<Offset> a, Span<Offset> b, Found&& found) {
  if (a.size() > b.size()) {
    const Span<Offset> t = a;
    a = b;
    b = t;
  }
  u32 n = 0;
  for (Offset i = a.begin + lane(); i < a.end; i += 32) {
    const u32 x = targets[i];
    if (i > a.begin && targets[i - 1] == x) continue;
    const Offset at = lower_bound(targets, b, x);
    if (at < b.end && targets[at] == x) {
      found(x);
      n++;
    }
  }
  return n;
}

}  // namespace foray

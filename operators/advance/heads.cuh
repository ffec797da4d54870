// This file holds the rows of a graph by vertex, for searches that wait for one
// load at a time.
#pragma once

#include "operators/advance/gather.cuh"

namespace foray {

// Head is the row of a vertex of up to four neighbors, the missing ones being
// kNoVertex; of a longer one w is kElsewhere, z the length, x and y where it is.
constexpr u32 kElsewhere = 0xfffffffe;

template <class Offset>
__device__ __forceinline__ void fill_heads(const Csr<Offset>& g, uint4* heads) {
  for (u64 v = u64(blockIdx.x) * kBlock + threadIdx.x; v < g.n; v += u64(gridDim.x) * kBlock) {
    const Offset b = g.offsets[v], e = g.offsets[v + 1];
    uint4 h = make_uint4(u32(b), u32(u64(b) >> 32), u32(e - b), kElsewhere);
    if (e - b <= 4) {
      h.x = b < e ? g.targets[b] : kNoVertex;
      h.y = b + 1 < e ? g.targets[b + 1] : kNoVertex;
      h.z = b + 2 < e ? g.targets[b + 2] : kNoVertex;
      h.w = b + 3 < e ? g.targets[b + 3] : kNoVertex;
    }
    heads[v] = h;
  }
}

}  // namespace foray

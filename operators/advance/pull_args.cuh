// This file holds what a pull takes, and what it counts.
#pragma once

#include "operators/advance/gather.cuh"

namespace foray {

template <class Offset>
struct PullArgs {
  Csr<Offset> in;         // rows of in-neighbours
  const Offset* degrees;  // offsets of the out-edges, for the count of edges; may be null
  const u32* frontier;    // bitmap: where a parent may be
  const u32* seen;        // bitmap: vertices that are no candidates
  const u32* none;        // bitmap: vertices without in-neighbours; bits past n are set
  const u32* first;       // best in-neighbour of each vertex that has one
  u32* out;               // bitmap: vertices that found a parent
  u32 words;
  u32 shift;
  u32 ones;        // vertices from here on have one in-neighbour at most
  u32 cumulative;  // not 0: out holds what was seen as well
};

// PullTally counts what the host wants to know: edges looked at, vertices found
// and the edges out of them.
template <class Offset>
struct PullTally {
  u64 tail = 0, visited = 0;
  __device__ __forceinline__ void probed(u32 n) { visited += n; }
  // hits: the vertices from v on whose bits are set.
  __device__ __forceinline__ void hits(const PullArgs<Offset>& a, u32 v, u32 which) {
    tail += u64(__popc(which)) << a.shift;
    if (!a.degrees) return;
    for (; which; which >>= 1, v++) {
      if (which & 1) tail += u64(a.degrees[v + 1] - a.degrees[v]);
    }
  }
};

// NoTally counts nothing.
template <class Offset>
struct NoTally {
  __device__ __forceinline__ void probed(u32) {}
  __device__ __forceinline__ void hits(const PullArgs<Offset>&, u32, u32) {}
};

}  // namespace foray

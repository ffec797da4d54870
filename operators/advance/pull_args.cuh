// This file holds what a pull takes, what it counts, and how it tells its sink.
#pragma once

#include <type_traits>
#include <utility>

#include "operators/advance/gather.cuh"

namespace foray {

template <class Offset>
struct PullArgs {
  Csr<Offset> in;         // rows of in-neighbors
  const Offset* degrees;  // offsets of the out-edges, for the count of edges; may be null
  const u32* frontier;    // bitmap: where a parent may be
  const u32* seen;        // bitmap: vertices that are no candidates
  const u32* none;        // bitmap: vertices without in-neighbors; bits past n are set
  const u32* first;       // best in-neighbor of each vertex that has one
  u32* out;               // bitmap: vertices that found a parent
  u32 words;
  u32 shift;
  u32 ones;        // vertices from here on have one in-neighbor at most
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

// AsksEdge is whether a sink's found takes the edge as its third argument.
template <class S, class = void>
struct AsksEdge : std::false_type {};
template <class S>
struct AsksEdge<S, std::void_t<decltype(std::declval<S&>().found(u32(0), u32(0), u64(0)))>> : std::true_type {};

// Rejects is whether a sink's found, of three arguments, returns bool: false rejects the
// edge, and the search continues along the row.
template <class S, class = void>
struct Rejects : std::false_type {};
template <class S>
struct Rejects<S, std::enable_if_t<std::is_same<decltype(std::declval<S&>().found(u32(0), u32(0), u64(0))), bool>::value>> : std::true_type {};

// best_edge is the edge from the best in-neighbor of v, which is the first of its row.
template <class S, class Offset>
__device__ __forceinline__ u64 best_edge(const PullArgs<Offset>& a, u32 v) {
  if constexpr (AsksEdge<S>::value) return a.in.offsets[v];
  return 0;
}

// tell tells a sink of a vertex that was found by an edge of the in-rows.
template <class S>
__device__ __forceinline__ void tell(S& sink, u32 v, u32 parent, u64 edge) {
  if constexpr (AsksEdge<S>::value) {
    sink.found(v, parent, edge);
  } else {
    sink.found(v, parent);
  }
}

// found_some tells a sink of up to four vertices: in one call, where it has found4 (its last
// argument is 0, so that the first of the two is preferred).
template <class S>
__device__ __forceinline__ auto found_some(S& sink, u32 v, const uint4& parents, u32 hits, u32 candidates, int)
    -> decltype(sink.found4(v, parents, hits, candidates)) {
  sink.found4(v, parents, hits, candidates);
}
template <class S>
__device__ __forceinline__ void found_some(S& sink, u32 v, const uint4& parents, u32 hits, u32, long) {
  const u32 p[4] = {parents.x, parents.y, parents.z, parents.w};
#pragma unroll
  for (u32 j = 0; j < 4; j++) {
    if (hits >> j & 1) sink.found(v + j, p[j]);
  }
}

// accepted_some returns which of up to four vertices a sink that may reject edges accepts.
template <class Offset, class S>
__device__ __forceinline__ u32 accepted_some(const PullArgs<Offset>& a, S& sink, u32 v, const uint4& parents, u32 hits) {
  const u32 p[4] = {parents.x, parents.y, parents.z, parents.w};
#pragma unroll
  for (u32 j = 0; j < 4; j++) {
    if ((hits >> j & 1) && !sink.found(v + j, p[j], best_edge<S>(a, v + j))) hits &= ~(1u << j);
  }
  return hits;
}

// tell_some tells a sink of up to four vertices that were found by their best neighbors.
template <class Offset, class S>
__device__ __forceinline__ void tell_some(const PullArgs<Offset>& a, S& sink, u32 v, const uint4& parents, u32 hits, u32 candidates) {
  if constexpr (AsksEdge<S>::value) {
    const u32 p[4] = {parents.x, parents.y, parents.z, parents.w};
#pragma unroll
    for (u32 j = 0; j < 4; j++) {
      if (hits >> j & 1) sink.found(v + j, p[j], best_edge<S>(a, v + j));
    }
  } else {
    found_some(sink, v, parents, hits, candidates, 0);
  }
}

}  // namespace foray

// This file holds a graph and its rows, as kernels have them.
#pragma once

#include "frontier/queue.cuh"

namespace foray {

// Csr is a graph in device memory.
template <class Offset>
struct Csr {
  const Offset* offsets;  // n + 1
  const u32* targets;
  u32 n;
  u32 pad;
};

// Row is a part of the edges of one vertex.
template <class Offset>
struct Row {
  Offset begin, end;
  u64 slot;  // where the first edge's output goes, for callers that use it
  u32 source;

  __device__ __forceinline__ Offset size() const { return end - begin; }
};

template <class Offset>
__device__ __forceinline__ Row<Offset> row_of(const Csr<Offset>& g, bool have, u32 v) {
  Row<Offset> r{0, 0, 0, v};
  if (have) {
    r.begin = g.offsets[v];
    r.end = g.offsets[v + 1];
  }
  return r;
}

template <class Offset>
__device__ __forceinline__ Row<Offset> from_lane(const Row<Offset>& r, u32 src) {
  Row<Offset> o;
  o.begin = __shfl_sync(kAll, r.begin, src);
  o.end = __shfl_sync(kAll, r.end, src);
  o.slot = __shfl_sync(kAll, r.slot, src);
  o.source = __shfl_sync(kAll, r.source, src);
  return o;
}

// PushShared is what a push needs of shared memory (push.cuh).
template <class Offset, class F>
struct PushShared;

}  // namespace foray

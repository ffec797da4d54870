// This file holds the functors that every device has, as a GPU runs them: the
// counterpart of functors.go.
#pragma once

#include "operators/filter/cull.cuh"

namespace foray {

// All lets every target through.
struct All {
  struct Shared {};
  u64 pad;
  __device__ void begin(Shared&) const {}
  __device__ void end(Shared&, Slot*) const {}
  __device__ __forceinline__ bool fresh(u32) const { return true; }
  __device__ __forceinline__ bool visit(Shared&, bool active, u32, u32, u64) const { return active; }
};

// Claim lets the targets through whose bit it sets first.
struct Claim {
  struct Shared {};
  u32* seen;
  __device__ void begin(Shared&) const {}
  __device__ void end(Shared&, Slot*) const {}
  __device__ __forceinline__ bool fresh(u32 t) const { return !has(seen, t); }
  __device__ __forceinline__ bool visit(Shared&, bool active, u32, u32 t, u64) const {
    return active && claim(seen, t);
  }
};

// Parents notes the parent of every candidate found.
struct Parents {
  u32* parents;  // or null
  __device__ __forceinline__ void found(u32 v, u32 parent) const {
    if (parents) parents[v] = parent;
  }
  __device__ __forceinline__ void found4(u32 v, const uint4& from, u32 hits, u32) const {
    if (parents) store4(parents + v, from, hits);
  }
};

// InEdges notes the in-edge by which every candidate was found.
struct InEdges {
  u64* edges;  // or null
  __device__ __forceinline__ void found(u32 v, u32, u64 edge) const {
    if (edges) edges[v] = edge;
  }
};

}  // namespace foray

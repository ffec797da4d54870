// This file holds pushes that look at all vertices, or all edges, of the graph.
#pragma once

#include "operators/advance/push.cuh"

namespace foray {

// push_levels expands the vertices whose level is given, found by reading the
// array in order; with ByThread that is the quadratic push with a thread per
// vertex of the graph.
template <class By, class Offset, class F>
__device__ void push_levels(const Csr<Offset>& g, const i32* levels, i32 level, F& f, Emitter<Offset>& out, PushShared<Offset, F>& sh) {
  Visit<Offset, F> body{g, f, sh.functor, out};
  for (u64 base = u64(blockIdx.x) * kBlock; base < g.n; base += u64(gridDim.x) * kBlock) {
    const u64 v = base + threadIdx.x;
    const bool have = v < g.n && ((volatile const i32*)levels)[v] == level;
    if (!__syncthreads_or(have)) continue;
    By::template tile<Offset, F>(row_of(g, have, u32(v)), sh, body, out);
    out.relieve();
  }
}

// push_edges looks at every edge of the graph, a thread each: sources[e] is
// the vertex that edge e leaves (coordinate format).
template <class Offset, class F>
__device__ void push_edges(const Csr<Offset>& g, const u32* sources, const i32* levels, i32 level, F& f, Emitter<Offset>& out, PushShared<Offset, F>& sh) {
  Visit<Offset, F> body{g, f, sh.functor, out};
  const u64 m = g.offsets[g.n];
  for (u64 base = u64(blockIdx.x) * kBlock; base < m; base += u64(gridDim.x) * kBlock) {
    const u64 e = base + threadIdx.x;
    const u32 s = e < m ? sources[e] : 0;
    body(e < m && ((volatile const i32*)levels)[s] == level, s, Offset(e), 0);
    out.relieve();
  }
}

}  // namespace foray

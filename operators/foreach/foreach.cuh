// This file holds what happens at each vertex of a frontier, or of all, on a GPU.
#pragma once

#include "operators/functor.cuh"

namespace foray {

// each calls the functor at every vertex of the frontier, as the whole grid, and leaves
// what it returns, reduced, in the scalar. From the last block on, where last is set: what else goes
// on with a small frontier is then up to other blocks.
template <class Offset, class F>
__device__ __forceinline__ void each(const In<Offset>& in, const F& f, u32 level, const Scalar& into, u64* totals, bool last = false) {
  using V = typename F::Value;
  V sum = Fold<V, F::kReduce>::identity();
  for (u64 i = u64(last ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * kBlock + threadIdx.x; i < in.count; i += u64(gridDim.x) * kBlock) {
    sum = Fold<V, F::kReduce>::join(sum, f.vertex(in.item(u32(i)), level));
  }
  reduce_into<V, F::kReduce>(sum, into, totals);
}

// kKeepTiles is how many vertices a thread looks at before its block checks whether the stage must be flushed:
// warps don't wait for one another at each vertex. A stage that is half full has room for the finds of four vertices.
constexpr u32 kKeepTiles = 4;

// keep_some emits the vertices of the frontier for which the functor returns another value
// than 0.
template <class Offset, class F>
__device__ __forceinline__ void keep_some(const In<Offset>& in, const F& f, u32 level, Emitter<Offset>& out) {
  u32 tile = 0;
  for (u64 base = u64(blockIdx.x) * kBlock; base < in.count; base += u64(gridDim.x) * kBlock) {
    const u64 i = base + threadIdx.x;
    const bool have = i < in.count;
    const u32 v = have ? in.item(u32(i)) : 0;
    out.put(have && f.vertex(v, level) != 0, v);
    if (++tile % kKeepTiles == 0) out.relieve();
  }
}

}  // namespace foray

// This file holds the strategy that gathers by scan, warp and block together, by the length of
// a row (Merrill, Garland, Grimshaw, PPoPP 2012, 4.1).
#pragma once

#include "operators/advance/scan.cuh"
#include "operators/advance/warp.cuh"

namespace foray {

// gather_wide: the block walks the rows of its threads that are at least so
// long, one after the other; those rows are empty afterwards. between is
// called by the whole block now and then.
template <class Offset, class Body, class Between>
__device__ __forceinline__ void gather_wide(Row<Offset>& r, Offset least, GatherShared<Offset>& sh, Body&& body, Between&& between) {
  while (__syncthreads_or(r.size() >= least)) {
    if (r.size() >= least) atomicExch(&sh.winner, threadIdx.x);  // one of them stays
    __syncthreads();
    if (sh.winner == threadIdx.x) {
      sh.wide = r;
      r.begin = r.end;
    }
    __syncthreads();
    const Row<Offset> w = sh.wide;
    u32 rounds = 0;
    for (Offset base = 0; base < w.size(); base += kBlock) {
      Offset k = base + threadIdx.x;
      body(k < w.size(), w.source, w.begin + k, w.slot + k);
      if (++rounds % 4 == 0) between();
    }
  }
}

// gather_middle: each warp walks the rows of its lanes that are at least so
// long; those are empty afterwards.
template <class Offset, class Body>
__device__ __forceinline__ void gather_middle(Row<Offset>& r, Offset least, Body&& body) {
  u32 todo = __ballot_sync(kAll, r.size() >= least);
  while (todo) {
    u32 src = __ffs(todo) - 1;
    todo &= todo - 1;
    walk_warp(from_lane(r, src), body);
    if (lane() == src) r.begin = r.end;
  }
}

// gather_twc: rows of at least a block's threads by the block, of at least a
// warp's lanes by warps, the rest by scan.
template <class Offset, class Body, class Between>
__device__ __forceinline__ void gather_twc(Row<Offset> r, GatherShared<Offset>& sh, Body&& body, Between&& between) {
  gather_wide(r, Offset(kBlock), sh, body, between);
  gather_middle(r, Offset(32), body);
  between();
  gather_short(r, sh, body, between);
}

struct ByTwc {
  template <class Offset, class F, class Body>
  static __device__ void tile(const Row<Offset>& r, PushShared<Offset, F>& sh, Body& body, Emitter<Offset>& out) {
    gather_twc(r, sh.gather, body, [&] { out.relieve(); });
  }
};

}  // namespace foray

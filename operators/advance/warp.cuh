// This file holds the strategy by which a warp walks each row.
#pragma once

#include "operators/advance/row.cuh"

namespace foray {

// walk_warp: a warp walks one row, the same for all lanes.
template <class Offset, class Body>
__device__ __forceinline__ void walk_warp(const Row<Offset>& r, Body&& body) {
  for (Offset base = 0; base < r.size(); base += 32) {
    Offset k = base + lane();
    body(k < r.size(), r.source, r.begin + k, r.slot + k);
  }
}

// gather_warp: a warp walks the rows of its lanes one after the other.
template <class Offset, class Body>
__device__ __forceinline__ void gather_warp(const Row<Offset>& r, Body&& body) {
  u32 todo = __ballot_sync(kAll, r.size() > 0);
  while (todo) {
    u32 src = __ffs(todo) - 1;
    todo &= todo - 1;
    walk_warp(from_lane(r, src), body);
  }
}

struct ByWarp {
  template <class Offset, class F, class Body>
  static __device__ void tile(const Row<Offset>& r, PushShared<Offset, F>&, Body& body, Emitter<Offset>& out) {
    gather_warp(r, body);
  }
};

}  // namespace foray

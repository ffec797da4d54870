// This file holds the strategy by which a thread walks each row.
#pragma once

#include "operators/advance/row.cuh"

namespace foray {

// gather_thread: every thread walks its own row.
template <class Offset, class Body>
__device__ __forceinline__ void gather_thread(const Row<Offset>& r, Body&& body) {
  Offset k = 0;
  while (__any_sync(kAll, k < r.size())) {
    body(k < r.size(), r.source, r.begin + k, r.slot + k);
    k++;
  }
}

struct ByThread {
  template <class Offset, class F, class Body>
  static __device__ void tile(const Row<Offset>& r, PushShared<Offset, F>&, Body& body, Emitter<Offset>& out) {
    gather_thread(r, body);
  }
};

}  // namespace foray

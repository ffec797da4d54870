// This file holds Push over short rows, within a kernel that stays: a few lanes take a row.
#pragma once

#include "operators/advance/push.cuh"

namespace foray {

// push_flat expands a frontier of short rows: a few lanes take a row, an edge each. Nothing is
// searched for, so that a small frontier waits for as few loads as can be.
constexpr u32 kFlatLanes = 4;
template <class Offset, class F>
__device__ __forceinline__ void push_flat(const Csr<Offset>& g, const In<Offset>& in, F& f, Emitter<Offset>& out, typename F::Shared& shared) {
  const u64 step = u64(gridDim.x) * kBlock / kFlatLanes;
  for (u64 base = 0; base < in.count; base += step) {
    const u64 i = base + (u64(blockIdx.x) * kBlock + threadIdx.x) / kFlatLanes;
    const bool have = i < in.count;
    const u32 v = have ? in.item(u32(i)) : 0;
    const Row<Offset> r = row_of(g, have, v);
    for (Offset k = threadIdx.x % kFlatLanes; __any_sync(kAll, k < r.size()); k += kFlatLanes) {
      const bool active = k < r.size();
      const u32 t = active ? g.targets[r.begin + k] : 0;
      const bool keep = f.visit(shared, active, v, t, r.begin + k);
      if (!kSilent<F>) out.put(keep, t);
    }
    if (!kSilent<F> && base + step < in.count) out.relieve();
  }
}

}  // namespace foray

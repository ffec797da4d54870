// This file holds the reduction over in-edges by rising weight, which is done with a row where no
// lower value can come (reduce.InWithin).
#pragma once

#include "operators/reduce/reduce.cuh"

namespace foray {

// Tuning: how many lanes share a row.
constexpr u32 kLightestLanes = 8;

// reduce_within reduces rows that ascend by weight by the minimum, values as floats: up to the
// first edge of weight w where w + least isn't less than the least value so far, or than the
// vertex's key.
template <class Offset, class F>
__device__ __forceinline__ typename F::Value reduce_within(const In<Offset>& in, const Rows<Offset>& rows, const F& f, u32 level,
                                                           const float* weights, const float* keys, float least) {
  using T = typename F::Total;
  using V = typename F::Value;
  static_assert(sizeof(T) == 4, "values are floats");
  V sum = Fold<V, F::kReduce>::identity();
  constexpr u32 kGroups = 32 / kLightestLanes, kSeveral = 2;
  const u32 group = lane() / kLightestLanes, at = lane() % kLightestLanes, mine = ((1u << kLightestLanes) - 1) << (group * kLightestLanes);
  const u32 warps = gridDim.x * kWarps;
  u32 per = (in.count + warps - 1) / warps;
  per = per >= 32 ? 32 : (per + kGroups - 1) / kGroups * kGroups;
  for (u64 base = u64(warp() * gridDim.x + blockIdx.x) * per; base < in.count; base += u64(warps) * per) {
    const bool have = lane() < per && base + lane() < in.count;
    const u32 own = have ? in.item(u32(base + lane())) : 0;
    Offset begin = 0, end = 0;
    float key = 0;
    if (have) {
      begin = rows.g.offsets[own];
      end = rows.g.offsets[own + 1];
      key = *(const volatile float*)&keys[own];
    }
#pragma unroll 1
    for (u32 i = 0; i < per; i += kGroups * kSeveral) {
      u32 v[kSeveral], t[kSeveral];
      Offset b[kSeveral], e[kSeveral];
      float best[kSeveral], weight[kSeveral];
      T total[kSeveral];
      bool looked[kSeveral], more[kSeveral];
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        const u32 src = i + j * kGroups + group;
        v[j] = __shfl_sync(kAll, own, src & 31);
        b[j] = __shfl_sync(kAll, begin, src & 31) + at;
        e[j] = __shfl_sync(kAll, end, src & 31);
        best[j] = __shfl_sync(kAll, key, src & 31);
        if (src >= per) e[j] = 0;
        const bool on = b[j] < e[j];
        weight[j] = on ? weights[b[j]] : 0.0f;
        t[j] = on ? rows.g.targets[b[j]] : 0;
        total[j] = Fold<T, F::kGather>::identity();
        looked[j] = false, more[j] = true;
      }
      // The rows of all groups go on side by side, so that their loads are under way together.
      while (true) {
        bool yes[kSeveral];
        u32 some[kSeveral], any = 0;
        T part[kSeveral];
#pragma unroll
        for (u32 j = 0; j < kSeveral; j++) {
          yes[j] = more[j] && b[j] < e[j] && weight[j] + least < best[j];
          some[j] = __ballot_sync(kAll, yes[j]);
          any |= some[j];
        }
        if (!any) break;
#pragma unroll
        for (u32 j = 0; j < kSeveral; j++) {
          part[j] = Fold<T, F::kGather>::identity();
          if (yes[j]) part[j] = f.gather(rows.edge(v[j], t[j], b[j], level));
        }
#pragma unroll
        for (u32 j = 0; j < kSeveral; j++) {
          looked[j] = looked[j] || (some[j] & mine);
          more[j] = more[j] && (some[j] & mine) == mine;
          b[j] += kLightestLanes;
          if (more[j] && b[j] < e[j]) {
            weight[j] = weights[b[j]];
            t[j] = rows.g.targets[b[j]];
          }
        }
#pragma unroll
        for (u32 j = 0; j < kSeveral; j++) {
          if (!some[j]) continue;
          total[j] = Fold<T, F::kGather>::join(total[j], part[j]);
#pragma unroll
          for (u32 d = kLightestLanes / 2; d > 0; d /= 2) total[j] = Fold<T, F::kGather>::join(total[j], __shfl_xor_sync(kAll, total[j], d));
          const float now = __uint_as_float(u32(total[j]));
          if (now < best[j]) best[j] = now;
        }
      }
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        if (looked[j] && at == 0) sum = Fold<V, F::kReduce>::join(sum, f.apply(v[j], total[j], level));
      }
    }
  }
  return sum;
}

}  // namespace foray

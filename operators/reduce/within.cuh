// This file holds the reduction over in-edges by rising weight, which is done with a row where no
// lower value can come (reduce.InByWeight).
#pragma once

#include "operators/reduce/reduce.cuh"

namespace foray {

// Tuning: how many edges of a row its own lane looks at, all of them under way together, how many lanes share
// the rest of a row, and how many such rows each of these groups has under way.
constexpr u32 kLightestFirst = 4;
constexpr u32 kLightestLanes = 8;
constexpr u32 kLightestSeveral = 2;
constexpr u32 kLightestShort = 8;  // edges of a row that a lane begins with alone

// nth returns the position of set bit n of a mask, 32 if it has fewer.
__device__ __forceinline__ u32 nth(u32 mask, u32 n) {
  for (; n > 0; n--) mask &= mask - 1;
  return mask ? __ffs(mask) - 1 : 32;
}

// Lightest is a reduction of rows that ascend by weight by the minimum, values as floats: up to the first
// edge of weight w where w + least isn't less than the least value so far, or than the vertex's key. A few
// edges more may be looked at.
template <class Offset, class F>
struct Lightest {
  using T = typename F::Total;
  using V = typename F::Value;
  using Join = Fold<T, F::kGather>;
  static_assert(sizeof(T) == 4, "values are floats");
  const Rows<Offset>& rows;
  const F& f;
  u32 level;
  const float* weights;
  float least;

  // Row is a lane's own.
  struct Row {
    Offset begin, end;
    float best;  // what an edge has to be below
    T total;
    u32 v;
    bool looked, more;  // more: the rest may matter
  };

  __device__ __forceinline__ void join(Row& r, T x) const {
    r.total = Join::join(r.total, x);
    const float now = __uint_as_float(u32(r.total));
    if (now < r.best) r.best = now;
  }

  // first looks at the first edges of a lane's row.
  __device__ __forceinline__ void first(Row& r) const {
    float weight[kLightestFirst];
    u32 t[kLightestFirst];
    bool yes[kLightestFirst];
    T x[kLightestFirst];
#pragma unroll
    for (u32 j = 0; j < kLightestFirst; j++) {
      yes[j] = r.begin + j < r.end;
      weight[j] = yes[j] ? weights[r.begin + j] : 0.0f;
      t[j] = yes[j] ? rows.g.targets[r.begin + j] : 0;
    }
#pragma unroll
    for (u32 j = 0; j < kLightestFirst; j++) {
      yes[j] = yes[j] && weight[j] + least < r.best;
      x[j] = Join::identity();
      if (yes[j]) x[j] = f.gather(rows.edge(r.v, t[j], r.begin + j, level));
    }
    r.looked = yes[0];
#pragma unroll
    for (u32 j = 0; j < kLightestFirst; j++) join(r, x[j]);
    r.begin += kLightestFirst;
    r.more = yes[kLightestFirst - 1] && r.begin < r.end && weight[kLightestFirst - 1] + least < r.best;
  }

  // others looks at the rest of the rows of all lanes, several at a time by groups of lanes.
  __device__ __forceinline__ void others(Row& r) const {
    constexpr u32 kGroups = 32 / kLightestLanes, kSeveral = kLightestSeveral;
    const u32 group = lane() / kLightestLanes, at = lane() % kLightestLanes, mine = ((1u << kLightestLanes) - 1) << (group * kLightestLanes);
    for (u32 todo = __ballot_sync(kAll, r.more); todo;) {
      u32 v[kSeveral], t[kSeveral];
      Offset b[kSeveral], e[kSeveral];
      float best[kSeveral], weight[kSeveral];
      T total[kSeveral];
      bool looked[kSeveral], more[kSeveral];
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        const u32 src = nth(todo, j * kGroups + group);
        v[j] = __shfl_sync(kAll, r.v, src & 31);
        b[j] = __shfl_sync(kAll, r.begin, src & 31) + at;
        e[j] = __shfl_sync(kAll, r.end, src & 31);
        best[j] = __shfl_sync(kAll, r.best, src & 31);
        total[j] = __shfl_sync(kAll, r.total, src & 31);
        if (src == 32) e[j] = 0;
        const bool on = b[j] < e[j];
        weight[j] = on ? weights[b[j]] : 0.0f;
        t[j] = on ? rows.g.targets[b[j]] : 0;
        looked[j] = false, more[j] = true;
      }
      // The rows of all groups continue together, so that their loads are under way at the same time.
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
          part[j] = Join::identity();
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
          total[j] = Join::join(total[j], part[j]);
#pragma unroll
          for (u32 d = kLightestLanes / 2; d > 0; d /= 2) total[j] = Join::join(total[j], __shfl_xor_sync(kAll, total[j], d));
          const float now = __uint_as_float(u32(total[j]));
          if (now < best[j]) best[j] = now;
        }
      }
      const u32 turn = __popc(todo & lanes_below());  // which of these rows is this lane's own, if it is one of them
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        const T is = __shfl_sync(kAll, total[j], turn % kGroups * kLightestLanes);
        const u32 who = __ballot_sync(kAll, looked[j]);
        if (!(todo >> lane() & 1) || turn / kGroups != j) continue;
        r.total = is;
        r.looked = r.looked || who >> (turn % kGroups * kLightestLanes) & 1;
      }
      for (u32 j = 0; j < kSeveral * kGroups; j++) todo &= todo - 1;
    }
  }
};

// reduce_within reduces the rows of a frontier, as the whole grid.
template <class Offset, class F>
__device__ __forceinline__ typename F::Value reduce_within(const In<Offset>& in, const Rows<Offset>& rows, const F& f, u32 level,
                                                           const float* weights, const float* keys, float least) {
  using V = typename F::Value;
  const Lightest<Offset, F> by{rows, f, level, weights, least};
  V sum = Fold<V, F::kReduce>::identity();
  const u32 warps = gridDim.x * kWarps;
  u32 per = (in.count + warps - 1) / warps;
  per = min(per, 32u);
  for (u64 base = u64(warp() * gridDim.x + blockIdx.x) * per; base < in.count; base += u64(warps) * per) {
    const bool have = lane() < per && base + lane() < in.count;
    typename Lightest<Offset, F>::Row r{0, 0, 0.0f, Fold<typename F::Total, F::kGather>::identity(), 0, false, false};
    if (have) {
      r.v = in.item(u32(base + lane()));
      r.begin = rows.g.offsets[r.v];
      r.end = rows.g.offsets[r.v + 1];
      r.best = *(const volatile float*)&keys[r.v];
      if (r.end - r.begin <= kLightestShort) {
        by.first(r);
      } else {
        r.more = true;
      }
    }
    by.others(r);
    if (r.looked) sum = Fold<V, F::kReduce>::join(sum, f.apply(r.v, r.total, level));
  }
  return sum;
}

}  // namespace foray

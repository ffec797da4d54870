// This file counts the triangles whose largest vertex has a short row: a warp has the row in
// shared memory.
#pragma once

#include "operators/intersect/long_rows.cuh"

namespace foray {

// kWarpFilter is the bits of a warp's filter.
constexpr u32 kWarpFilter = 2048;

// kLanes is how many lanes look through the row of a neighbor.
constexpr u32 kLanes = 8;

// ShortShared is what a warp has.
struct ShortShared {
  u32 row[kShortRow], count[kShortRow], filter[kWarpFilter / 32];
};

template <Mode M, class Offset>
struct ShortRow {
  const TriangleArgs<Offset>& a;
  ShortShared& sh;
  u32 n;      // entries
  u64 twins;  // those whose edge counts twice
  u32 found;  // the lane's share of the triangles
  u32 more;   // of those whose edge opposite to the row's vertex counts twice

  __device__ __forceinline__ void note(u32 i, u32 j) {
    found++;
    if (M == kTwice) {
      atomicAdd(&sh.count[i], 1 + (u32(twins >> j) & 1));
      atomicAdd(&sh.count[j], 1 + (u32(twins >> i) & 1));
    } else if (M == kAt) {
      atomicAdd(&sh.count[i], 1u);
      atomicAdd(&sh.count[j], 1u);
    }
  }

  // pairs looks up all pairs of the first entries in the matrix.
  __device__ __forceinline__ void pairs(u32 entries) {
    const u32 count = entries * (entries - 1) / 2;
    for (u32 p = lane(); p < count; p += 32) {
      // Pair p is (i, j) with i < j and p = j (j - 1) / 2 + i.
      u32 j = u32((1.0f + sqrtf(1.0f + 8.0f * float(p))) * 0.5f);
      if (j * (j - 1) / 2 > p) j--;
      if (j * (j + 1) / 2 <= p) j++;
      const u32 i = p - j * (j - 1) / 2, w = sh.row[i], word = bits_of(sh.row[j]) + (w >> 5);
      if (!(a.bits[word] >> (w & 31) & 1)) continue;
      note(i, j);
      if (M == kTwice) more += a.twins[word] >> (w & 31) & 1;
    }
  }

  // look looks up what is at place e of the row of entry j.
  __device__ __forceinline__ void look(u32 w, u32 j, Offset e) {
    if (!passes(sh.filter, kWarpFilter, w)) return;
    const u32 i = place(sh.row, n, w);
    if (i == n) return;
    note(i, j);
    if (M == kTwice) more += a.is_twice(e);
  }

  // stream looks up the rows of the entries from one on.
  __device__ __forceinline__ void stream(u32 from) {
    for (u32 i = lane(); i < n; i += 32) atomicOr(&sh.filter[(sh.row[i] & (kWarpFilter - 1)) >> 5], 1u << (sh.row[i] & 31));
    __syncwarp();
    for (u32 base = from; base < n; base += 32) {
      Bounds<Offset> b{0, 0};
      if (base + lane() < n) b = a.bounds[sh.row[base + lane()]];
      for (u32 s = 0; s < 32 && base + s < n; s += 32 / kLanes) {
        const u32 which = s + lane() / kLanes;
        Offset e = __shfl_sync(kAll, b.begin, which) + lane() % kLanes;
        const Offset end = __shfl_sync(kAll, b.end, which);
        while (__any_sync(kAll, e < end)) {
          const bool one = e < end, two = e + kLanes < end;
          const u32 x = one ? a.g.targets[e] : 0, y = two ? a.g.targets[e + kLanes] : 0;
          if (one) look(x, base + which, e);
          if (two) look(y, base + which, e + kLanes);
          e += 2 * kLanes;
        }
      }
    }
    __syncwarp();
    for (u32 i = lane(); i < n; i += 32) sh.filter[(sh.row[i] & (kWarpFilter - 1)) >> 5] = 0;
  }
};

// short_rows does groups of 32 vertices until there are no more.
template <Mode M, class Offset>
__device__ __forceinline__ void short_rows(const TriangleArgs<Offset>& a, ShortShared* all, u64* totals) {
  ShortShared& sh = all[warp()];
  u64 total = 0;
  for (u32 i = lane(); i < kWarpFilter / 32; i += 32) sh.filter[i] = 0;
  for (;;) {
    u64 group = 0;
    if (lane() == 0) group = atomicAdd(&a.post.slot->counts[kChunks], 1ull);
    const u64 first = __shfl_sync(kAll, group, 0) * 32;
    if (first >= a.g.n) break;
    Bounds<Offset> mine{0, 0};
    if (first + lane() < a.g.n) mine = a.bounds[first + lane()];
    const u64 size = mine.end - mine.begin;
    for (u32 todo = __ballot_sync(kAll, size > 1 && size < a.least); todo; todo &= todo - 1) {
      const u32 from = __ffs(todo) - 1;
      const Offset begin = __shfl_sync(kAll, mine.begin, from);
      ShortRow<M, Offset> r{a, sh, u32(__shfl_sync(kAll, mine.end, from) - begin), 0, 0, 0};
      u32 hubs = 0;
#pragma unroll
      for (u32 k = 0; k < kShortRow; k += 32) {
        const u32 i = k + lane(), w = i < r.n ? a.g.targets[begin + i] : kNoVertex;
        sh.row[i] = w;
        if (M != kInAll) sh.count[i] = 0;
        if (M == kTwice) r.twins |= u64(__ballot_sync(kAll, i < r.n && a.is_twice(begin + i))) << k;
        hubs += __popc(__ballot_sync(kAll, w < a.hubs));
      }
      __syncwarp();
      r.pairs(hubs);
      if (hubs < r.n) r.stream(max(hubs, 1u));
      total += r.found;
      __syncwarp();
      if (M != kInAll) {
        for (u32 i = lane(); i < r.n; i += 32) {
          if (sh.count[i]) a.add(sh.row[i], sh.count[i]);
        }
        const u32 own = warp_sum(r.found + r.more);
        if (lane() == 0 && own) a.add(u32(first) + from, own);
        __syncwarp();
      }
    }
  }
  add_up(total, totals, &a.post.slot->tail);
  report(a.post);
}

}  // namespace foray

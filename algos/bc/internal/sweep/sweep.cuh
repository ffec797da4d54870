// This file holds the ways from a source and back on graphs of short rows whose levels are known. Vertices get a place in
// their level; then every vertex lists the places of its neighbors in the levels above and below. With these lists one
// cluster of blocks goes through the levels, first down for the numbers of paths, then up for the dependencies: the values of
// a level are in its shared memory, so a level takes a barrier of the cluster and a load from another block's shared memory.
//
// Numbers of paths are count * 2^power, with count from 1 to below 2. Sums are in the order of rows, without fused
// operations, so the bits equal those that the functors in algos/bc compute.
#pragma once

#include <cooperative_groups.h>

#include "frontier/cluster.cuh"
#include "operators/advance/row.cuh"

namespace foray {

// Tuning: a level has at most so many vertices for each block of the cluster: two levels take 64 KiB.
constexpr u32 kSweepPlaces = 4 * kBlock;

constexpr u32 kNoPlace = 0xffffffffu;
constexpr u32 kBelow = 1u << 31;  // of a neighbor's place: it is one level farther from the source

// What sweep_scan leaves, in SweepArgs.results.
constexpr u32 kSweepLevels = 0;
constexpr u32 kSweepWidest = 1;

struct SweepArgs {
  const u32* mark;  // of every vertex: 0, or 2^31 and its level
  u32* place;       // of every vertex: in its level
  u32* start;       // of levels, in order; before the scan how many vertices they have, zero before
  uint4* near;      // quads for each vertex, by level: places of its neighbors in the levels beside, in the order of its row
  double* count;    // by level; after the way up the dependencies
  i32* power;       // by level
  double* score;    // of every vertex
  u32* results;
  u32 n, quads;
};

// SweepValue is what a vertex of a level has: the number of paths; or what a path to it brings to those before it, in units of
// its count.
struct SweepValue {
  double value;
  i32 power;
  i32 pad;
};

__device__ __forceinline__ u32 level_of(u32 mark) { return mark & ~(1u << 31); }

// sweep_place gives vertices a place in their level, in any order.
__device__ __forceinline__ void sweep_place(const SweepArgs& a) {
  for (u64 v = u64(blockIdx.x) * kBlock + threadIdx.x; v < a.n; v += u64(gridDim.x) * kBlock) {
    const u32 mark = a.mark[v];
    if (mark) a.place[v] = atomicAdd(&a.start[level_of(mark)], 1u);
  }
}

// sweep_scan finds where levels begin. It is for one block.
__device__ __forceinline__ void sweep_scan(const SweepArgs& a) {
  __shared__ u32 totals[kWarps];
  u32 before = 0, widest = 0, levels = 0;
  for (u32 base = 0; base <= a.n; base += kBlock) {
    const u32 i = base + threadIdx.x, x = i < a.n ? a.start[i] : 0;
    u32 total;
    __syncthreads();
    const u32 at = block_exclusive(x, totals, total);
    if (i <= a.n) a.start[i] = before + at;
    before += total;
    widest = max(widest, x);
    const u32 some = __syncthreads_count(x != 0);
    levels += some;
    if (some < kBlock) break;  // no level is empty before the last
  }
#pragma unroll
  for (u32 d = 16; d > 0; d /= 2) widest = max(widest, __shfl_xor_sync(kAll, widest, d));
  __syncthreads();
  if (lane() == 0) totals[warp()] = widest;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (u32 w = 1; w < kWarps; w++) widest = max(widest, totals[w]);
  a.results[kSweepLevels] = levels;
  a.results[kSweepWidest] = widest;
}

// sweep_near lists the places of vertices' neighbors, by level.
template <class Offset>
__device__ __forceinline__ void sweep_near(const SweepArgs& a, const Csr<Offset>& g) {
  for (u64 v = u64(blockIdx.x) * kBlock + threadIdx.x; v < a.n; v += u64(gridDim.x) * kBlock) {
    const u32 mark = a.mark[v];
    if (!mark) continue;
    const u32 i = a.start[level_of(mark)] + a.place[v];
    const Offset begin = g.offsets[v], end = g.offsets[v + 1];
    for (u32 k = 0; k < a.quads; k++) {
      u32 t[4], m[4], p[4];
#pragma unroll
      for (u32 j = 0; j < 4; j++) t[j] = begin + 4 * k + j < end ? g.targets[begin + 4 * k + j] : u32(v);
#pragma unroll
      for (u32 j = 0; j < 4; j++) m[j] = a.mark[t[j]], p[j] = a.place[t[j]];
#pragma unroll
      for (u32 j = 0; j < 4; j++) p[j] = m[j] + 1 == mark ? p[j] : m[j] == mark + 1 ? p[j] | kBelow : kNoPlace;
      a.near[u64(i) * a.quads + k] = uint4{p[0], p[1], p[2], p[3]};
    }
  }
}

// sweep_add adds dependencies to scores, but not at the source.
__device__ __forceinline__ void sweep_add(const SweepArgs& a) {
  for (u64 v = u64(blockIdx.x) * kBlock + threadIdx.x; v < a.n; v += u64(gridDim.x) * kBlock) {
    const u32 mark = a.mark[v];
    if (mark && level_of(mark)) a.score[v] = __dadd_rn(a.score[v], a.count[a.start[level_of(mark)] + a.place[v]]);
  }
}

// two_to returns 2^k of k <= 0; 0 where a double has no such number.
__device__ __forceinline__ double two_to(i32 k) { return k < -1022 ? 0 : __longlong_as_double((long long)(1023 + k) << 52); }

// Sweep is a block's view of the sweeps.
template <u32 kQuads>
struct Sweep {
  const SweepArgs& a;
  SweepValue* values;  // of the block's places, of two levels
  u32 rank, size;

  __device__ __forceinline__ SweepValue* here(u32 place, u32 level) const {
    return values + (level & 1) * kSweepPlaces + place % kBlock + place / kBlock / size * kBlock;
  }

  // at returns the value at a place of a level, which may be another block's.
  __device__ __forceinline__ SweepValue at(u32 place, u32 level) const {
#if __CUDA_ARCH__ >= 900
    return *cooperative_groups::this_cluster().map_shared_rank(here(place, level), place / kBlock % size);
#else
    return *here(place, level);
#endif
  }

  __device__ __forceinline__ void near(u32 i, u32 (&t)[4 * kQuads]) const {
#pragma unroll
    for (u32 k = 0; k < kQuads; k++) {
      const uint4 q = a.near[u64(i) * kQuads + k];
      t[4 * k] = q.x, t[4 * k + 1] = q.y, t[4 * k + 2] = q.z, t[4 * k + 3] = q.w;
    }
  }

  // paths counts the paths to a vertex.
  __device__ __forceinline__ SweepValue paths(const u32 (&t)[4 * kQuads], u32 level) const {
    if (level == 0) return SweepValue{1, 0, 0};
    SweepValue x[4 * kQuads];
#pragma unroll
    for (u32 j = 0; j < 4 * kQuads; j++) {
      if (!(t[j] & kBelow)) x[j] = at(t[j], level - 1);
    }
    double total = 0;
    i32 high = 0;
#pragma unroll
    for (u32 j = 0; j < 4 * kQuads; j++) {
      if (t[j] & kBelow) continue;
      const i32 unit = total == 0 ? x[j].power : max(high, x[j].power);
      total = total == 0 ? x[j].value : __dadd_rn(__dmul_rn(total, two_to(high - unit)), __dmul_rn(x[j].value, two_to(x[j].power - unit)));
      high = unit;
    }
    const i32 k = i32(u64(__double_as_longlong(total)) >> 52) - 1023;
    return SweepValue{__dmul_rn(total, two_to(-k)), high + k, 0};
  }

  // out goes down the levels.
  __device__ __forceinline__ void out(u32 levels) const {
    const u32 mine = rank * kBlock + threadIdx.x;
    u32 begin = 0, end = a.start[1], then = levels > 1 ? a.start[2] : end;
    u32 t[4 * kQuads], ahead[4 * kQuads];
    if (mine < end) near(mine, t);
    for (u32 level = 0; level < levels; level++) {
      const u32 after = level + 3 <= levels ? a.start[level + 3] : then;
      if (end + mine < then) near(end + mine, ahead);  // of the next level, on its way meanwhile
      for (u32 place = mine; place < end - begin; place += size * kBlock) {
        if (place != mine) near(begin + place, t);
        const SweepValue x = paths(t, level);
        *here(place, level) = x;
        a.count[begin + place] = x.value;
        a.power[begin + place] = x.power;
      }
      cluster_arrive();
#pragma unroll
      for (u32 j = 0; j < 4 * kQuads; j++) t[j] = ahead[j];
      begin = end, end = then, then = after;
      cluster_wait();
    }
  }

  // Up is what is known of a vertex before the level below is done.
  struct Up {
    u32 t[4 * kQuads];
    double count;
    i32 power;
  };

  __device__ __forceinline__ void load(Up& x, u32 i) const {
    near(i, x.t);
    x.count = a.count[i];
    x.power = a.power[i];
  }

  // rely adds up the dependency on vertex i, and returns what a path to it brings.
  __device__ __forceinline__ SweepValue rely(const Up& x, u32 i, u32 level) const {
    SweepValue s[4 * kQuads];
#pragma unroll
    for (u32 j = 0; j < 4 * kQuads; j++) {
      if (x.t[j] != kNoPlace && x.t[j] & kBelow) s[j] = at(x.t[j] & ~kBelow, level + 1);
    }
    double total = 0;
#pragma unroll
    for (u32 j = 0; j < 4 * kQuads; j++) {
      if (x.t[j] != kNoPlace && x.t[j] & kBelow) total = __dadd_rn(total, __dmul_rn(s[j].value, two_to(x.power - s[j].power)));
    }
    const double d = __dmul_rn(x.count, total);
    a.count[i] = d;  // a score would be two loads, one after the other
    return SweepValue{__ddiv_rn(__dadd_rn(1, d), x.count), x.power, 0};
  }

  // home goes up the levels.
  __device__ __forceinline__ void home(u32 levels) const {
    const u32 mine = rank * kBlock + threadIdx.x;
    u32 level = levels - 1, begin = a.start[level], end = a.start[levels], before = level ? a.start[level - 1] : 0;
    Up x{}, ahead{};
    if (begin + mine < end) load(x, begin + mine);
    for (;; level--) {
      const u32 over = level >= 2 ? a.start[level - 2] : 0;
      if (level && before + mine < begin) load(ahead, before + mine);
      for (u32 place = mine; place < end - begin; place += size * kBlock) {
        if (place != mine) load(x, begin + place);
        *here(place, level) = rely(x, begin + place, level);
      }
      cluster_arrive();
      x = ahead;
      end = begin, begin = before, before = over;
      cluster_wait();
      if (level == 0) break;
    }
  }
};

}  // namespace foray

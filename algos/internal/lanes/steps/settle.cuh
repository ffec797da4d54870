// This file ends a level of many searches at once: it merges the lanes that were found into those that were seen, and
// counts them.
#pragma once

#include "algos/internal/lanes/steps/lanes.cuh"

namespace foray {

// Planes count how often each bit of a word is set, bit by bit: plane p has bit p of 64 counters.
struct Planes {
  static constexpr u32 kPlanes = 4, kMost = (1 << kPlanes) - 1;
  u64 plane[kPlanes];

  __device__ __forceinline__ void add(u64 x) {
#pragma unroll
    for (u32 p = 0; p < kPlanes; p++) {
      const u64 carry = plane[p] & x;
      plane[p] ^= x;
      x = carry;
    }
  }
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (u32 p = 0; p < kPlanes; p++) plane[p] = 0;
  }
};

// LaneCounts are counters of lanes lane() and lane() + 32 of each word, kept by a warp. A lane of the warp
// brings word lane() % kWords.
template <u32 kWords>
struct LaneCounts {
  u32 count[kWords][2];

  __device__ __forceinline__ void take(Planes& x) {
    constexpr u32 kMine = kWords == 1 ? kAll : kWords == 4 ? 0x11111111u : 0x01010101u;  // the lanes that bring word 0
    static_assert(kWords == 1 || kWords == 4 || kWords == 8, "a mask for each");
#pragma unroll
    for (u32 p = 0; p < Planes::kPlanes; p++) {
#pragma unroll
      for (u32 half = 0; half < 2; half++) {
        const u32 bits = u32(x.plane[p] >> 32 * half);
        if (!__any_sync(kAll, bits != 0)) continue;
#pragma unroll 1
        for (u32 bit = 0; bit < 32; bit++) {
          const u32 who = __ballot_sync(kAll, bits >> bit & 1);
#pragma unroll
          for (u32 k = 0; k < kWords; k++) {
            const u32 n = __popc(who & kMine << k) << p;
            if (lane() == bit) count[k][half] += n;
          }
        }
      }
    }
    x.clear();
  }
};

// lanes_settle merges found lanes into seen lanes, and counts them. A lane of a warp has a word of a
// vertex.
template <u32 kWords, class Offset>
__device__ __forceinline__ void lanes_settle(const LanesArgs<Offset>& a) {
  __shared__ u32 counts[64 * kWords];
  __shared__ u64 any[kWords];
  __shared__ u64 sums[2];
  for (u32 i = threadIdx.x; i < 64 * kWords; i += kBlock) counts[i] = 0;
  if (threadIdx.x < kWords) any[threadIdx.x] = 0;
  if (threadIdx.x < 2) sums[threadIdx.x] = 0;
  __syncthreads();
  constexpr u32 kVertices = 32 / kWords;
  const u32 word = lane() % kWords, vertex = ((1u << kWords) - 1) << (lane() - word);  // the lanes of this one's vertex
  u64 edges = 0, done = 0, mine = 0;
  u32 from = a.from;
  if (a.from == kBoth && !a.some_behind(kWords)) from = kPulled;
  LaneCounts<kWords> all;
  Planes planes;
  planes.clear();
#pragma unroll
  for (u32 k = 0; k < kWords; k++) all.count[k][0] = all.count[k][1] = 0;
  u32 added = 0;
  for (u64 base = (u64(blockIdx.x) * kWarps + warp()) * kVertices; base < a.count; base += u64(gridDim.x) * kWarps * kVertices) {
    const u64 i = base + lane() / kWords;
    const bool have = i < a.count;
    const u32 v = !have ? 0 : a.items ? a.items[i] - a.first : u32(i);
    const u64 at = u64(v) * kWords + word;
    u64 d = 0;
    if (have && from == kPulled) d = a.found[at];
    if (have && from != kPulled) {
      const u64 pushed = a.before ? a.seen[at] & ~a.before[at] : a.next[at];
      d = from == kBoth ? pushed | a.found[at] : pushed;
      if (from == kPushed || pushed) a.found[at] = d;
      if (pushed && !a.before) a.next[at] = 0;
    }
    const u32 reached = __ballot_sync(kAll, d != 0);
    if (!reached) continue;
    u64 missing = 0;
    if (reached & vertex) {
      const u64 seen = a.seen[at] | d;
      if (d) {
        a.seen[at] = seen;
        if (a.before) a.before[at] = seen;
      }
      missing = a.full[word] & ~seen;
      mine |= d;
    }
    const u32 lacks = __ballot_sync(kAll, missing != 0) & vertex;
    if (word == 0 && reached & vertex) {
      edges += a.out.offsets[v + 1] - a.out.offsets[v];
      if (!lacks) done += a.in.offsets[v + 1] - a.in.offsets[v];
    }
    planes.add(d);
    if (++added == Planes::kMost) {
      all.take(planes);
      added = 0;
    }
  }
  if (added) all.take(planes);
#pragma unroll
  for (u32 k = 0; k < kWords; k++) {
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
      if (all.count[k][half]) atomicAdd(&counts[64 * k + 32 * half + lane()], all.count[k][half]);
    }
  }
  if (mine) atomicOr(&any[word], mine);
  if (edges) atomicAdd(&sums[0], edges);
  if (done) atomicAdd(&sums[1], done);
  __syncthreads();
  for (u32 i = threadIdx.x; i < 64 * kWords; i += kBlock) {
    if (counts[i]) atomicAdd(&a.results[kLaneAny + kWords + i], u64(counts[i]));
  }
  if (threadIdx.x < kWords && any[threadIdx.x]) atomicOr(&a.results[kLaneAny + threadIdx.x], any[threadIdx.x]);
  if (threadIdx.x == 0 && sums[0]) atomicAdd(&a.results[kLaneEdges], sums[0]);
  if (threadIdx.x == 1 && sums[1]) atomicAdd(&a.results[kLaneDone], sums[1]);
}

}  // namespace foray

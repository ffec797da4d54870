// This file holds Pull on a GPU: a warp takes some words of 32 candidates, each
// of which probes its best neighbour, then its row 16 bytes at a time; rows that
// are long are finished by the whole warp. Beamer, Asanović, Patterson, SC 2012.
//
// A sink is a struct that is passed by value:
//
//   struct S {
//     __device__ void found(u32 vertex, u32 parent);  // a candidate and its in-neighbour
//   };
#pragma once

#include "frontier/ptx.cuh"
#include "operators/advance/gather.cuh"
#include "operators/filter/cull.cuh"

namespace foray {

// Tuning: how many words a warp has in flight, and how many steps of 16 bytes a
// lane takes along its row before the warp takes over.
constexpr u32 kWordsAtOnce = 4;
constexpr u32 kSteps = 16;

template <class Offset>
struct PullArgs {
  Csr<Offset> in;         // rows of in-neighbours
  const Offset* degrees;  // offsets of the out-edges, for the count of edges; may be null
  const u32* frontier;    // bitmap: where a parent may be
  const u32* seen;        // bitmap: who is no candidate
  const u32* none;        // bitmap: vertices without in-neighbours; bits past n are set
  const u32* first;       // best in-neighbour of each vertex that has one
  u32* out;               // bitmap: who found a parent
  u32 words;
  u32 shift;
  u32 ones;        // vertices from here on have one in-neighbour at most
  u32 cumulative;  // not 0: out holds what was seen as well
};

struct PullShared {
  u64 totals[kWarps];
};

// PullTally counts what the host wants to know: edges looked at, vertices found
// and the edges out of them.
template <class Offset>
struct PullTally {
  u64 tail = 0, visited = 0;
  __device__ __forceinline__ void probed(u32 n) { visited += n; }
  __device__ __forceinline__ void hit(const PullArgs<Offset>& a, u32 v) {
    tail += u64(1) << a.shift;
    if (a.degrees) tail += u64(a.degrees[v + 1] - a.degrees[v]);
  }
  __device__ __forceinline__ void hits(u32) {}
};

// PullFound counts the vertices found, in lane 0 of each warp.
template <class Offset>
struct PullFound {
  u32 found = 0;
  __device__ __forceinline__ void probed(u32) {}
  __device__ __forceinline__ void hit(const PullArgs<Offset>&, u32) {}
  __device__ __forceinline__ void hits(u32 mask) {
    if (lane() == 0) found += __popc(mask);
  }
};

// finish_rows looks through the rest of a lane's row with the whole warp, for
// every lane that still searches.
template <class Offset, class Tally>
__device__ __noinline__ void finish_rows(const u32* targets, const u32* frontier, bool searching, Offset at, Offset end, bool& hit, u32& parent, Tally& tally) {
  u32 left = __ballot_sync(kAll, searching);
  while (left) {
    const u32 src = __ffs(left) - 1;
    left &= left - 1;
    const Offset b = __shfl_sync(kAll, at, src), e = __shfl_sync(kAll, end, src);
    for (Offset i = b; i < e; i += 32) {
      const bool mine = i + lane() < e;
      const u32 u = mine ? targets[i + lane()] : 0;
      const u32 found = __ballot_sync(kAll, mine && has(frontier, u));
      if (mine) tally.probed(1);
      if (found) {
        const u32 p = __shfl_sync(kAll, u, __ffs(found) - 1);
        if (lane() == src) {
          parent = p;
          hit = true;
        }
        break;
      }
    }
  }
}

// sweep_words pulls the candidates of kWordsAtOnce words, from word base on, by
// one warp; in hits are the bits of those that found a parent.
template <class Offset, class S, class Tally>
__device__ __forceinline__ void sweep_words(const PullArgs<Offset>& a, u32 base, const u32* candidates, u32* hits, S& sink, Tally& tally) {
  constexpr u32 W = kWordsAtOnce;
  const u32 v = base * 32 + lane();
  bool want[W], hit[W];
  u32 parent[W];
  Offset at[W], end[W];
#pragma unroll
  for (u32 j = 0; j < W; j++) {
    want[j] = candidates[j] >> lane() & 1;
    hit[j] = false;
    parent[j] = want[j] ? ptx::load_once(a.first + v + 32 * j) : 0;
  }
#pragma unroll
  for (u32 j = 0; j < W; j++) {
    if (want[j]) {
      hit[j] = has(a.frontier, parent[j]);
      tally.probed(1);
    }
  }
#pragma unroll
  for (u32 j = 0; j < W; j++) {
    want[j] = want[j] && !hit[j] && v + 32 * j < a.ones;
    at[j] = end[j] = 0;
    if (want[j]) {
      at[j] = ptx::load_once(a.in.offsets + v + 32 * j) + 1;
      end[j] = ptx::load_once(a.in.offsets + v + 32 * j + 1);
    }
  }
#pragma unroll
  for (u32 j = 0; j < W; j++) want[j] = at[j] < end[j];
  for (u32 step = 0; __any_sync(kAll, want[0] || want[1] || want[2] || want[3]); step++) {
    if (step == kSteps) {
#pragma unroll
      for (u32 j = 0; j < W; j++) finish_rows(a.in.targets, a.frontier, want[j], at[j], end[j], hit[j], parent[j], tally);
      break;
    }
    uint4 q[W];
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      if (want[j]) q[j] = ptx::load_once((const uint4*)(a.in.targets + (at[j] & ~Offset(3))));
    }
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      if (!want[j]) continue;
      const Offset lo = at[j] & ~Offset(3);
      const u32 t[4] = {q[j].x, q[j].y, q[j].z, q[j].w};
      u32 bits[4];
#pragma unroll
      for (u32 i = 0; i < 4; i++) {
        const bool mine = lo + i >= at[j] && lo + i < end[j];
        bits[i] = mine ? a.frontier[t[i] >> 5] : 0;
        if (mine) tally.probed(1);
      }
#pragma unroll
      for (u32 i = 0; i < 4; i++) {
        if (!hit[j] && bits[i] >> (t[i] & 31) & 1) {
          hit[j] = true;
          parent[j] = t[i];
        }
      }
      at[j] = lo + 4;
      want[j] = !hit[j] && at[j] < end[j];
    }
  }
#pragma unroll
  for (u32 j = 0; j < W; j++) {
    hits[j] = __ballot_sync(kAll, hit[j]);
    tally.hits(hits[j]);
    if (hit[j]) {
      sink.found(v + 32 * j, parent[j]);
      tally.hit(a, v + 32 * j);
    }
  }
}

// sweep pulls over all words as the whole grid. A warp takes every so many-th
// group of words; each of its lanes looks whether one of them has candidates, all
// at once. seen, none and out have room for whole steps of 16 bytes.
template <class Offset, class S, class Tally>
__device__ __forceinline__ void sweep(const PullArgs<Offset>& a, S& sink, Tally& tally) {
  constexpr u32 W = kWordsAtOnce;
  static_assert(W == 4, "words are loaded 16 bytes at a time");
  const u32 warps = gridDim.x * kWarps, groups = (a.words + W - 1) / W;
  for (u32 first = blockIdx.x * kWarps + warp(); first < groups; first += 32 * warps) {
    const u64 group = first + u64(lane()) * warps;
    const u32 base = u32(group) * W;
    uint4 s = make_uint4(0, 0, 0, 0), c = s;
    if (group < groups) {
      s = *(const uint4*)(a.seen + base);
      const uint4 no = *(const uint4*)(a.none + base);
      c = make_uint4(~(s.x | no.x), ~(s.y | no.y), ~(s.z | no.z), ~(s.w | no.w));
      if (base + 1 >= a.words) c.y = 0;
      if (base + 2 >= a.words) c.z = 0;
      if (base + 3 >= a.words) c.w = 0;
    }
    if (!a.cumulative) s = make_uint4(0, 0, 0, 0);
    u32 todo = __ballot_sync(kAll, (c.x | c.y | c.z | c.w) != 0);
    while (todo) {
      const u32 src = __ffs(todo) - 1;
      todo &= todo - 1;
      const u32 candidates[W] = {__shfl_sync(kAll, c.x, src), __shfl_sync(kAll, c.y, src), __shfl_sync(kAll, c.z, src),
                                 __shfl_sync(kAll, c.w, src)};
      u32 hits[W];
      sweep_words(a, __shfl_sync(kAll, base, src), candidates, hits, sink, tally);
      if (lane() == src) s.x |= hits[0], s.y |= hits[1], s.z |= hits[2], s.w |= hits[3];
    }
    if (group < groups) *(uint4*)(a.out + base) = s;
  }
}

template <class Offset, class S>
__device__ void pull_words(const PullArgs<Offset>& a, S& sink, Slot* slot, PullShared& sh) {
  PullTally<Offset> tally;
  sweep(a, sink, tally);
  add_up(tally.tail, sh.totals, &slot->tail);
  add_up(tally.visited, sh.totals, &slot->visited);
}

}  // namespace foray

// This file holds Pull on a GPU: candidates probe their best neighbour, then their
// row, until one is found in the frontier. Beamer, Asanović, Patterson, SC 2012.
//
// A sink is a struct that is passed by value:
//
//   struct S {
//     __device__ void found(u32 vertex, u32 parent);  // a candidate and its in-neighbour
//   };
#pragma once

#include "operators/advance/chunk.cuh"

namespace foray {

// sweep pulls over all words as the whole grid. A warp takes every so many-th group
// of words, up to 32 at a time, each lane the bits of one. seen, none and out have
// room for whole steps of 16 bytes. It returns, in lane 0 of each warp, how many
// vertices were found.
template <class Offset, class S, class Tally>
__device__ __forceinline__ u32 sweep(const PullArgs<Offset>& a, S& sink, Tally& tally, RefillShared<Offset>& sh) {
  constexpr u32 W = kWordsAtOnce;
  static_assert(W == 4, "words are loaded 16 bytes at a time");
  const u32 warps = gridDim.x * kWarps, groups = (a.words + W - 1) / W;
  // Chunks of equal size, at most a group a lane.
  const u32 each = (groups + warps - 1) / warps, chunks = (each + 31) / 32, most = (each + chunks - 1) / max(chunks, 1u);
  u32 found = 0;
  for (u32 first = blockIdx.x * kWarps + warp(); first < groups; first += most * warps) {
    const u64 group = first + u64(lane()) * warps;
    const bool mine = lane() < most && group < groups;
    const u32 base = u32(group) * W;
    uint4 s = make_uint4(0, 0, 0, 0), c = s;
    if (mine) {
      s = *(const uint4*)(a.seen + base);
      const uint4 no = *(const uint4*)(a.none + base);
      c = make_uint4(~(s.x | no.x), ~(s.y | no.y), ~(s.z | no.z), ~(s.w | no.w));
      if (base + 1 >= a.words) c.y = 0;
      if (base + 2 >= a.words) c.z = 0;
      if (base + 3 >= a.words) c.w = 0;
    }
    if (!a.cumulative) s = make_uint4(0, 0, 0, 0);
    ((uint4*)sh.hits)[lane()] = make_uint4(0, 0, 0, 0);
    __syncwarp();
    const u32 todo = __ballot_sync(kAll, (c.x | c.y | c.z | c.w) != 0);
    if (todo) {
      Chunk<Offset, S, Tally> chunk{a, sink, tally, sh, first, warps};
      chunk.run(todo, c);
      __syncwarp();
    }
    const uint4 h = ((const uint4*)sh.hits)[lane()];
    const u32 sum = warp_sum(__popc(h.x) + __popc(h.y) + __popc(h.z) + __popc(h.w));
    if (lane() == 0) found += sum;
    if (mine) *(uint4*)(a.out + base) = make_uint4(s.x | h.x, s.y | h.y, s.z | h.z, s.w | h.w);
    __syncwarp();
  }
  return found;
}

template <class Offset>
struct PullShared {
  RefillShared<Offset> refill[kWarps];
  u64 totals[kWarps];
};

template <class Offset, class S>
__device__ void pull_words(const PullArgs<Offset>& a, S& sink, Slot* slot, PullShared<Offset>& sh) {
  PullTally<Offset> tally;
  sweep(a, sink, tally, sh.refill[warp()]);
  add_up(tally.tail, sh.totals, &slot->tail);
  add_up(tally.visited, sh.totals, &slot->visited);
}

}  // namespace foray

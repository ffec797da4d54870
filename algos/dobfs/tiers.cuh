// This file holds the direction of a search in one kernel over rows in tiers (operators/advance/tiers.cuh).
// A pull has two passes: candidates look through their near rows as in any pull, and those that found
// nothing there look through the rest of their rows, in the host's memory.
//
// A random read of the host's memory costs about the same up to 512 bytes, so a warp reads a row, 512 bytes at
// a time. EMOGI (Min et al., VLDB 2020) reads rows in place by warps too; it has no near rows.
#pragma once

#include "algos/dobfs/direction.cuh"
#include "operators/advance/tiers.cuh"

namespace foray {

// Tuning: the rows that a warp reads at once.
constexpr u32 kFarRows = 4;

// sweep_far is the second pass, as the whole grid. a.out has what was visited, the first pass included, and gets
// what is found; a.frontier is another bitmap. Only this warp reads and writes its words of out. It returns
// how many vertices this lane found, and sets open where this lane's words have candidates left.
template <class Offset, class S>
__device__ __forceinline__ u32 sweep_far(const PullArgs<Offset>& a, const Tiers& tiers, S& sink, bool& open) {
  const Offset* offsets = (const Offset*)tiers.offsets;
  u32 found = 0;
  for (u32 base = (blockIdx.x * kWarps + warp()) * 32; base < a.words; base += gridDim.x * kWarps * 32) {
    const u32 word = base + lane();
    u32 had = kAll, left = 0, want = 0, hits = 0;
    if (word < a.words) {
      had = a.out[word];
      left = ~(had | a.none[word]);
      want = left ? left & ~tiers.whole[word] : 0;
    }
    for (u32 todo = __ballot_sync(kAll, want != 0); todo; todo = __ballot_sync(kAll, want != 0)) {
      const u32 first = (word * 32) + (want ? __ffs(want) - 1 : 0);
      u32 src[kFarRows], v[kFarRows], parent[kFarRows];
      Offset at[kFarRows], end[kFarRows];
#pragma unroll
      for (u32 j = 0; j < kFarRows; j++) {
        src[j] = todo ? __ffs(todo) - 1 : 32;
        todo &= todo - 1;
        v[j] = __shfl_sync(kAll, first, src[j] & 31);
        if (lane() == src[j]) want &= want - 1;
        at[j] = end[j] = 0;
        parent[j] = kNoVertex;
      }
#pragma unroll
      for (u32 j = 0; j < kFarRows; j++) {
        if (src[j] == 32) continue;
        at[j] = offsets[v[j]] + (a.in.offsets[v[j] + 1] - a.in.offsets[v[j]]);
        end[j] = offsets[v[j] + 1];
      }
      for (bool more = true; more;) {
        more = false;
        uint4 q[kFarRows];
        Offset from[kFarRows];
#pragma unroll
        for (u32 j = 0; j < kFarRows; j++) {
          from[j] = (at[j] & ~Offset(3)) + 4 * lane();
          if (at[j] < end[j] && from[j] < end[j]) q[j] = *(const uint4*)(tiers.targets + from[j]);
        }
#pragma unroll
        for (u32 j = 0; j < kFarRows; j++) {
          if (at[j] >= end[j]) continue;
          const u32 t[4] = {q[j].x, q[j].y, q[j].z, q[j].w};
          u32 hit = kNoVertex;
#pragma unroll
          for (u32 i = 0; i < 4; i++) {
            const Offset e = from[j] + i;
            if (hit == kNoVertex && e >= at[j] && e < end[j] && has(a.frontier, t[i])) hit = t[i];
          }
          const u32 some = __ballot_sync(kAll, hit != kNoVertex);
          if (some) {
            parent[j] = __shfl_sync(kAll, hit, __ffs(some) - 1);
            at[j] = end[j];
          } else {
            at[j] = (at[j] & ~Offset(3)) + 128;
            more = more || at[j] < end[j];
          }
        }
      }
#pragma unroll
      for (u32 j = 0; j < kFarRows; j++) {
        if (parent[j] != kNoVertex && lane() == src[j]) {
          hits |= 1u << (v[j] & 31);
          sink.found(v[j], parent[j]);
        }
      }
    }
    if (hits) a.out[word] = had | hits;
    found += __popc(hits);
    open = open || (left & ~hits) != 0;
  }
  return found;
}

// Tiered is Optimising over rows in tiers.
struct Tiered : Optimising {
  // pull is a level in which the candidates look for a neighbor in the frontier. Nothing is pushed before it, since
  // pushes read the host's memory.
  template <class S, class Offset>
  static __device__ __forceinline__ u64 pull(S& s, Engine& e, const In<Offset>& in) {
    const FusedArgs<Offset>& a = s.a;
    e.note(s.depth, 1, s.listed ? in.count : s.again ? 0 : s.found, 0);
    if (s.k + 1 == kPlanes) {  // none is left
      bool ignored = false;
      expand(a, s.k, false, s.sh.depth_of, ignored, false);
      e.sync();
      s.k = 0;
    }
    PullArgs<Offset> p{a.in, nullptr, s.plane(s.k), s.plane(s.k), a.none, a.first, s.plane(s.k + 1), a.words, a.shift, a.ones, 1};
    Labelled sink{a.parents};
    NoTally<Offset> tally;
    u32 fresh = sweep(p, sink, tally, s.sh.refill[warp()]);
    e.sync();  // warps have other words now
    if (e.late()) return kEnded;
    bool open = false;
    fresh += sweep_far(p, a.out.targets.tiers(), sink, open);
    if (s.k == 0 && fills(a)) {
      fill_beyond(a);
      if (threadIdx.x == 0) s.sh.filled = true;
    }
    s.k++;
    if (threadIdx.x == 0) s.sh.depth_of[s.k] = i32(s.depth);
    u64 sum = total(fresh + (open ? kOpen : 0), s.sh.totals);
    if (sum >= kOpen) sum = sum % kOpen + kOpen;
    e.meet(sum);
    s.found = e.met & (kOpen - 1);
    note_local(s, e);
    s.visited += s.found;
    s.listed = s.again = false;
    return kGoOn;
  }
};

}  // namespace foray

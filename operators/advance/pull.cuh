// This file holds Pull on a GPU: a warp takes a word of 32 candidates, each
// probes its best neighbour, then some of its row; rows that are long are
// finished by the whole warp. Beamer, Asanović, Patterson, SC 2012.
//
// A sink is a struct that is passed by value:
//
//   struct S {
//     __device__ void found(u32 vertex, u32 parent);  // a candidate and its in-neighbour
//   };
#pragma once

#include "operators/advance/gather.cuh"
#include "operators/filter/cull.cuh"

namespace foray {

// kProbes is how many entries of its row a lane looks at by itself before the
// warp takes over.
constexpr u32 kProbes = 16;

template <class Offset>
struct PullArgs {
  Csr<Offset> in;         // rows of in-neighbours
  const Offset* degrees;  // offsets of the out-edges, for the count of edges; may be null
  const u32* frontier;    // bitmap: where a parent may be
  const u32* seen;        // bitmap: who is no candidate
  const u32* none;        // bitmap: vertices without in-neighbours; bits past n are set
  const u32* first;       // best in-neighbour of each vertex; may be null
  u32* out;               // bitmap: who found a parent
  u32 words;
  u32 shift;
};

struct PullShared {
  u64 totals[kWarps];
};

template <class Offset, class S>
__device__ void pull_words(const PullArgs<Offset>& a, S& sink, Slot* slot, PullShared& sh) {
  u64 tail = 0, visited = 0;
  const u32 warps = gridDim.x * kWarps;
  for (u32 w = blockIdx.x * kWarps + warp(); w < a.words; w += warps) {
    const u32 candidates = ~(a.seen[w] | a.none[w]);
    if (candidates == 0) {
      if (lane() == 0) a.out[w] = 0;
      continue;
    }
    const u32 v = w * 32 + lane();
    bool searching = candidates >> lane() & 1, hit = false;
    u32 parent = 0;
    if (searching && a.first) {
      parent = a.first[v];
      hit = has(a.frontier, parent);
      visited++;
    }
    Offset at = 0, end = 0;
    searching = searching && !hit;
    if (searching) {
      at = a.in.offsets[v] + (a.first ? 1 : 0);
      end = a.in.offsets[v + 1];
    }
    for (u32 k = 0; k < kProbes && __any_sync(kAll, searching && at < end); k++) {
      if (searching && at < end) {
        const u32 u = a.in.targets[at++];
        visited++;
        if (has(a.frontier, u)) {
          parent = u;
          hit = true;
          searching = false;
        }
      }
    }
    u32 left = __ballot_sync(kAll, searching && at < end);
    while (left) {
      const u32 src = __ffs(left) - 1;
      left &= left - 1;
      const Offset b = __shfl_sync(kAll, at, src), e = __shfl_sync(kAll, end, src);
      for (Offset i = b; i < e; i += 32) {
        const bool mine = i + lane() < e;
        const u32 u = mine ? a.in.targets[i + lane()] : 0;
        const u32 found = __ballot_sync(kAll, mine && has(a.frontier, u));
        if (mine) visited++;
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
    const u32 hits = __ballot_sync(kAll, hit);
    if (lane() == 0) a.out[w] = hits;
    if (hit) {
      sink.found(v, parent);
      tail += u64(1) << a.shift;
      if (a.degrees) tail += u64(a.degrees[v + 1] - a.degrees[v]);
    }
  }
  add_up(tail, sh.totals, &slot->tail);
  add_up(visited, sh.totals, &slot->visited);
}

}  // namespace foray

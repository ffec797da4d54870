// This file holds the end of a chunk of a pull: the whole warp looks through the rest of
// a few rows.
#pragma once

#include "operators/advance/chunk.cuh"

namespace foray {

// first_of takes the first neighbor of who in the frontier, of those from b on.
template <class Offset, class S, class Tally, u32 kRun>
__device__ __forceinline__ bool Chunk<Offset, S, Tally, kRun>::first_of(u32 who, Offset b, const u32* u, const bool* on) {
  u32 some = 0;
#pragma unroll
  for (u32 i = 0; i < W && !some; i++) {
    some = __ballot_sync(kAll, on[i] && has(frontier, u[i]));
    if constexpr (Rejects<S>::value) {
      // One lane at a time, in the order of the row.
      for (bool taken = false; some && !taken; some = taken ? some : some & (some - 1)) {
        const u32 src = __ffs(some) - 1;
        if (lane() == src) taken = offer(who, u[i], b + 32 * i + lane());
        taken = __shfl_sync(kAll, taken, src);
        __syncwarp();  // the next one sees what this one wrote
      }
    } else {
      if (some && lane() == __ffs(some) - 1) take(who, u[i], b + 32 * i + lane());
    }
  }
  return some != 0;
}

// finish looks through the rest of the rows with the whole warp.
template <class Offset, class S, class Tally, u32 kRun>
__device__ __forceinline__ void Chunk<Offset, S, Tally, kRun>::finish(const Offset* at, const u32* left, const u32* id) {
#pragma unroll
  for (u32 j = 0; j < kSlots; j++) {
    u32 todo = __ballot_sync(kAll, id[j] != kFree);
    while (todo) {
      const u32 src = __ffs(todo) - 1;
      todo &= todo - 1;
      const u32 who = __shfl_sync(kAll, id[j], src);
      const Offset e = __shfl_sync(kAll, at[j] + left[j], src);
      for (Offset b = __shfl_sync(kAll, at[j], src); b < e; b += kGroup) {
        u32 u[W];
        bool on[W];
#pragma unroll
        for (u32 i = 0; i < W; i++) {
          on[i] = b + 32 * i + lane() < e;
          u[i] = on[i] ? a.in.targets[b + 32 * i + lane()] : 0;
          if (on[i]) tally.probed(1);
        }
        if constexpr (AsksEdge<S>::value) {
          if (first_of(who, b, u, on)) break;
          continue;
        }
        u32 parent = kNoVertex;
#pragma unroll
        for (u32 i = 0; i < W; i++) {
          if (on[i] && has(frontier, u[i])) parent = u[i];
        }
        const u32 found = __ballot_sync(kAll, parent != kNoVertex);
        if (found) {
          if (lane() == __ffs(found) - 1) take(who, parent, 0);
          break;
        }
      }
    }
  }
}

}  // namespace foray

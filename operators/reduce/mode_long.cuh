// This file holds how the most frequent value of a long row is found: by blocks, each of which
// counts a part of the values, by their hash, in a table in shared memory.
#pragma once

#include "operators/reduce/mode.cuh"

namespace foray {

// add counts a value so often, from the slot on where it belongs, and returns how often that is
// in all; 0 if there is no room.
__device__ __forceinline__ u32 mode_add(u32* keys, u32* counts, u32 slots, u32 at, u32 value, u32 times, u32* met) {
  for (u32 tried = 0; tried < slots; tried++) {
    u32 key = *(volatile u32*)&keys[at];
    if (key == kFree) {
      key = atomicCAS(&keys[at], kFree, value);
      if (key == kFree) {
        key = value;
        if (met) atomicAdd(met, 1u);
      }
    }
    if (key == value) return atomicAdd(&counts[at], times) + times;
    if (++at == slots) at = 0;
  }
  return 0;
}

struct ModeShared {
  u64 best[kModeThreads / 32];
  u32 met;   // values
  u32 none;  // how often kFree was met
  u32 full;
  u32 pad;
};

// enter_mode_longs counts parts of long rows.
template <class Offset>
__device__ __forceinline__ void enter_mode_longs(const ModeArgs<Offset>& a) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ ModeShared sh;
  u32* const keys = (u32*)shared;
  u32* const counts = keys + a.slots;
  Moder<Offset> m(a);
  const u32 parts = *(volatile u32*)&a.counts->parts, most = a.slots / 4 * 3;
  for (u32 i = blockIdx.x; i < parts; i += gridDim.x) {
    ModeLong* const job = &a.longs[a.parts[2 * i]];
    const u32 part = a.parts[2 * i + 1], all = job->parts, v = job->v;
    const ModeRow<Offset> row = mode_row(a, v);
    u64 best = 0;
    u32 free = 0;
    if (threadIdx.x == 0) sh.none = 0;
    // Values of the part whose hash is from begin on, up to end. If they don't fit, half as
    // many hashes are tried. No two values have the same hash.
    for (u64 begin = 0, end = u64(1) << 32; begin < u64(1) << 32;) {
      for (u32 s = threadIdx.x; s < a.slots; s += kModeThreads) keys[s] = kFree, counts[s] = 0;
      if (threadIdx.x == 0) sh.met = 0, sh.full = 0;
      __syncthreads();
      u64 mine = 0;
      u32 none = 0;
      for (u32 base = 0; base < row.size; base += kModeThreads * kModeLoads) {
        u32 value[kModeLoads];
#pragma unroll
        for (u32 j = 0; j < kModeLoads; j++) {
          const u32 k = base + j * kModeThreads + threadIdx.x;
          value[j] = a.values[row[k < row.size ? k : 0]];
        }
        if (__any_sync(kAll, *(volatile u32*)&sh.full)) break;
#pragma unroll 1
        for (u32 j = 0; j < kModeLoads; j++) {
          u32 x = value[0];
#pragma unroll
          for (u32 l = 1; l < kModeLoads; l++) x = j == l ? value[l] : x;
          bool active = base + j * kModeThreads + threadIdx.x < row.size;
          none += active && x == kFree && part == 0 && begin == 0;
          const u32 hash = x * 0x9e3779b1u;
          const u64 at = u64(hash) * all;
          active = active && x != kFree && u32(at >> 32) == part && u32(at) >= begin && u32(at) < end;
          const u32 times = mode_times(active, x);
          if (!times) continue;
          const u32 slot = u32(u64((hash ^ hash >> 15) * 0x85ebca6bu) * a.slots >> 32);
          const u32 now = mode_add(keys, counts, a.slots, slot, x, times, &sh.met);
          if (now == 0 || *(volatile u32*)&sh.met > most) *(volatile u32*)&sh.full = 1;
          mine = more_often(mine, counted(now, x));
        }
      }
      __syncthreads();
      const bool full = sh.full && end - begin > 1;
      __syncthreads();
      if (full) {
        end = begin + (end - begin) / 2;
        continue;
      }
      best = more_often(best, mine);
      free += none;
      begin = end;
      end = u64(1) << 32;
    }
    // Of the whole block, and of all parts.
#pragma unroll
    for (u32 d = 16; d > 0; d /= 2) best = more_often(best, __shfl_xor_sync(kAll, best, d));
    if (lane() == 0) sh.best[threadIdx.x / 32] = best;
    if (free) atomicAdd(&sh.none, free);
    __syncthreads();
    if (threadIdx.x == 0) {
      if (sh.none) best = more_often(best, counted(sh.none, kFree));
      for (u32 w = 1; w < kModeThreads / 32; w++) best = more_often(best, sh.best[w]);
      atomicMax(&job->best, best);
      __threadfence();
      if (atomicAdd(&job->done, 1u) + 1 == all) m.set(v, ~u32(atomicMax(&job->best, u64(0))));
    }
    __syncthreads();
  }
  m.finish();
}

}  // namespace foray

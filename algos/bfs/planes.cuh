// This file holds what becomes of the bitmaps of a search as one kernel: depths at
// its end, or a frontier for a push after a pull.
#pragma once

#include "algos/bfs/fused_args.cuh"
#include "frontier/ptx.cuh"

namespace foray {

// bound_words is how many words of bitmaps have a vertex that may be reached.
template <class Offset>
__device__ __forceinline__ u32 bound_words(const FusedArgs<Offset>& a) {
  return (a.bound - 1) / 32 + 1;
}

// fills reports whether there are enough vertices of in-degree 0 for fill_beyond.
template <class Offset>
__device__ __forceinline__ bool fills(const FusedArgs<Offset>& a) {
  return a.out.n - a.bound > kManyBeyond && ((a.depths && !a.codes) || a.parents);
}

// fill_beyond writes "not reached" for these. Warps take parts of them as they come, while
// others are still at work on a pull.
template <class Offset>
__device__ __forceinline__ void fill_beyond(const FusedArgs<Offset>& a) {
  constexpr u32 kPart = 32 * 128;  // vertices
  const int4 none = make_int4(-1, -1, -1, -1);
  while (true) {
    u64 at = 0;
    if (lane() == 0) at = atomicAdd(&a.engine.post.slot->counts[6], u64(kPart));
    at = u64(bound_words(a)) * 32 + __shfl_sync(kAll, at, 0);
    if (at >= a.out.n) break;
#pragma unroll 1
    for (u64 v = at + lane() * 4; v < at + kPart && v < a.out.n; v += 128) {
      if (a.depths && !a.codes) ptx::store_once((int4*)(a.depths + v), none);
      if (a.parents) ptx::store_once((int4*)(a.parents + v), none);
    }
  }
  __syncwarp();
}

// expand writes what the bitmaps 0 to k stand for. At the end of the search it
// writes "not reached" as well and leaves everything zero for the next one;
// else it makes the last bitmap the first one, all of it written. It returns
// how many vertices this thread saw visited, and sets first where the first
// bitmap has more than what was written. filled: fill_beyond has been there.
template <class Offset>
__device__ __forceinline__ u64 expand(const FusedArgs<Offset>& a, u32 k, bool last, const i32* depth_of, bool& first, bool filled) {
  // Codes of vertices of in-degree 0 aren't read.
  const u32 n = a.out.n, warps = gridDim.x * kWarps;
  const u32 words = filled || (a.codes && !a.parents) ? bound_words(a) : (n + 31) / 32;
  // A warp's share lies side by side, four words at least: 128 vertices are written
  // at once.
  const u32 share = ((words + warps - 1) / warps + 3) & ~3u;
  u32 base = min((blockIdx.x * kWarps + warp()) * share, words);
  const u32 end = min(base + share, words);
  u64 reached = 0;
  // The first bitmaps of the next words are prefetched while some are expanded.
  constexpr u32 kAhead = 8;
  u32 next_old = kAll, next[kAhead];
  auto load = [&](u32 base) {
    const u32 w = base + lane();
    if (w >= end) return;
    const u32 have = w < a.words ? k : 0;  // the last bitmap that has this word
    next_old = a.written[w];
#pragma unroll
    for (u32 j = 0; j < kAhead; j++) next[j] = a.planes[u64(min(j, have)) * a.stride + w];
  };
  load(base);
#pragma unroll 1
  for (; base < end; base += 32) {
    const u32 w = base + lane();
    u32 c0 = 0, c1 = 0, c2 = 0, c3 = 0, seen = 0, old = kAll;
    auto count = [&](u32 some) {
      seen = some;
      u32 carry = ~seen, t;  // one more that hasn't the vertex
      t = c0 & carry, c0 ^= carry, carry = t;
      t = c1 & carry, c1 ^= carry, carry = t;
      t = c2 & carry, c2 ^= carry, carry = t;
      c3 ^= carry;
    };
    if (w < end) {
      old = next_old;
      if (next[0] & ~old) first = true;
#pragma unroll
      for (u32 j = 0; j < kAhead; j++) {
        if (j <= k) count(next[j]);
      }
      const u32 have = w < a.words ? k : 0;
#pragma unroll 1
      for (u32 j = kAhead; j <= k; j++) count(a.planes[u64(min(j, have)) * a.stride + w]);
      reached += __popc(seen);
      if (last && a.lost) a.lost[w] = ~seen;
      a.planes[w] = last ? 0 : seen;
      a.written[w] = last ? 0 : seen;
    }
    load(base + 32);
    const u32 skip = last ? old : old | ~seen;  // whose depths stay as they are
#pragma unroll 1
    for (u32 i = 0; i < 8 && base + i * 4 < end; i++) {
      const u32 src = i * 4 + lane() / 8, at = lane() % 8 * 4;
      const u32 x0 = __shfl_sync(kAll, c0, src) >> at, x1 = __shfl_sync(kAll, c1, src) >> at;
      const u32 x2 = __shfl_sync(kAll, c2, src) >> at, x3 = __shfl_sync(kAll, c3, src) >> at;
      const u32 stay = __shfl_sync(kAll, skip, src) >> at & 15;
      const u32 lost = ~__shfl_sync(kAll, seen, src) >> at & 15;
      const u32 v = (base + src) * 32 + at;
      if (v < n && a.depths && stay != 15) {
        i32 d[4];
#pragma unroll
        for (u32 j = 0; j < 4; j++) {
          d[j] = depth_of[(x0 >> j & 1) | (x1 >> j & 1) << 1 | (x2 >> j & 1) << 2 | (x3 >> j & 1) << 3];
        }
        if (a.codes) {
          if (stay == 0) {
            *(u32*)(a.codes + v) = u32(u8(d[0])) | u32(u8(d[1])) << 8 | u32(u8(d[2])) << 16 | u32(u8(d[3])) << 24;
          } else {
#pragma unroll
            for (u32 j = 0; j < 4; j++) {
              if (!(stay >> j & 1)) a.codes[v + j] = u8(d[j]);
            }
          }
        } else if (stay == 0) {
          *(int4*)(a.depths + v) = make_int4(d[0], d[1], d[2], d[3]);
        } else {
#pragma unroll
          for (u32 j = 0; j < 4; j++) {
            if (!(stay >> j & 1)) a.depths[v + j] = d[j];
          }
        }
      }
      if (v < n && a.parents && last && lost) {
        if (lost == 15) {
          *(uint4*)(a.parents + v) = make_uint4(kNoVertex, kNoVertex, kNoVertex, kNoVertex);
        } else {
#pragma unroll
          for (u32 j = 0; j < 4; j++) {
            if (lost >> j & 1) a.parents[v + j] = kNoVertex;
          }
        }
      }
    }
  }
  return reached;
}

// list puts the vertices that are in one bitmap and not in another into a queue.
template <class Offset>
__device__ __forceinline__ void list_new(const u32* now, const u32* before, u32 words, Emitter<Offset>& out) {
  const u32 stride = gridDim.x * kWarps * 32;
  for (u32 base = (blockIdx.x * kWarps + warp()) * 32; base < words; base += stride) {
    const u32 w = base + lane(), fresh = w < words ? now[w] & ~before[w] : 0;
    u32 some = __ballot_sync(kAll, fresh != 0);
    while (some) {
      const u32 src = __ffs(some) - 1;
      some &= some - 1;
      out.put(__shfl_sync(kAll, fresh, src) >> lane() & 1, (base + src) * 32 + lane());
    }
  }
}

}  // namespace foray

// This file holds the pull whose lanes don't wait for one another: a warp lists
// its candidates, and a slot of a lane that is through with one takes the next.
#pragma once

#include "operators/advance/pull.cuh"

namespace foray {

// Tuning: how many candidates a lane has in flight, and how many steps those that
// are left at the end take by themselves before the warp takes over.
constexpr u32 kSlots = 4;
#ifndef FORAY_ALONE
#define FORAY_ALONE 8
#endif
constexpr u32 kAlone = FORAY_ALONE;

// kListed is what a warp's list has room for: a power of two, the slots of a warp
// and the candidates of a group beside.
constexpr u32 kListed = 256;

// RefillShared is a warp's part of shared memory. A candidate is 12 bits: which
// of the chunk's groups, which of its words, which bit.
struct RefillShared {
  alignas(16) u32 hits[32 * kWordsAtOnce];
  uint16_t list[kListed];
};

// Chunk is a warp at work on up to 32 groups of words.
template <class Offset, class S>
struct Chunk {
  static constexpr u32 W = kWordsAtOnce;
  static constexpr u32 kFree = 0xffffffff;  // of id: nobody's
  static constexpr u32 kNew = 0xffffffff;   // of left: the first probe is to come
  const PullArgs<Offset>& a;
  S& sink;
  RefillShared& sh;
  u32 first, warps;   // group k of the chunk is first + k * warps
  u32 head, pending;  // of the list

  __device__ __forceinline__ u32 vertex(u32 id) const {
    return ((first + (id >> 7) * warps) * W + (id >> 5 & (W - 1))) * 32 + (id & 31);
  }

  // fill lists the candidates of a group.
  __device__ __forceinline__ void fill(u32 group, const u32* candidates) {
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      if (candidates[j] >> lane() & 1) {
        sh.list[(head + pending + __popc(candidates[j] & lanes_below())) & (kListed - 1)] = uint16_t(group * 32 * W + j * 32 + lane());
      }
      pending += __popc(candidates[j]);
    }
  }

  // run goes over the groups in todo; lane k holds the candidates of group k.
  __device__ __forceinline__ void run(u32 todo, const uint4& c) {
    Offset at[kSlots];
    u32 left[kSlots], id[kSlots];
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) id[j] = kFree;
    head = pending = 0;
    for (u32 alone = 0;;) {
      while (pending < kListed - 32 * W && todo) {
        const u32 src = __ffs(todo) - 1;
        todo &= todo - 1;
        const u32 candidates[W] = {__shfl_sync(kAll, c.x, src), __shfl_sync(kAll, c.y, src), __shfl_sync(kAll, c.z, src),
                                   __shfl_sync(kAll, c.w, src)};
        fill(src, candidates);
      }
      __syncwarp();
      bool busy = false;
#pragma unroll
      for (u32 j = 0; j < kSlots; j++) {
        const u32 idle = __ballot_sync(kAll, id[j] == kFree), rank = __popc(idle & lanes_below());
        if (id[j] == kFree && rank < pending) {
          id[j] = sh.list[(head + rank) & (kListed - 1)];
          left[j] = kNew;
        }
        const u32 taken = min(u32(__popc(idle)), pending);
        head += taken;
        pending -= taken;
        busy = busy || id[j] != kFree;
      }
      __syncwarp();  // the list is read before it is written again
      if (!__any_sync(kAll, busy)) break;  // and there is nothing to do either
      if (!todo && !pending && ++alone > kAlone) {
        finish(at, left, id);
        break;
      }
      step(at, left, id);
    }
  }

  // step takes every slot to its first probe, or 16 bytes along its row.
  __device__ __forceinline__ void step(Offset* at, u32* left, u32* id) {
    uint4 q[kSlots];
    Offset end[kSlots];
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) {
      if (id[j] == kFree) continue;
      if (left[j] == kNew) {
        const u32 v = vertex(id[j]);
        q[j].x = ptx::load_once(a.first + v);
        at[j] = end[j] = 0;
        if (v < a.ones) {
          at[j] = ptx::load_once(a.in.offsets + v);
          end[j] = ptx::load_once(a.in.offsets + v + 1);
        }
      } else {
#ifdef FORAY_HINT
        q[j] = ptx::load_once((const uint4*)(a.in.targets + (at[j] & ~Offset(3))));
#else
        q[j] = ptx::load_row((const uint4*)(a.in.targets + (at[j] & ~Offset(3))));
#endif
      }
    }
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) {
      if (id[j] == kFree) continue;
      const bool fresh = left[j] == kNew;
      const u32 skip = fresh ? 0 : u32(at[j]) & 3, stop = fresh ? 1 : min(4u, skip + left[j]);
      const u32 t[4] = {q[j].x, q[j].y, q[j].z, q[j].w};
      u32 bits[4];
#pragma unroll
      for (u32 i = 0; i < 4; i++) bits[i] = i >= skip && i < stop ? a.frontier[t[i] >> 5] : 0;
      bool hit = false;
      u32 parent = 0;
#pragma unroll
      for (u32 i = 0; i < 4; i++) {
        if (!hit && bits[i] >> (t[i] & 31) & 1) {
          hit = true;
          parent = t[i];
        }
      }
      if (fresh) {
        left[j] = u32(end[j] - at[j]);
        if (left[j]) at[j]++, left[j]--;
      } else {
        at[j] += stop - skip;
        left[j] -= stop - skip;
      }
      if (hit) take(id[j], parent);
      if (hit || left[j] == 0) id[j] = kFree;
    }
  }

  __device__ __forceinline__ void take(u32 id, u32 parent) {
    atomicOr(&sh.hits[id >> 5], 1u << (id & 31));
    sink.found(vertex(id), parent);
  }

  // finish looks through the rest of the rows with the whole warp.
  __device__ __forceinline__ void finish(const Offset* at, const u32* left, const u32* id) {
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) {
      u32 todo = __ballot_sync(kAll, id[j] != kFree);
      while (todo) {
        const u32 src = __ffs(todo) - 1;
        todo &= todo - 1;
        const u32 who = __shfl_sync(kAll, id[j], src);
        const u32 fresh = __shfl_sync(kAll, left[j], src) == kNew;
        Offset b = __shfl_sync(kAll, at[j], src), e = b + __shfl_sync(kAll, left[j], src);
        if (fresh) b = a.in.offsets[vertex(who)], e = a.in.offsets[vertex(who) + 1];
        for (; b < e; b += 128) {
          u32 u[4];
          bool on[4];
#pragma unroll
          for (u32 i = 0; i < 4; i++) {
            on[i] = b + 32 * i + lane() < e;
            u[i] = on[i] ? a.in.targets[b + 32 * i + lane()] : 0;
          }
          u32 parent = kNoVertex;
#pragma unroll
          for (u32 i = 0; i < 4; i++) {
            if (on[i] && has(a.frontier, u[i])) parent = u[i];
          }
          const u32 found = __ballot_sync(kAll, parent != kNoVertex);
          if (found) {
            if (lane() == __ffs(found) - 1) take(who, parent);
            break;
          }
        }
      }
    }
  }
};

// sweep_refill is sweep. It returns, in lane 0 of each warp, how many vertices
// were found.
template <class Offset, class S>
__device__ __forceinline__ u32 sweep_refill(const PullArgs<Offset>& a, S& sink, RefillShared& sh) {
  constexpr u32 W = kWordsAtOnce;
  static_assert(W == 4, "words are loaded 16 bytes at a time");
  const u32 warps = gridDim.x * kWarps, groups = (a.words + W - 1) / W;
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
      Chunk<Offset, S> chunk{a, sink, sh, first, warps, 0, 0};
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

}  // namespace foray

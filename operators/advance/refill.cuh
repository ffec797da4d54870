// This file holds the pull whose lanes don't wait for one another: a warp lists
// the candidates whose first probe missed, and a slot of a lane that is through
// with one takes the next.
#pragma once

#include "operators/advance/pull.cuh"

namespace foray {

// Tuning: how many candidates a lane has in flight, how many steps those that are
// left at the end take by themselves before the warp takes over, and from how many
// candidates in the words of a group on they are probed as they lie.
#ifndef FORAY_SLOTS
#define FORAY_SLOTS 2
#endif
constexpr u32 kSlots = FORAY_SLOTS;
#ifndef FORAY_ALONE
#define FORAY_ALONE 8
#endif
constexpr u32 kAlone = FORAY_ALONE;
#ifndef FORAY_DENSE
#define FORAY_DENSE 64
#endif
constexpr u32 kDense = FORAY_DENSE;

// What is filled up below kLowMissed has room for all candidates of a group beside;
// the list of candidates of other groups is a power of two.
constexpr u32 kGroup = 32 * kWordsAtOnce;
constexpr u32 kLowMissed = 32;
constexpr u32 kMissed = kGroup + kLowMissed;
constexpr u32 kSparse = 2 * kGroup;

// RefillShared is a warp's part of shared memory. A candidate is 12 bits: which
// of the chunk's groups, which of its words, which bit.
template <class Offset>
struct RefillShared {
  static constexpr bool kWide = sizeof(Offset) > 4;
  alignas(16) u32 hits[32 * kWordsAtOnce];
  u32 at[kMissed];  // where the rest of the row begins
  u32 left[kMissed];
  uint16_t above[kWide ? kMissed : 2];  // of at: 48 bits are enough for any memory
  uint16_t id[kMissed];
  uint16_t sparse[kSparse];

  __device__ __forceinline__ void put(u32 i, u32 who, Offset begin, u32 size) {
    at[i] = u32(begin);
    if (kWide) above[i] = uint16_t(u64(begin) >> 32);
    left[i] = size;
    id[i] = uint16_t(who);
  }
  __device__ __forceinline__ Offset begin(u32 i) const { return kWide ? Offset(u64(above[i]) << 32 | at[i]) : Offset(at[i]); }
};

// Chunk is a warp at work on up to 32 groups of words.
template <class Offset, class S>
struct Chunk {
  static constexpr u32 W = kWordsAtOnce;
  static constexpr u32 kFree = 0xffffffff;  // of id: nobody's
  const PullArgs<Offset>& a;
  S& sink;
  RefillShared<Offset>& sh;
  u32 first, warps;             // group k of the chunk is first + k * warps
  u32 head, pending;            // of the list of those that missed
  u32 sparse_head, sparse;      // of the list of candidates
  u32 group;                    // that was fetched; kFree: none
  u32 candidates[W], parents[W];

  __device__ __forceinline__ u32 vertex(u32 id) const {
    return ((first + (id >> 7) * warps) * W + (id >> 5 & (W - 1))) * 32 + (id & 31);
  }

  // list lists the candidates of a group that has few.
  __device__ __forceinline__ void list(u32 group, const u32* candidates) {
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      if (candidates[j] >> lane() & 1) {
        sh.sparse[(sparse_head + sparse + __popc(candidates[j] & lanes_below())) & (kSparse - 1)] = uint16_t(group * kGroup + j * 32 + lane());
      }
      sparse += __popc(candidates[j]);
    }
    __syncwarp();
  }

  // probe probes the best neighbours of W candidates of a lane, and lists the
  // candidates that missed.
  __device__ __forceinline__ void probe(const bool* want, const u32* id, const u32* parent, bool* hit) {
    u32 v[W];
    Offset at[W];
    u32 left[W];
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      v[j] = vertex(id[j]);
      hit[j] = false;
    }
#pragma unroll
    for (u32 j = 0; j < W; j++) hit[j] = want[j] && has(a.frontier, parent[j]);
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      left[j] = 0;
      if (want[j] && !hit[j] && v[j] < a.ones) {
        at[j] = ptx::load_once(a.in.offsets + v[j]);
        left[j] = u32(ptx::load_once(a.in.offsets + v[j] + 1) - at[j]) - 1;
      }
    }
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      if (hit[j]) sink.found(v[j], parent[j]);
      const u32 more = __ballot_sync(kAll, left[j] != 0);
      if (left[j] != 0) {
        u32 to = head + pending + __popc(more & lanes_below());
        if (to >= kMissed) to -= kMissed;
        sh.put(to, id[j], at[j] + 1, left[j]);
      }
      pending += __popc(more);
    }
  }

  // fetch looks for the next group with many candidates and has their best
  // neighbours under way; those of groups with few are listed, as long as there is
  // room.
  __device__ __forceinline__ void fetch(u32& todo, const uint4& c) {
    group = kFree;
    while (todo && sparse < kGroup) {
      const u32 src = __ffs(todo) - 1;
      todo &= todo - 1;
      const u32 next[W] = {__shfl_sync(kAll, c.x, src), __shfl_sync(kAll, c.y, src), __shfl_sync(kAll, c.z, src), __shfl_sync(kAll, c.w, src)};
      if (__popc(next[0]) + __popc(next[1]) + __popc(next[2]) + __popc(next[3]) < kDense) {
        list(src, next);
        continue;
      }
      group = src;
      const u32 v = vertex(src * kGroup) + lane();
#pragma unroll
      for (u32 j = 0; j < W; j++) {
        candidates[j] = next[j];
        parents[j] = next[j] >> lane() & 1 ? ptx::load_once(a.first + v + 32 * j) : 0;
      }
      break;
    }
  }

  // fill probes the candidates that were fetched, and fetches the next ones.
  __device__ __forceinline__ void fill(u32& todo, const uint4& c) {
    bool want[W], hit[W];
    u32 id[W], parent[W];
    const u32 which = group;
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      want[j] = candidates[j] >> lane() & 1;
      id[j] = which * kGroup + j * 32 + lane();
      parent[j] = parents[j];
    }
    fetch(todo, c);
    probe(want, id, parent, hit);
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      const u32 hits = __ballot_sync(kAll, hit[j]);
      if (lane() == 0) sh.hits[which * W + j] = hits;
    }
    __syncwarp();
  }

  // fill_listed probes those that are listed.
  __device__ __forceinline__ void fill_listed() {
    bool want[W], hit[W];
    u32 id[W], parent[W];
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      want[j] = j * 32 + lane() < sparse;
      id[j] = want[j] ? sh.sparse[(sparse_head + j * 32 + lane()) & (kSparse - 1)] : 0;
      parent[j] = want[j] ? ptx::load_once(a.first + vertex(id[j])) : 0;
    }
    __syncwarp();
    const u32 taken = min(sparse, kGroup);
    sparse_head += taken;
    sparse -= taken;
    probe(want, id, parent, hit);
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      if (hit[j]) atomicOr(&sh.hits[id[j] >> 5], 1u << (id[j] & 31));
    }
    __syncwarp();
  }

  // run goes over the groups in todo; lane k holds the candidates of group k.
  __device__ __forceinline__ void run(u32 todo, const uint4& c) {
    Offset at[kSlots];
    u32 left[kSlots], id[kSlots];
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) id[j] = kFree;
    head = pending = sparse_head = sparse = 0;
    fetch(todo, c);
    for (u32 alone = 0;;) {
      while (pending < kLowMissed && (group != kFree || todo || sparse)) {
        if (sparse >= kGroup || (group == kFree && !todo)) {
          fill_listed();
          if (group == kFree) fetch(todo, c);
        } else {
          fill(todo, c);
        }
      }
      bool busy = false;
#pragma unroll
      for (u32 j = 0; j < kSlots; j++) {
        const u32 idle = __ballot_sync(kAll, id[j] == kFree), rank = __popc(idle & lanes_below());
        if (id[j] == kFree && rank < pending) {
          u32 from = head + rank;
          if (from >= kMissed) from -= kMissed;
          at[j] = sh.begin(from);
          left[j] = sh.left[from];
          id[j] = sh.id[from];
        }
        const u32 taken = min(u32(__popc(idle)), pending);
        head += taken;
        if (head >= kMissed) head -= kMissed;
        pending -= taken;
        busy = busy || id[j] != kFree;
      }
      __syncwarp();  // the list is read before it is written again
      if (!__any_sync(kAll, busy)) break;  // and there is nothing to do either
      if (group == kFree && !todo && !sparse && !pending && ++alone > kAlone) {
        finish(at, left, id);
        break;
      }
      step(at, left, id);
    }
  }

  // step takes every slot 16 bytes along its row.
  __device__ __forceinline__ void step(Offset* at, u32* left, u32* id) {
    uint4 q[kSlots];
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) {
      if (id[j] != kFree) q[j] = ptx::load_row((const uint4*)(a.in.targets + (at[j] & ~Offset(3))));
    }
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) {
      if (id[j] == kFree) continue;
      const u32 skip = u32(at[j]) & 3, stop = min(4u, skip + left[j]);
      const u32 t[4] = {q[j].x, q[j].y, q[j].z, q[j].w};
      u32 bits[4];
      bool hit = false;
      u32 parent = 0;
#ifdef FORAY_PAIRS
#pragma unroll
      for (u32 h = 0; h < 4; h += 2) {
        if (!hit) {
#pragma unroll
          for (u32 i = h; i < h + 2; i++) bits[i] = i >= skip && i < stop ? a.frontier[t[i] >> 5] : 0;
#pragma unroll
          for (u32 i = h; i < h + 2; i++) {
            if (!hit && bits[i] >> (t[i] & 31) & 1) {
              hit = true;
              parent = t[i];
            }
          }
        }
      }
#else
#pragma unroll
      for (u32 i = 0; i < 4; i++) bits[i] = i >= skip && i < stop ? a.frontier[t[i] >> 5] : 0;
#pragma unroll
      for (u32 i = 0; i < 4; i++) {
        if (!hit && bits[i] >> (t[i] & 31) & 1) {
          hit = true;
          parent = t[i];
        }
      }
#endif
      at[j] += stop - skip;
      left[j] -= stop - skip;
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
        const Offset e = __shfl_sync(kAll, at[j] + left[j], src);
        for (Offset b = __shfl_sync(kAll, at[j], src); b < e; b += kGroup) {
          u32 u[W];
          bool on[W];
#pragma unroll
          for (u32 i = 0; i < W; i++) {
            on[i] = b + 32 * i + lane() < e;
            u[i] = on[i] ? a.in.targets[b + 32 * i + lane()] : 0;
          }
          u32 parent = kNoVertex;
#pragma unroll
          for (u32 i = 0; i < W; i++) {
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
__device__ __forceinline__ u32 sweep_refill(const PullArgs<Offset>& a, S& sink, RefillShared<Offset>& sh) {
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
      Chunk<Offset, S> chunk{a, sink, sh, first, warps};
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

// This file holds a warp at work on a pull. Lanes don't wait for one another:
// candidates whose best neighbour isn't in the frontier are listed, and a slot of a
// lane that is through with one takes the next, 16 bytes of its row at a time.
#pragma once

#include "frontier/ptx.cuh"
#include "operators/advance/gather.cuh"
#include "operators/filter/cull.cuh"

namespace foray {

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
};

// NoTally counts nothing.
template <class Offset>
struct NoTally {
  __device__ __forceinline__ void probed(u32) {}
  __device__ __forceinline__ void hit(const PullArgs<Offset>&, u32) {}
};

constexpr u32 kWordsAtOnce = 4;  // a group: what is loaded 16 bytes at a time

// Tuning: how many candidates a lane has in flight, how many steps those that are
// left at the end take by themselves before the warp takes over, and from how many
// candidates in the words of a group on they are probed as they lie.
constexpr u32 kSlots = 2;
constexpr u32 kAlone = 8;
constexpr u32 kDense = 64;

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
template <class Offset, class S, class Tally>
struct Chunk {
  static constexpr u32 W = kWordsAtOnce;
  static constexpr u32 kFree = 0xffffffff;  // of id: nobody's
  const PullArgs<Offset>& a;
  S& sink;
  Tally& tally;
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
      if (want[j]) tally.probed(1);
      if (hit[j]) found(v[j], parent[j]);
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
#pragma unroll
      for (u32 i = 0; i < 4; i++) bits[i] = i >= skip && i < stop ? a.frontier[t[i] >> 5] : 0;
#pragma unroll
      for (u32 i = 0; i < 4; i++) {
        if (!hit && bits[i] >> (t[i] & 31) & 1) {
          hit = true;
          parent = t[i];
        }
      }
      tally.probed(stop - skip);
      at[j] += stop - skip;
      left[j] -= stop - skip;
      if (hit) take(id[j], parent);
      if (hit || left[j] == 0) id[j] = kFree;
    }
  }

  __device__ __forceinline__ void found(u32 v, u32 parent) {
    sink.found(v, parent);
    tally.hit(a, v);
  }

  __device__ __forceinline__ void take(u32 id, u32 parent) {
    atomicOr(&sh.hits[id >> 5], 1u << (id & 31));
    found(vertex(id), parent);
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
            if (on[i]) tally.probed(1);
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

}  // namespace foray

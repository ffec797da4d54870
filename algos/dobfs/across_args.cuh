// This file holds the arguments of a search over several GPUs, and what happens at its edges. across.cuh
// has the levels.
#pragma once

#include "algos/dobfs/across_pull.cuh"
#include "algos/dobfs/direction.cuh"
#include "frontier/peers.cuh"

namespace foray {

// AcrossArgs is what a GPU takes. In own, numbers of vertices are those among its own, but
// those of out.offsets, queues and targets of rows are over all; own.engine has no grid.
template <class Offset>
struct AcrossArgs {
  FusedArgs<Offset> own;
  PeersArgs peers;
  u32* seen[2][kMostPeers];         // of each GPU: a bit for each vertex; the first is zero before and after
  u32* inbox[kMostPeers];           // of each GPU, for what this one sends; null for its own
  u32* inbox_parents[kMostPeers];   // null: without parents
  const u32* from[kMostPeers];      // what came from each
  const u32* from_parents[kMostPeers];
  u32* heavy_parents[kMostPeers];   // of each GPU, by all vertices: what its heavy push found; null likewise
  u64 candidates;                   // of all GPUs
  u32 base;                         // the first of this GPU's own vertices
  u32 stride;                       // vertices of a GPU, at most
  u32 words;                        // of each GPU's part of seen[0] that may have a bit
  u32 row;                          // 1: the row of the only source, which isn't long, is the first frontier
  const Offset* offsets[kMostPeers];  // of each GPU's rows
  const u32* targets[kMostPeers];
  const u32* items[2][kMostPeers];      // the queues of each GPU
  const Offset* prefix[2][kMostPeers];
  u32* all_items;                       // this GPU's copy of all queues
  Offset* all_prefix;
  u64 component;                        // vertices that can be reached, if that is known
  u64 alike;                            // a frontier with as many edges at most is pushed by all GPUs alike,
  u32 room;                             // if all_items has room for as many vertices
  u32 grain;                            // groups of words of a chunk of the first pull, at most; 0: chunks aren't dealt
  const shared_out::Next* next;                    // of own vertices before own.ones: the second and third in-neighbors; or null
};

template <class Offset>
struct AcrossShared {
  FusedShared<Offset> own;
  PeersShared peers;
};

// Copied are the extras of a pull that stores its words in several places: all words, or those
// that changed.
template <class Offset>
struct Copied : Extras {
  static constexpr bool kCopies = true;
  static constexpr u32 kRun = 8;  // 128 bytes: less takes the link as long
  u32* to[kMostPeers];  // at the first own vertex
  const u32* before;
  u32 count;
  bool all;
  static constexpr bool kNext = true;
  const shared_out::Next* next;
  RefillShared<Offset>* rows;  // of the warp
  static constexpr bool kDeals = true;
  u32 grain;
  u32* deal;
  __device__ __forceinline__ void copy(u32 at, const uint4& x) const {
    if (!all) {
      const uint4 b = *(const uint4*)(before + at);
      if (x.x == b.x && x.y == b.y && x.z == b.z && x.w == b.w) return;
    }
    for (u32 j = 0; j < count; j++) *(uint4*)(to[j] + at) = x;
  }
};

// Sent is the functor of a light push: claims what is its GPU's own, and sends what isn't.
template <class Offset>
struct Sent {
  const AcrossArgs<Offset>& a;
  u32* seen;   // this GPU's bitmap
  u32* plane;  // of this GPU's own vertices
  u32 turn;    // which of the bitmaps
  u32 depth;

  struct Shared {};
  __device__ __forceinline__ bool fresh(u32 t) const { return !has(seen, t); }

  // found labels an own vertex, and tells the others.
  __device__ __forceinline__ void found(u32 t, u32 parent) const {
    const u32 v = t - a.base, bit = 1u << (v & 31);  // base is a multiple of 32
    atomicOr(plane + (v >> 5), bit);
    atomicOr(a.own.written + (v >> 5), bit);
    label(a.own, v, depth, parent);
    for (u32 j = 0; j < a.peers.count; j++) {
      if (j != a.peers.me) ptx::or_system(a.seen[turn][j] + (t >> 5), bit);
    }
  }

  __device__ __forceinline__ bool visit(Shared&, bool active, u32 source, u32 t, u64) const {
    const u32 bit = 1u << (t & 31);
    const bool got = active && !(atomicOr(seen + (t >> 5), bit) & bit);
    const bool mine = got && t - a.base < a.stride;
    if (mine) found(t, source);
    const bool sends = got && !mine;
    if (__any_sync(kAll, sends)) {
      // A lane for each GPU makes room in the inbox there.
      const u32 owner = sends ? t / a.stride : kMostPeers;
      u32 room = 0, rank = 0, at = 0;
      for (u32 j = 0; j < a.peers.count; j++) {
        const u32 some = __ballot_sync(kAll, owner == j);
        if (lane() == j) room = __popc(some);
        if (owner == j) rank = __popc(some & lanes_below());
      }
      if (room) at = atomicAdd(&a.peers.state[a.peers.me]->sent[lane()], room);
      at = __shfl_sync(kAll, at, owner) + rank;
      if (sends) {
        a.inbox[owner][at] = t;
        if (a.own.parents) a.inbox_parents[owner][at] = source;
      }
    }
    __syncwarp();
    return mine;
  }
};

// Alike is the body of a push that every GPU does for the whole frontier: each marks all found vertices
// in its own bitmap, so that all bitmaps are the same after it, and labels its own vertices.
template <class Offset>
struct Alike {
  const AcrossArgs<Offset>& a;
  u32* seen;
  u32* plane;
  u32 depth;
  Emitter<Offset>& out;

  __device__ __forceinline__ void several(const bool* active, const u32* sources, const Offset* edges, u64) const {
    u32 t[kAtOnce], got[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) t[j] = active[j] ? a.targets[sources[j] / a.stride][edges[j]] : 0;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) got[j] = active[j] && !has(seen, t[j]);
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      const u32 bit = 1u << (t[j] & 31);
      if (got[j]) got[j] = !(atomicOr(seen + (t[j] >> 5), bit) & bit);
    }
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      const u32 v = t[j] - a.base, bit = 1u << (v & 31);
      const bool mine = got[j] && v < a.stride;
      if (mine) {
        atomicOr(plane + (v >> 5), bit);
        atomicOr(a.own.written + (v >> 5), bit);
        label(a.own, v, depth, sources[j]);
      }
      out.put(mine, t[j]);
    }
  }
};

// EachRow are the begins of rows over all GPUs, by the number of the vertex.
template <class Offset>
struct EachRow {
  struct Begins {
    const AcrossArgs<Offset>& a;
    __device__ __forceinline__ Offset operator[](u32 v) const {
      const u32 owner = v / a.stride;
      return a.offsets[owner][v - owner * a.stride];
    }
  } offsets;
};

}  // namespace foray

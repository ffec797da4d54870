// This file holds the arguments of a search over several GPUs, and what happens at its edges. across.cuh has
// the rounds.
#pragma once

#include "frontier/peers.cuh"
#include "operators/advance/within.cuh"
#include "operators/reduce/within.cuh"
#include "traverse/engine.cuh"

namespace foray {

// Board is what a GPU shares among its blocks, and what the others tell it. All of it is zero before the first
// launch; a launch leaves it as the next one needs it.
struct Board {
  u64 words[4];             // of the barrier among its own blocks, used in turn
  Slot slots[4];            // of queues, likewise
  u64 settled[kMostPeers];  // by each GPU: edges out of the vertices that it has pushed
  u32 least[4][kMostPeers]; // by each GPU: the least key of a look, or of a sweep, used in turn
  u32 lowest;               // of this GPU, in the sweep under way; kExhausted before
  u32 round;                // barriers of all launches
  u32 pad[22];
};
static_assert(sizeof(Board) == 832, "the host has the same layout");

// PathsArgs is what a GPU takes. Vertices have numbers over all GPUs, those of a GPU one after the other.
template <class Offset>
struct PathsArgs {
  EngineArgs engine;  // has no grid
  PeersArgs peers;
  Csr<Offset> out;    // of this GPU's own vertices, by rising weight but for whole: offsets begin at number base
  Csr<Offset> in;
  const float* weights;
  const float* in_weights;
  const float* light;        // the lightest edge into each own vertex; this and in are missing for whole
  float* dist[kMostPeers];   // every GPU's copy of all distances
  Board* board[kMostPeers];
  u64* inbox[2][kMostPeers];       // each GPU's, which this one fills, used in turn: a distance and a vertex
  const u64* from[2][kMostPeers];  // this GPU's, which each one fills
  u32* items[2];             // queues of own vertices
  u32* found;                // a queue of vertices of all GPUs
  u32* marks[2];             // bitmaps of vertices of all GPUs, zero before and after
  Window* window;
  u64* notes;                // of own vertices
  LightPart* aside;          // null: no row is long
  u64 edges;                 // of all GPUs
  u32 base, stride;          // own vertices, and how many numbers each GPU has
  u32 count;                 // of own vertices: none from there on is a source or has an in-edge
  u32 sources;
  const u32* source;         // null: only is the one
  float width, most, full, cost;  // as Window has them
  u32 sweeps;                // after so many the rest is pushed
  u32 only;
  u32 whole;                 // not 0: rows are in any order, and pushed whole, stage by stage
  u32 own;                   // vertices
  long long* ints;           // distances of own vertices as integers, -1: not reached; or null
};

template <class Offset>
struct PathsShared {
  PeersShared peers;
  Stage stage;
  LightPending<Offset> pending[kWarps];
  u64 totals[kWarps];
  u32 gone;
};

// Nearer is the functor of a push: it lowers this GPU's copy of a distance, of own vertices and of others.
struct Nearer {
  float* dist;
  const float* weights;
  u32* seen;
  float most;
  __device__ __forceinline__ bool let(u32 source, u32 target, u64 edge) const {
    const float d = *(const volatile float*)&dist[source] + weights[edge];
    if (!(d <= most)) return false;
    // Distances aren't negative: their bits are in the same order.
    if (!(__float_as_uint(d) < atomicMin((u32*)&dist[target], __float_as_uint(d)))) return false;
    const u32 bit = 1u << (target & 31);
    return !(atomicOr(seen + (target >> 5), bit) & bit);
  }
};

// Lowest is the functor of a sweep: it takes over the least distance by an in-edge.
struct Lowest {
  using Total = u32;  // bits of a distance
  using Value = u32;
  static constexpr u32 kGather = kMin, kReduce = kMin;
  float* dist;
  const float* weights;
  u32* changed;
  float most;
  __device__ __forceinline__ u32 gather(const Edge& e) const { return __float_as_uint(*(const volatile float*)&dist[e.source] + weights[e.index]); }
  __device__ __forceinline__ u32 apply(u32 v, u32 total, u32) const {
    const float d = __uint_as_float(total);  // of no edge, no number
    if (!(d <= most) || !(d < *(const volatile float*)&dist[v])) return kExhausted;
    *(volatile float*)&dist[v] = d;
    atomicOr(changed + (v >> 5), 1u << (v & 31));
    return total;
  }
};

}  // namespace foray

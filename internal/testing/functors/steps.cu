// The device side of the functors of steps.go.
#include "traverse/traversal.cuh"

using foray::u32;
using foray::u64;

// mix is a hash; steps.go has the same.
__device__ __forceinline__ u32 mix(u32 x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}
__device__ __forceinline__ u32 mix(u32 a, u32 b) { return mix(mix(a) + b); }

// Some crosses a share of the edges, others in each round.
struct Some : foray::EdgeFunctor {
  u32 salt, share;
  __device__ bool edge(const foray::Edge& e) const { return mix(mix(e.source, e.target), salt + e.level) % 16 < share; }
};

// Reach crosses edges to vertices that weren't reached.
struct Reach : foray::EdgeFunctor {
  u32* round;  // of every vertex in which it was reached; 0: not yet
  __device__ bool edge(const foray::Edge& e) const {
    return *(volatile u32*)(round + e.target) == 0 && atomicCAS(round + e.target, 0u, e.level) == 0;
  }
};

// Tally counts the edges to each vertex.
struct Tally : foray::EdgeFunctor {
  u32* tally;
  u32 salt;
  __device__ void edge(const foray::Edge& e) const { atomicAdd(tally + e.target, mix(e.source, salt + e.level + u32(e.index)) % 8); }
};

// Lower lowers distances; the target is due in the stage that its distance is in.
struct Lower : foray::EdgeFunctor {
  u32* distance;
  u32 width;  // of a stage
  __device__ foray::Due edge(const foray::Edge& e) const {
    const u32 d = *(volatile u32*)(distance + e.source) + mix(e.source, e.target) % 64;
    if (d >= *(volatile u32*)(distance + e.target) || d >= atomicMin(distance + e.target, d)) return {foray::kNever};
    return {d / width};
  }
};

// Count counts the edges to each vertex, and crosses a share of them.
struct Count : foray::EdgeFunctor {
  u32* tally;
  u32 salt, share;
  __device__ bool edge(const foray::Edge& e) const {
    atomicAdd(tally + e.target, mix(e.source, salt + e.level + u32(e.index)) % 8);
    return mix(mix(e.source, e.target), salt + e.level) % 16 < share;
  }
};

// Stay keeps a share of the vertices, others in each round.
struct Stay : foray::VertexFunctor<> {
  u32 salt, share;
  __device__ u32 vertex(u32 v, u32 level) const { return mix(v, salt + level) % 16 < share; }
};

// Add changes the tally of vertices; they reduce to their sum.
struct Add : foray::VertexFunctor<u64, foray::kSum> {
  u32* tally;
  u32 salt;
  __device__ u64 vertex(u32 v, u32 level) const {
    atomicAdd(tally + v, mix(v, salt + level) % 8);
    return v;
  }
};

// When says when a vertex is due.
struct When : foray::VertexFunctor<> {
  const u32* distance;
  u32 width;
  __device__ u32 vertex(u32 v, u32) const { return distance[v] / width; }
};

// Gather adds up the tallies of neighbors; vertices reduce to the largest.
struct Gather : foray::GatherFunctor<u32, foray::kSum, u64, foray::kMax> {
  const u32* tally;
  u32* totals;
  __device__ u32 gather(const foray::Edge& e) const { return tally[e.source] ^ tally[e.target]; }
  __device__ u64 apply(u32 v, u32 total, u32) const {
    totals[v] = total;
    return total;
  }
};

#define STEPS foray::EdgeFunctors<Some, Reach, Tally, Lower, Count>, foray::VertexFunctors<Stay, Add, When>, foray::GatherFunctors<Gather>

// Offsets of 64 bits are tested on the emulated GPU only: the image is half as large without.
FORAY_TRAVERSAL_WIDTH(steps, o32, foray::u32, STEPS)
FORAY_TRAVERSAL_BITS_WIDTH(steps, o32, foray::u32, STEPS)
#ifdef FORAY_EMULATED
FORAY_TRAVERSAL_WIDTH(steps, o64, foray::u64, STEPS)
FORAY_TRAVERSAL_BITS_WIDTH(steps, o64, foray::u64, STEPS)
#endif

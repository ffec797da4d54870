// This file checks the depths of a search over several GPUs, on the GPUs, since no single one has the graph:
// each GPU reads the rows of its vertices, and the depths of all. The rules are from Graph500: an edge leads
// down by one level at most, and never from a reached vertex to an unreached one; every reached vertex, except
// the sources, has an in-neighbor one level above.
#pragma once

#include "frontier/bitmap.cuh"

namespace foray {

// Counters of the slot. Numbers are of vertices over all GPUs, plus one; 0: no vertex.
constexpr u32 kJudgeReached = 0;   // vertices
constexpr u32 kJudgeEdges = 1;     // out of these
constexpr u32 kJudgeSteep = 2;     // edges that lead down by more than a level, or from a reached to an unreached vertex
constexpr u32 kJudgeOrphans = 3;   // vertices, sources excepted, without an in-neighbor one level above
constexpr u32 kJudgeSources = 4;   // vertices of depth 0
constexpr u32 kJudgeOutside = 5;   // targets that are no vertices
constexpr u32 kJudgeSteepAt = 6;   // a vertex that such an edge leads from: the one of the largest number
constexpr u32 kJudgeOrphanAt = 7;  // such a vertex: likewise

template <class Offset>
struct JudgeArgs {
  const Offset* offsets;     // of the vertices of this GPU
  const u32* targets;        // numbers over all GPUs
  const Offset* in_offsets;
  const u32* in_targets;
  const int* depths;         // by number over all GPUs; what is no vertex has -2
  Post post;
  u32 vertices;              // of this GPU
  u32 base;                  // the first one's number
  u32 numbers;               // there are
  u32 limit;                 // the depth that the search ended at, whose vertices' edges don't count; or all bits
};

// judge has a warp look at a row at a time.
template <class Offset>
__device__ __forceinline__ void judge(const JudgeArgs<Offset>& a) {
  u64 reached = 0, edges = 0, steep = 0, orphans = 0, sources = 0, outside = 0, steep_at = 0, orphan_at = 0;
#pragma unroll 1
  for (u32 v = blockIdx.x * kWarps + warp(); v < a.vertices; v += gridDim.x * kWarps) {
    const int depth = a.depths[a.base + v];
    if (depth < 0) continue;
    const u64 begin = a.offsets[v], end = a.offsets[v + 1];
    if (lane() == 0) {
      reached++;
      edges += end - begin;
      sources += depth == 0;
    }
#pragma unroll 1
    for (u64 e = begin + lane(); e < end; e += 32) {
      const u32 t = a.targets[e];
      const int d = t < a.numbers ? a.depths[t] : -2;
      outside += d == -2;
      if (d > depth + 1 || (d < 0 && u32(depth) != a.limit)) {
        steep++;
        steep_at = max(steep_at, u64(a.base) + v + 1);
      }
    }
    if (depth == 0) continue;
    const u64 in_begin = a.in_offsets[v], in_end = a.in_offsets[v + 1];
    bool found = false;
#pragma unroll 1
    for (u64 e = in_begin; e < in_end && !found; e += 32) {
      const u32 s = e + lane() < in_end ? a.in_targets[e + lane()] : ~0u;
      found = __any_sync(kAll, s < a.numbers && a.depths[s] == depth - 1);
    }
    if (!found && lane() == 0) {
      orphans++;
      orphan_at = max(orphan_at, u64(a.base) + v + 1);
    }
  }
  u64* counts = a.post.slot->counts;
  if (reached) atomicAdd(counts + kJudgeReached, reached);
  if (edges) atomicAdd(counts + kJudgeEdges, edges);
  if (steep) atomicAdd(counts + kJudgeSteep, steep);
  if (orphans) atomicAdd(counts + kJudgeOrphans, orphans);
  if (sources) atomicAdd(counts + kJudgeSources, sources);
  if (outside) atomicAdd(counts + kJudgeOutside, outside);
  if (steep_at) atomicMax(counts + kJudgeSteepAt, steep_at);
  if (orphan_at) atomicMax(counts + kJudgeOrphanAt, orphan_at);
}

}  // namespace foray

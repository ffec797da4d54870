// This file holds the rows that a GPU counts triangles in: those of an undirected graph, up to the
// vertex itself. Where vertices are in order of degree they lead to higher degrees, so that none
// is long. And it holds the bit matrix of the first vertices.
#pragma once

#include "operators/intersect/choose.cuh"

namespace foray {

// kRowPart is how many entries of a long row a block works on at a time. A longer row is
// several tasks.
constexpr u32 kRowPart = 512;

// kShortRow is more than the entries of a row that a warp can work on.
constexpr u32 kShortRow = 64;

// Mode is what kernels count: triangles in all, or at every vertex as well, each once or as often
// as the opposite edge counts.
enum Mode { kInAll, kAt, kTwice };

// Counters of the slot, besides kTaken and kChunks.
constexpr u32 kLongTasks = 6;  // of long rows

// Bounds are where the row of a vertex begins and ends, with the smaller ids alone.
template <class Offset>
struct __align__(2 * sizeof(Offset)) Bounds {
  Offset begin, end;
};

// TriangleArgs is what all kernels take.
template <class Offset>
struct TriangleArgs {
  Csr<Offset> g;
  Bounds<Offset>* bounds;
  u64* tasks;  // of long rows: vertex and part
  u32* bits;   // rows of the matrix
  u32* twins;  // the same of the edges that count twice
  const u64* twice;  // a bit of every edge that counts twice, or null
  const u32* order;  // the vertex of every row; null where they are the same
  u64* wide;   // triangles of every vertex, or
  u32* narrow; // the same in 32 bits, or neither
  u64 count;   // of tasks
  u32 hubs;    // vertices that have a row in the matrix
  u32 least;   // entries of a long row
  Post post;

  __device__ __forceinline__ u32 is_twice(u64 edge) const { return u32(twice[edge >> 6] >> (edge & 63)) & 1; }

  // add adds to the count of the vertex of row r.
  __device__ __forceinline__ void add(u32 r, u64 k) const {
    const u32 v = order ? order[r] : r;
    if (wide) {
      atomicAdd(wide + v, k);
    } else {
      atomicAdd(narrow + v, u32(k));
    }
  }
};

// bits_of is the word at which the matrix' row of v begins. A row has whole sectors of 32 bytes,
// up to that of v itself.
__device__ __forceinline__ u32 bits_of(u32 v) {
  const u32 sector = v >> 8;
  return 8 * (sector + 1) * (128 * sector + (v & 255));
}

// list_parts lists the parts of v's row of so many entries, if it is a long one.
template <class Offset>
__device__ __forceinline__ void list_parts(const TriangleArgs<Offset>& a, u32 v, u64 size) {
  if (size < a.least) return;
  const u64 parts = (size + kRowPart - 1) / kRowPart, at = atomicAdd(&a.post.slot->counts[kLongTasks], parts);
  for (u64 p = 0; p < parts; p++) a.tasks[at + p] = u64(v) << 32 | p;
}

// orient finds the bounds of all rows, lists the long ones, and adds up their edges and how many
// entries there are in the rows that edges lead to.
template <class Offset>
__device__ __forceinline__ void orient(const TriangleArgs<Offset>& a, u64* totals) {
  u64 edges = 0, entries = 0;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.g.n; i += u64(gridDim.x) * kBlock) {
    const u32 v = u32(i);
    const Span<Offset> row{a.g.offsets[v], a.g.offsets[v + 1]};
    const Offset end = lower_bound(a.g.targets, row, v);
    a.bounds[v] = Bounds<Offset>{row.begin, end};
    const u64 size = end - row.begin;
    edges += size;
    entries += size * u64(row.end - end);
    list_parts(a, v, size);
  }
  add_up(edges, totals, &a.post.slot->tail);
  add_up(entries, totals, &a.post.slot->visited);
  report(a.post);
}

// fill_bits fills the matrix of all edges, or of those that count twice, which is zero: a warp a
// row.
template <class Offset>
__device__ __forceinline__ void fill_bits(const TriangleArgs<Offset>& a) {
  for (u64 v = u64(blockIdx.x) * kWarps + warp(); v < a.hubs; v += u64(gridDim.x) * kWarps) {
    const Bounds<Offset> b = a.bounds[v];
    u32* row = (a.twice ? a.twins : a.bits) + bits_of(u32(v));
    for (Offset e = b.begin + lane(); e < b.end; e += 32) {
      const u32 w = a.g.targets[e];
      if (!a.twice || a.is_twice(e)) atomicOr(row + (w >> 5), 1u << (w & 31));
    }
  }
}

}  // namespace foray

// This file holds which pairs of rows there are, and how each is intersected.
#pragma once

#include "frontier/bitmap.cuh"
#include "operators/advance/gather.cuh"

namespace foray {

// How rows are intersected. The host has the same numbers.
constexpr u32 kByLengths = 0;
constexpr u32 kByMerge = 1;
constexpr u32 kBySearch = 2;
constexpr u32 kByTable = 3;

// Options of the host, as bits.
constexpr u32 kAscending = 1;
constexpr u32 kTriangles = 2;

// The counters of the slot that the operator uses.
constexpr u32 kChunks = 7;  // of edges, claimed
constexpr u32 kTasks = 6;   // tables to be made
constexpr u32 kTaken = 5;   // of those, claimed

// Tuning. A table holds 2,048 entries of a row in 4,096 places of shared memory,
// 16 KiB. Rows of kTableRow entries on are worth one: with fewer a warp's search
// takes four steps at most anyway. A thread merges rows of up to kMergeSum
// entries together, about what its 31 neighbors wait for without loss.
constexpr u32 kPart = 2048;
constexpr u32 kTableRow = 128;
constexpr u32 kMergeSum = 48;

// IntersectArgs is what all kernels take. Edges are numbered in the order of
// their sources: those of source i begin with prefix[i].
template <class Offset>
struct IntersectArgs {
  Csr<Offset> g;
  const u32* list;       // the sources, or null for all vertices
  const Offset* prefix;  // of the sources
  const u32* bits;       // a bitmap of the sources that count, if used
  u64* tasks;            // tables to be made: source and part
  u64 edges;
  u32 count;  // of sources
  u32 options;
  u32 strategy;
  u32 pad;
  Post post;

  __device__ __forceinline__ u32 source(u64 i) const { return list ? list[i] : u32(i); }
  __device__ __forceinline__ bool counts(u32 u) const { return !bits || has(bits, u); }
};
static_assert(sizeof(IntersectArgs<u32>) == 104, "the host has the same layout");

// Span is a part of a row.
template <class Offset>
struct Span {
  Offset begin, end;
  __device__ __forceinline__ u64 size() const { return end - begin; }
};

// lower_bound returns the first place of a span whose entry is v or more.
template <class Offset>
__device__ __forceinline__ Offset lower_bound(const u32* targets, Span<Offset> s, u32 v) {
  while (s.begin < s.end) {
    const Offset m = s.begin + (s.end - s.begin) / 2;
    if (targets[m] < v) {
      s.begin = m + 1;
    } else {
      s.end = m;
    }
  }
  return s.begin;
}

// span_of is the part of v's row that counts for edges out of u.
template <class Offset>
__device__ __forceinline__ Span<Offset> span_of(const IntersectArgs<Offset>& a, u32 v, u32 u) {
  Span<Offset> s{a.g.offsets[v], a.g.offsets[v + 1]};
  if (a.options & kTriangles) s.end = lower_bound(a.g.targets, s, u);
  return s;
}

__device__ __forceinline__ u32 log2_up(u64 x) {
  const u32 hi = u32(x >> 32);
  return hi ? 64 - __clz(int(hi)) : 32 - __clz(int(u32(x)));
}

// choose returns how rows of these lengths are intersected; the first length
// is the row of the edge's source. All threads that call it for an edge get the same
// result.
__device__ __forceinline__ u32 choose(u32 strategy, u64 a, u64 b) {
  if (a == 0 || b == 0) return kByMerge;
  if (strategy != kByLengths) return strategy;
  if (a + b <= kMergeSum) return kByMerge;
  if (a < kTableRow) return kBySearch;
  // In steps of a warp: 32 entries looked up at once, each by a chain of loads,
  // or, for each part, a search for where it begins and 32 entries at a time.
  const u64 small = min(a, b), large = max(a, b), parts = (a + kPart - 1) / kPart;
  const u64 search = (small + 31) / 32 * log2_up(large), table = parts * log2_up(b) + (b + 31) / 32 * 2;
  return table < search ? kByTable : kBySearch;
}

// last_before returns the last of count entries that is s or less, which the
// first one is, between places lo and hi.
template <class Offset>
__device__ __forceinline__ u32 last_before(const Offset* prefix, u32 lo, u32 hi, u64 s) {
  while (lo + 1 < hi) {
    const u32 m = lo + (hi - lo) / 2;
    if (u64(prefix[m]) <= s) {
      lo = m;
    } else {
      hi = m;
    }
  }
  return lo;
}

}  // namespace foray

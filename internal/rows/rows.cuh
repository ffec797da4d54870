// This file holds how rows are made of edges: entries are counted, put into rows, sorted, and what is
// there twice goes (settle). Once the host has numbered the vertices, rows move to their places, with
// their targets renamed, and are sorted again (move).
#pragma once

#include "internal/rows/sort.cuh"

namespace foray {

// Rows of up to kWarpRow entries are sorted by a warp in registers, of up to kBlockRow by a block in
// shared memory, longer ones digit by digit.
constexpr u32 kWarpRow = 256;
constexpr u32 kBlockRow = 8192;

// What RowsArgs::flags says.
constexpr u32 kDirected = 1;        // an edge is an entry of its source's row alone
constexpr u32 kKeepSelfLoops = 2;
constexpr u32 kKeepDuplicates = 4;
constexpr u32 kAsTheyAre = 8;       // of move: rows stay in the order in which they are

// Counters of the slot, which each kernel has to itself.
constexpr u32 kSelfLoops = 0;  // that were dropped
constexpr u32 kBlockRows = 1;  // how many there are
constexpr u32 kDigitRows = 2;
constexpr u32 kRowTicket = 3;  // of the list at work

// RowsArgs is what all kernels take. Numbers are those of vertices before the host has numbered them.
struct RowsArgs {
  const u64* pairs;    // source << 32 | target, less base
  u64 count;           // of them
  u32* ends;           // of each number: entries of its row that aren't placed yet
  u32* seen;           // a bit for each number that an edge has; or null
  const u64* starts;   // where rows begin, and the last one ends
  u32* entries;        // of the rows
  u32* lengths;        // of the rows, once they are settled
  u32* spare;          // of settle: as many entries
  const u32* place;    // of move: the vertex of a number; null: the number itself
  const u64* offsets;  // where the rows of vertices begin
  u32* targets;        // which they have
  u32* lists[2];       // numbers whose rows a block sorts, in shared memory or digit by digit
  const u64* back;     // of reverse: where the rows of the reverse begin
  u32* sources;        // which they have; null: their entries are counted
  Post post;
  u32 space;           // numbers
  u32 base;
  u32 flags;
  u32 bits;            // of the largest target
  u32 listed;          // rows in the list at work
  u32 pad;
};

struct Pair {
  u32 source, target;
  bool kept, both;  // it has an entry; and one in the row of its target, too
};

__device__ __forceinline__ Pair pair_of(const RowsArgs& a, u64 i) {
  const u64 x = a.pairs[i];
  Pair p{u32(x >> 32) - a.base, u32(x) - a.base, true, !(a.flags & kDirected)};
  if (p.source == p.target) {
    p.kept = a.flags & kKeepSelfLoops;
    p.both = false;
  }
  return p;
}

__device__ __forceinline__ void see(u32* seen, u32 v) {
  const u32 bit = 1u << (v & 31);
  if (!(*(const volatile u32*)(seen + (v >> 5)) & bit)) atomicOr(seen + (v >> 5), bit);  // most often it is there
}

// rows_count counts the entries of each row.
__device__ __forceinline__ void rows_count(const RowsArgs& a) {
  u32 loops = 0;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const Pair p = pair_of(a, i);
    if (a.seen) {
      see(a.seen, p.source);
      see(a.seen, p.target);
    }
    if (p.kept) atomicAdd(a.ends + p.source, 1u);
    if (p.kept && p.both) atomicAdd(a.ends + p.target, 1u);
    loops += !p.kept;
  }
  if (loops) atomicAdd(&a.post.slot->counts[kSelfLoops], u64(loops));
}

// rows_scatter puts the entries into their rows, from their ends, and leaves ends zero.
__device__ __forceinline__ void rows_scatter(const RowsArgs& a) {
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const Pair p = pair_of(a, i);
    if (p.kept) a.entries[a.starts[p.source] + atomicAdd(a.ends + p.source, ~0u) - 1] = p.target;
    if (p.kept && p.both) a.entries[a.starts[p.target] + atomicAdd(a.ends + p.target, ~0u) - 1] = p.source;
  }
}

struct Row {
  u32* from;
  u32* to;
  u32 count;
};

template <bool kMove>
__device__ __forceinline__ u32 length_of(const RowsArgs& a, u64 i) {
  return kMove ? a.lengths[i] : u32(a.starts[i + 1] - a.starts[i]);
}

template <bool kMove>
__device__ __forceinline__ Row row_of(const RowsArgs& a, u64 i) {
  u32* from = a.entries + a.starts[i];
  const u32 count = length_of<kMove>(a, i);
  if (!kMove || count == 0) return Row{from, from, count}; // a number that no vertex has has no place
  return Row{from, a.targets + a.offsets[a.place ? a.place[i] : u32(i)], count};
}

// rows_lists lists the rows that a warp doesn't sort.
template <bool kMove>
__device__ __forceinline__ void rows_lists(const RowsArgs& a) {
  for (u64 base = (u64(blockIdx.x) * kWarps + warp()) * 32; base < a.space; base += u64(gridDim.x) * kWarps * 32) {
    const u64 i = base + lane();
    const u32 d = i < a.space ? length_of<kMove>(a, i) : 0;
#pragma unroll
    for (u32 list = 0; list < 2; list++) {
      const bool in = list ? d > kBlockRow : d > kWarpRow && d <= kBlockRow;
      const u32 mask = __ballot_sync(kAll, in);
      if (mask == 0) continue;
      u64 to = 0;
      if (lane() == 0) to = atomicAdd(&a.post.slot->counts[kBlockRows + list], u64(__popc(mask)));
      to = __shfl_sync(kAll, to, 0);
      if (in) a.lists[list][to + __popc(mask & lanes_below())] = u32(i);
    }
  }
}

// load_entries gives a warp the entries of a row from first on; past its end there is kNoVertex.
template <bool kMove, u32 E>
__device__ __forceinline__ void load_entries(const RowsArgs& a, const Row& r, u32 first, u32 (&x)[E]) {
#pragma unroll
  for (u32 e = 0; e < E; e++) {
    const u32 j = first + e * 32 + lane();
    x[e] = j < r.count ? r.from[j] : kNoVertex;
  }
  if constexpr (kMove) {
    if (!a.place) return;
#pragma unroll
    for (u32 e = 0; e < E; e++) {
      if (x[e] != kNoVertex) x[e] = a.place[x[e]];
    }
  }
}

// sort_row sorts a row of up to 32 * E entries, and returns how many it has then.
template <bool kMove, u32 E>
__device__ __forceinline__ u32 sort_row(const RowsArgs& a, const Row& r) {
  u32 x[E];
  load_entries<kMove, E>(a, r, 0, x);
  if (!kMove || !(a.flags & kAsTheyAre)) sort_runs<E>(x, true);
  u32 kept = 0;
#pragma unroll
  for (u32 e = 0; e < E; e++) {
    u32 before = __shfl_up_sync(kAll, x[e], 1);
    if (e > 0) {
      const u32 last = __shfl_sync(kAll, x[e > 0 ? e - 1 : 0], 31);
      if (lane() == 0) before = last;
    }
    const u32 j = e * 32 + lane();
    const bool keep = j < r.count && (kMove || j == 0 || x[e] != before || (a.flags & kKeepDuplicates));
    const u32 mask = __ballot_sync(kAll, keep);
    if (keep) r.to[kept + __popc(mask & lanes_below())] = x[e];
    kept += __popc(mask);
  }
  return kept;
}

// rows_warp sorts the short rows, each by a warp.
template <bool kMove>
__device__ __forceinline__ void rows_warp(const RowsArgs& a) {
  for (u64 base = (u64(blockIdx.x) * kWarps + warp()) * 32; base < a.space; base += u64(gridDim.x) * kWarps * 32) {
    const u32 d = base + lane() < a.space ? length_of<kMove>(a, base + lane()) : 0;
    u32 rows = __ballot_sync(kAll, d != 0 && d <= kWarpRow);
    u32 mine = 0;  // the length of the lane's own row
    while (rows) {
      const u32 src = __ffs(rows) - 1;
      rows &= rows - 1;
      const Row r = row_of<kMove>(a, base + src);
      u32 kept;
      if (r.count <= 32) {
        kept = sort_row<kMove, 1>(a, r);
      } else if (r.count <= 64) {
        kept = sort_row<kMove, 2>(a, r);
      } else if (r.count <= 128) {
        kept = sort_row<kMove, 4>(a, r);
      } else {
        kept = sort_row<kMove, 8>(a, r);
      }
      if (lane() == src) mine = kept;
    }
    if (!kMove && base + lane() < a.space && d <= kWarpRow) a.lengths[base + lane()] = mine;
  }
}

// next_row hands out the rows of a list. All threads of the block call it.
__device__ __forceinline__ u64 next_row(const RowsArgs& a, u64* shared) {
  __syncthreads();
  if (threadIdx.x == 0) *shared = atomicAdd(&a.post.slot->counts[kRowTicket], u64(1));
  __syncthreads();
  return *shared;
}

// keep_once writes a sorted row without what is there twice, and returns how long it is. A block does
// it, and may do it in place.
constexpr u32 kKeepStep = 8;
__device__ __forceinline__ u32 keep_once(const u32* from, u32* to, u32 count, bool twice, u32* totals) {
  u32 before = 0;
  for (u64 base = 0; base < count; base += kBlock * kKeepStep) {
    const u64 j = base + threadIdx.x * kKeepStep;
    u32 x[kKeepStep];
    bool keep[kKeepStep];
    u32 last = j > 0 && j < count ? from[j - 1] : 0, kept = 0;
#pragma unroll
    for (u32 s = 0; s < kKeepStep; s++) x[s] = j + s < count ? from[j + s] : 0;
#pragma unroll
    for (u32 s = 0; s < kKeepStep; s++) {
      keep[s] = j + s < count && (twice || j + s == 0 || x[s] != last);
      last = x[s];
      kept += keep[s];
    }
    u32 total;
    u32 at = before + block_exclusive(kept, totals, total);
#pragma unroll
    for (u32 s = 0; s < kKeepStep; s++) {
      if (keep[s]) to[at++] = x[s];
    }
    before += total;
    __syncthreads();
  }
  return before;
}

// rows_block sorts the rows of the first list, each by a block.
template <bool kMove>
__device__ __forceinline__ void rows_block(const RowsArgs& a, u32* row, u32* totals, u64* shared) {
  for (u64 k = next_row(a, shared); k < a.listed; k = next_row(a, shared)) {
    const u32 i = a.lists[0][k];
    const Row r = row_of<kMove>(a, i);
    u32 size = 2 * kWarpRow;
    while (size < r.count) size *= 2;
    if (kMove && (a.flags & kAsTheyAre)) {
      for (u32 j = threadIdx.x; j < r.count; j += kBlock) r.to[j] = r.from[j];
      continue;
    }
    sort_block<kWarpRow / 32>(row, size, [&](u32 first, u32(&x)[kWarpRow / 32]) { load_entries<kMove, kWarpRow / 32>(a, r, first, x); });
    const u32 kept = keep_once(row, r.to, r.count, kMove || (a.flags & kKeepDuplicates), totals);
    if (!kMove && threadIdx.x == 0) a.lengths[i] = kept;
  }
}

// rows_digits sorts the rows of the second list, each by a block, digit by digit.
template <bool kMove>
__device__ __forceinline__ void rows_digits(const RowsArgs& a, DigitShared& sh, u64* shared) {
  for (u64 k = next_row(a, shared); k < a.listed; k = next_row(a, shared)) {
    const u32 i = a.lists[1][k];
    const Row r = row_of<kMove>(a, i);
    u32* from = r.from;
    if (!kMove || !(a.flags & kAsTheyAre)) {
      u32* to = kMove ? r.to : a.spare + a.starts[i];
      if (kMove && a.place) {
        for (u32 j = threadIdx.x; j < r.count; j += kBlock) from[j] = a.place[from[j]];
        __syncthreads();
      }
      for (u32 bit = 0; bit < a.bits; bit += kDigitBits) {
        sort_digit(from, to, r.count, bit, sh);
        u32* t = from;
        from = to;
        to = t;
      }
    }
    if (kMove && from == r.to) continue;
    const u32 kept = keep_once(from, r.to, r.count, kMove || (a.flags & kKeepDuplicates), sh.totals);
    if (!kMove && threadIdx.x == 0) a.lengths[i] = kept;
  }
}

// turn counts an entry of the reverse, or puts it there.
__device__ __forceinline__ void turn(const RowsArgs& a, u32 source, u32 target) {
  if (!a.sources) {
    atomicAdd(a.ends + target, 1u);
  } else {
    a.sources[a.back[target] + atomicAdd(a.ends + target, ~0u) - 1] = source;
  }
}

// rows_reverse counts, or makes, the rows of the reverse, of settled rows. listed is the length of the
// second list.
__device__ __forceinline__ void rows_reverse(const RowsArgs& a) {
  for (u64 i = u64(blockIdx.x) * kWarps + warp(); i < a.space; i += u64(gridDim.x) * kWarps) {
    if (a.starts[i + 1] - a.starts[i] > kBlockRow) continue;
    const Row r = row_of<false>(a, i);
    for (u32 j = lane(); j < a.lengths[i]; j += 32) turn(a, u32(i), r.from[j]);
  }
  for (u32 k = 0; k < a.listed; k++) {
    const u32 i = a.lists[1][k];
    const Row r = row_of<false>(a, i);
    for (u64 j = u64(blockIdx.x) * kBlock + threadIdx.x; j < a.lengths[i]; j += u64(gridDim.x) * kBlock) turn(a, i, r.from[j]);
  }
}

// rows_lengths writes how long the rows of the vertices are to ends.
__device__ __forceinline__ void rows_lengths(const RowsArgs& a) {
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.space; i += u64(gridDim.x) * kBlock) {
    if (const u32 d = a.lengths[i]) a.ends[a.place ? a.place[i] : u32(i)] = d;
  }
}

}  // namespace foray

// This file holds the layout of rows for reduces over all vertices whose values depend on the
// neighbor alone, and how it is made. A slab is up to kSlab vertices in a row, as neighbors: their
// values fit into shared memory. The edges to a slab lie together, row after row, in 16 bits each: which of
// the slab's vertices it is, and whether the run ends there. A run is what a row has of a slab, cut
// where a piece of kPiece edges ends. One pass over the edges reduces each run to a value, another
// over the runs of each row those to its total. (Zhang et al., "Making Caches Work for Graph
// Analytics", 2017, cut graphs so for caches.) The second pass goes by bins: rows that follow one
// another, whose runs' values fit into shared memory. In each slab these values lie side by side.
#pragma once

#include "operators/functor.cuh"

namespace foray {

constexpr u32 kSlab = 1u << 15;
constexpr u32 kRunEnd = 1u << 15;  // in an edge's 16 bits, next to the vertex
constexpr u32 kPiece = 256;
constexpr u32 kSlabTile = 4096;  // edges that a warp puts in their places, one after the other
constexpr u32 kSlabsMost = 1024;
constexpr u32 kBinTable = 11008;  // values that a bin's table has room for: five blocks a multiprocessor

using u16 = unsigned short;

// SlabArgs is what the layout is made of and in. Edges are numbered as in the rows, places as in the
// layout.
template <class Offset>
struct SlabArgs {
  Csr<Offset> g;
  u32* last;    // bitmap of edges: the last of their rows
  u32* counts;  // of edges, by slab and tile; then how many of the slab are in earlier tiles
  u32* bases;   // of slabs: the first place
  u32* ends;    // bitmap of edges: the last of their runs
  u32* before;  // runs before each word of that
  u32* tiles;   // runs of each tile; then how many are before
  u16* places;
  u32* bits;    // bitmap of places: the last of their runs
  u32* pieces;  // runs of each piece; then how many are before
  u32* runs;    // of rows, one row after the other: where a run's value is
  u32* rows;    // where a vertex's begin
  u32* scan;    // what is summed up: so many rows of so many
  u32* sums;    // of each row of those
  u32 length;
  u32 edges;
  u32 tile_count;
  u32 slab_count;
  u32 count;  // of pieces
  u32 scan_rows;
  u32 slab_bits;  // a slab has 1 << slab_bits vertices
  u32 bin_count;
  u32* bins;      // the first row of each bin, and the end
  u32* starts;    // of each bin, and the end: its first value in each slab
  u16* tables;    // of each bin: where its table has the values of each slab
  u16* local;     // of each run, one row after the other: where its bin's table has its value
  u32 most;       // values that a bin's table holds
  u32 pad;
};

// slab_last marks the last edges of rows.
template <class Offset>
__device__ __forceinline__ void slab_last(const SlabArgs<Offset>& a) {
  for (u32 v = blockIdx.x * kBlock + threadIdx.x; v < a.g.n; v += gridDim.x * kBlock) {
    const u32 end = u32(a.g.offsets[v + 1]);
    if (u32(a.g.offsets[v]) < end) atomicOr(&a.last[(end - 1) >> 5], 1u << ((end - 1) & 31));
  }
}

// slab_count counts the edges to each slab, tile by tile.
template <class Offset>
__device__ __forceinline__ void slab_count(const SlabArgs<Offset>& a) {
  __shared__ u32 counts[kWarps][kSlabsMost];
  u32* const mine = counts[warp()];
  for (u32 t = blockIdx.x * kWarps + warp(); t < a.tile_count; t += gridDim.x * kWarps) {
    for (u32 s = lane(); s < a.slab_count; s += 32) mine[s] = 0;
    __syncwarp();
    const u32 end = min(a.edges, (t + 1) * kSlabTile);
    for (u32 e = t * kSlabTile + lane(); e < end; e += 32) atomicAdd(&mine[a.g.targets[e] >> a.slab_bits], 1u);
    __syncwarp();
    for (u32 s = lane(); s < a.slab_count; s += 32) a.counts[u64(s) * a.tile_count + t] = mine[s];
    __syncwarp();
  }
}

// slab_scan makes of each number the sum of those before it in its row, a block a row.
template <class Offset>
__device__ __forceinline__ void slab_scan(const SlabArgs<Offset>& a) {
  __shared__ u32 totals[kWarps];
  for (u32 r = blockIdx.x; r < a.scan_rows; r += gridDim.x) {
    u32* const row = a.scan + u64(r) * a.length;
    u32 before = 0;
    for (u32 first = 0; first < a.length; first += kBlock) {
      const u32 i = first + threadIdx.x;
      const u32 x = i < a.length ? row[i] : 0;
      u32 sum = x;
#pragma unroll
      for (u32 d = 1; d < 32; d *= 2) {
        const u32 y = __shfl_up_sync(kAll, sum, d);
        if (lane() >= d) sum += y;
      }
      if (lane() == 31) totals[warp()] = sum;
      __syncthreads();
      u32 all = 0;
      for (u32 w = 0; w < kWarps; w++) {
        if (w < warp()) sum += totals[w];
        all += totals[w];
      }
      if (i < a.length) row[i] = before + sum - x;
      before += all;
      __syncthreads();
    }
    if (threadIdx.x == 0) a.sums[r] = before;
  }
}

// walk_tile calls do(e, place, end) for a tile's edges, 32 at a time by all lanes: have says
// whether a lane has one. next has a slab's next place, and is the warp's.
template <class Offset, class Do>
__device__ __forceinline__ void walk_tile(const SlabArgs<Offset>& a, u32 t, u32* next, Do&& at) {
  for (u32 s = lane(); s < a.slab_count; s += 32) next[s] = a.bases[s] + a.counts[u64(s) * a.tile_count + t];
  __syncwarp();
  const u32 end = min(a.edges, (t + 1) * kSlabTile);
  for (u32 first = t * kSlabTile; first < end; first += 32) {
    const u32 e = first + lane();
    const bool have = e < end;
    const u32 u = have ? a.g.targets[e] : 0;
    const u32 slab = u >> a.slab_bits;
    const u32 same = __match_any_sync(kAll, have ? slab : kNoVertex);
    const u32 leader = __ffs(same) - 1;
    u32 place = 0;
    if (have && lane() == leader) {
      place = next[slab];
      next[slab] = place + __popc(same);
    }
    place = __shfl_sync(kAll, place, leader) + __popc(same & ((1u << lane()) - 1));
    const bool run_ends = have && ((a.last[e >> 5] >> (e & 31) & 1) || a.g.targets[e + 1] >> a.slab_bits != slab || place % kPiece == kPiece - 1);
    at(e, have, u, place, run_ends);
    __syncwarp();
  }
}

// slab_place puts the edges in their places.
template <class Offset>
__device__ __forceinline__ void slab_place(const SlabArgs<Offset>& a) {
  __shared__ u32 next[kWarps][kSlabsMost];
  for (u32 t = blockIdx.x * kWarps + warp(); t < a.tile_count; t += gridDim.x * kWarps) {
    u32 runs = 0;
    walk_tile(a, t, next[warp()], [&](u32 e, bool have, u32 u, u32 place, bool end) {
      const u32 word = __ballot_sync(kAll, end);
      if (have) a.places[place] = u16((u & ((1u << a.slab_bits) - 1)) | (end ? kRunEnd : 0));
      if (lane() == 0) a.ends[e >> 5] = word;
      runs += __popc(word);
    });
    if (lane() == 0) a.tiles[t] = runs;
  }
}

// slab_pieces makes the bitmap of where runs end, and counts those of each piece.
template <class Offset>
__device__ __forceinline__ void slab_pieces(const SlabArgs<Offset>& a) {
  for (u32 p = blockIdx.x * kWarps + warp(); p < a.count; p += gridDim.x * kWarps) {
    u32 runs = 0;
#pragma unroll
    for (u32 w = 0; w < kPiece / 32; w++) {
      const u32 word = __ballot_sync(kAll, (a.places[p * kPiece + w * 32 + lane()] & kRunEnd) != 0);
      if (lane() == 0) a.bits[p * (kPiece / 32) + w] = word;
      runs += __popc(word);
    }
    if (lane() == 0) a.pieces[p] = runs;
  }
}

// slab_runs finds the values of each row's runs.
template <class Offset>
__device__ __forceinline__ void slab_runs(const SlabArgs<Offset>& a) {
  __shared__ u32 next[kWarps][kSlabsMost];
  for (u32 t = blockIdx.x * kWarps + warp(); t < a.tile_count; t += gridDim.x * kWarps) {
    u32 before = a.tiles[t];
    walk_tile(a, t, next[warp()], [&](u32 e, bool, u32, u32 place, bool end) {
      const u32 word = __ballot_sync(kAll, end);
      if (lane() == 0) a.before[e >> 5] = before;
      if (end) {
        const u32 p = place / kPiece, in = place % kPiece;
        u32 at = a.pieces[p];
        for (u32 w = 0; w < in / 32; w++) at += __popc(a.bits[p * (kPiece / 32) + w]);
        at += __popc(a.bits[place >> 5] & ((1u << (place & 31)) - 1));
        a.runs[before + __popc(word & ((1u << lane()) - 1))] = at;
      }
      before += __popc(word);
    });
  }
}

// slab_rows finds where the runs of each row begin.
template <class Offset>
__device__ __forceinline__ void slab_rows(const SlabArgs<Offset>& a) {
  for (u32 v = blockIdx.x * kBlock + threadIdx.x; v <= a.g.n; v += gridDim.x * kBlock) {
    const u32 e = u32(a.g.offsets[v]);
    a.rows[v] = e < a.edges ? a.before[e >> 5] + __popc(a.ends[e >> 5] & ((1u << (e & 31)) - 1)) : a.sums[0];
  }
}

// value_at returns how many runs end before a place where a run begins.
template <class Offset>
__device__ __forceinline__ u32 value_at(const SlabArgs<Offset>& a, u32 place) {
  const u32 p = place / kPiece, in = place % kPiece;
  if (p >= a.count) return a.sums[0];
  u32 at = a.pieces[p];
  for (u32 w = 0; w < in / 32; w++) at += __popc(a.bits[p * (kPiece / 32) + w]);
  return in % 32 ? at + __popc(a.bits[place >> 5] & ((1u << (place & 31)) - 1)) : at;
}

// slab_starts finds the first value of each bin in each slab, a warp a bin.
template <class Offset>
__device__ __forceinline__ void slab_starts(const SlabArgs<Offset>& a) {
  __shared__ u32 counts[kWarps][kSlabsMost];
  u32* const mine = counts[warp()];
  for (u32 b = blockIdx.x * kWarps + warp(); b <= a.bin_count; b += gridDim.x * kWarps) {
    const u32 end = u32(a.g.offsets[a.bins[b]]), t = min(end / kSlabTile, a.tile_count - 1);
    for (u32 s = lane(); s < a.slab_count; s += 32) mine[s] = 0;
    __syncwarp();
    for (u32 e = t * kSlabTile + lane(); e < end; e += 32) atomicAdd(&mine[a.g.targets[e] >> a.slab_bits], 1u);
    __syncwarp();
    for (u32 s = lane(); s < a.slab_count; s += 32) {
      a.starts[u64(b) * a.slab_count + s] = value_at(a, a.bases[s] + a.counts[u64(s) * a.tile_count + t] + mine[s]);
    }
    __syncwarp();
  }
}

// copied returns how many values are copied to have those from first to end: four at a time.
__device__ __forceinline__ u32 copied(u32 first, u32 end) { return first < end ? (end + 3) / 4 * 4 - first / 4 * 4 : 0; }

// slab_local lays out the table of each bin, a block a bin.
template <class Offset>
__device__ __forceinline__ void slab_local(const SlabArgs<Offset>& a) {
  __shared__ u32 moves[kSlabsMost];  // of each slab: from a value's number to its place in the table
  for (u32 b = blockIdx.x; b < a.bin_count; b += gridDim.x) {
    const u32 first = a.rows[a.bins[b]], end = a.rows[a.bins[b + 1]];
    const u32* const starts = a.starts + u64(b) * a.slab_count;
    if (first == end || end - first > a.most) continue;  // none, or one long row
    if (warp() == 0) {
      u32 before = 0;
      for (u32 base = 0; base < a.slab_count; base += 32) {
        const u32 s = base + lane();
        const bool have = s < a.slab_count;
        const u32 from = have ? starts[s] : 0, size = have ? copied(from, starts[a.slab_count + s]) : 0;
        u32 sum = size;
#pragma unroll
        for (u32 d = 1; d < 32; d *= 2) {
          const u32 x = __shfl_up_sync(kAll, sum, d);
          if (lane() >= d) sum += x;
        }
        const u32 at = before + sum - size;
        if (have) {
          moves[s] = at - from / 4 * 4;
          a.tables[u64(b) * a.slab_count + s] = u16(at);
        }
        before += __shfl_sync(kAll, sum, 31);
      }
    }
    __syncthreads();
    for (u32 r = first + threadIdx.x; r < end; r += kBlock) {
      const u32 value = a.runs[r];
      u32 s = 0;  // the last slab whose values begin there or before
      for (u32 hi = a.slab_count; hi - s > 1;) {
        const u32 mid = (s + hi) / 2;
        (starts[mid] <= value ? s : hi) = mid;
      }
      a.local[r] = u16(value + moves[s]);
    }
    __syncthreads();
  }
}

}  // namespace foray

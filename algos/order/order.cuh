// This file holds the numbering of a graph's vertices by descending degree: a
// stable radix sort of the vertices, and where their rows begin then. rows.cuh
// moves the rows.
#pragma once

#include "frontier/tiles.cuh"
#include "operators/advance/gather.cuh"

namespace foray {

// kDigits is how many values a digit of a key has, kSortTile how many entries a
// block sorts at a time, each warp a stretch of them.
constexpr u32 kDigits = 256;
constexpr u32 kSortTile = 64 * kBlock;
constexpr u32 kStretch = kSortTile / kWarps;

// Rows of up to kShortRow entries are sorted by a warp in registers, of up to
// kMiddleRow by a block in shared memory, longer ones by way of a bitmap.
constexpr u32 kShortRow = 256;
constexpr u32 kMiddleRow = 8192;

// Counters of the slot, which each kernel has to itself.
constexpr u32 kMostDegree = 0;  // the largest degree
constexpr u32 kMiddleRows = 1;  // how many there are
constexpr u32 kLongRows = 2;
constexpr u32 kTicket = 3;      // of the list at work
constexpr u32 kTwice = 4;       // rows that have a target more than once, of the long ones
constexpr u32 kNotIsolated = 5; // vertices that have an edge

// kNoBase: the rows of a list are wherever the list says.
constexpr u32 kNoBase = kNoVertex;

// kBitmapStep is how many words of a bitmap a thread looks at together, and
// kAhead how many targets it has under way: a long row is bound by latency.
constexpr u32 kBitmapStep = 8;
constexpr u32 kAhead = 4;

// OrderArgs is what all kernels take.
template <class Offset>
struct OrderArgs {
  const Offset* degrees[2];  // offsets whose rows count as a vertex's degree; the second may be null
  Csr<Offset> from;          // the rows to move
  const u32* by_id;          // the vertices in the order of their ids; null: 0, 1, 2 and so on
  u32* keys[2];              // degrees, and the vertices that have them, from
  u32* items[2];             // where a pass reads to where it writes
  u64* tiles;
  u32* place;                // of a vertex in the new order
  Offset* offsets;           // of the new rows
  u32* targets;
  u32* lists[2];             // places of the middle rows, and of the long ones
  u32* bits;                 // a bitmap of the vertices for each block, all zero
  u32* first;                // of Prepared
  u32* none;
  Post post;
  u32 n;
  u32 digit;                 // the first bit of the digit that a pass sorts by
  u32 tiles_count;           // of kSortTile entries
  u32 words;                 // of a bitmap: those of all vertices that have an edge
  u32 listed;                // rows in the list at work
  u32 base;                  // they are at this place and those after; or kNoBase

  // place_of is the place of a list's k-th row.
  __device__ __forceinline__ u32 place_of(u32 list, u64 k) const { return base != kNoBase ? base + u32(k) : lists[list][k]; }
};

// order_keys writes the vertices in the order of ids, with their degrees.
template <class Offset>
__device__ __forceinline__ void order_keys(const OrderArgs<Offset>& a) {
  u64 most = 0;
  u32 some = 0;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.n; i += u64(gridDim.x) * kBlock) {
    const u32 v = a.by_id ? a.by_id[i] : u32(i);
    u64 d = a.degrees[0][v + 1] - a.degrees[0][v];
    if (a.degrees[1]) d += a.degrees[1][v + 1] - a.degrees[1][v];
    most = max(most, d);
    some += d != 0;
    a.keys[0][i] = u32(d);
    a.items[0][i] = v;
  }
#pragma unroll
  for (u32 s = 16; s > 0; s /= 2) most = max(most, __shfl_xor_sync(kAll, most, s));
  some = warp_sum(some);
  if (lane() == 0) {
    atomicMax(&a.post.slot->counts[kMostDegree], most);
    atomicAdd(&a.post.slot->counts[kNotIsolated], u64(some));
  }
}

// digit_of is the rank of a key's digit: large ones come first.
__device__ __forceinline__ u32 digit_of(u32 key, u32 digit) { return kDigits - 1 - (key >> digit & (kDigits - 1)); }

// order_count counts the digits of every tile: counts of a digit lie together.
template <class Offset>
__device__ __forceinline__ void order_count(const OrderArgs<Offset>& a, u32* counts) {
  for (u32 tile = blockIdx.x; tile < a.tiles_count; tile += gridDim.x) {
    for (u32 d = threadIdx.x; d < kDigits; d += kBlock) counts[d] = 0;
    __syncthreads();
    for (u32 k = 0; k < kSortTile; k += kBlock) {
      const u64 i = u64(tile) * kSortTile + k + threadIdx.x;
      if (i < a.n) atomicAdd(&counts[digit_of(a.keys[0][i], a.digit)], 1u);
    }
    __syncthreads();
    for (u32 d = threadIdx.x; d < kDigits; d += kBlock) a.tiles[u64(d) * a.tiles_count + tile] = counts[d];
    __syncthreads();
  }
}

// order_scatter moves every tile's entries to where they belong by their digit,
// those of the same digit in the order in which they stand. next has a row of
// kDigits for each warp.
template <class Offset>
__device__ __forceinline__ void order_scatter(const OrderArgs<Offset>& a, u32* next) {
  u32* mine = next + warp() * kDigits;
  for (u32 tile = blockIdx.x; tile < a.tiles_count; tile += gridDim.x) {
    const u64 begin = u64(tile) * kSortTile + warp() * kStretch;
    for (u32 d = lane(); d < kDigits; d += 32) mine[d] = 0;
    __syncwarp();
    for (u32 k = lane(); k < kStretch; k += 32) {
      if (begin + k < a.n) atomicAdd(&mine[digit_of(a.keys[0][begin + k], a.digit)], 1u);
    }
    __syncthreads();
    for (u32 d = threadIdx.x; d < kDigits; d += kBlock) {
      u32 at = u32(a.tiles[u64(d) * a.tiles_count + tile]);
      for (u32 w = 0; w < kWarps; w++) {
        const u32 count = next[w * kDigits + d];
        next[w * kDigits + d] = at;
        at += count;
      }
    }
    __syncthreads();
    for (u32 k = 0; k < kStretch; k += 32) {
      const u64 i = begin + k + lane();
      const bool have = i < a.n;
      const u32 key = have ? a.keys[0][i] : 0, v = have ? a.items[0][i] : 0;
      const u32 d = digit_of(key, a.digit);
      u32 same = __ballot_sync(kAll, have);  // lanes with the same digit
#pragma unroll
      for (u32 bit = 0; bit < 8; bit++) {
        const u32 set = __ballot_sync(kAll, d >> bit & 1);
        same &= d >> bit & 1 ? set : ~set;
      }
      u32 at = 0;
      if (have) at = mine[d] + __popc(same & lanes_below());
      __syncwarp();
      if (have) {
        if (lane() == u32(__ffs(same)) - 1) mine[d] += __popc(same);
        a.keys[1][at] = key;
        a.items[1][at] = v;
      }
      __syncwarp();
    }
    __syncthreads();
  }
}

// order_scan replaces the counts by the sums of those before. One block does it,
// kScanStep counts a thread at a time.
constexpr u32 kScanStep = 8;
__device__ __forceinline__ void order_scan(u64* tiles, u64 count, u64* totals) {
  u64 before = 0;
  for (u64 base = 0; base < count; base += kBlock * kScanStep) {
    const u64 first = base + threadIdx.x * kScanStep;
    u64 x[kScanStep], sum = 0;
#pragma unroll
    for (u32 s = 0; s < kScanStep; s++) {
      x[s] = first + s < count ? tiles[first + s] : 0;
      sum += x[s];
    }
    u64 total;
    __syncthreads();
    u64 at = before + block_exclusive(sum, totals, total);
    before += total;
#pragma unroll
    for (u32 s = 0; s < kScanStep; s++) {
      if (first + s < count) tiles[first + s] = at;
      at += x[s];
    }
  }
}

// order_lengths notes each vertex's place, and the length of the rows of every
// tile of kTile places.
template <class Offset>
__device__ __forceinline__ void order_lengths(const OrderArgs<Offset>& a, TileShared& sh) {
  for (u64 tile = blockIdx.x; tile * kTile < a.n; tile += gridDim.x) {
    u64 sum = 0;
    for (u32 part = 0; part < kTile; part += kBlock) {
      const u64 i = tile * kTile + part + threadIdx.x;
      if (i >= a.n) continue;
      const u32 v = a.items[0][i];
      a.place[v] = u32(i);
      sum += a.from.offsets[v + 1] - a.from.offsets[v];
    }
    u64 total;
    __syncthreads();
    block_exclusive(sum, sh.totals, total);
    if (threadIdx.x == 0) a.tiles[tile] = total;
  }
}

// order_offsets writes where the new rows begin, and lists those that aren't
// short.
template <class Offset>
__device__ __forceinline__ void order_offsets(const OrderArgs<Offset>& a, TileShared& sh) {
  for (u64 tile = blockIdx.x; tile * kTile < a.n; tile += gridDim.x) {
    u64 before = a.tiles[tile];
    for (u32 part = 0; part < kTile; part += kBlock) {
      const u64 i = tile * kTile + part + threadIdx.x;
      const bool have = i < a.n;
      const u32 v = have ? a.items[0][i] : 0;
      const u64 d = have ? u64(a.from.offsets[v + 1] - a.from.offsets[v]) : 0;
      u64 total;
      __syncthreads();
      const u64 at = before + block_exclusive(d, sh.totals, total);
      before += total;
      if (have) a.offsets[i] = Offset(at);
      if (have && i == a.n - 1) a.offsets[a.n] = Offset(at + d);
#pragma unroll
      for (u32 list = 0; list < 2; list++) {
        const bool in = list ? d > kMiddleRow : d > kShortRow && d <= kMiddleRow;
        const u32 mask = __ballot_sync(kAll, in);
        if (mask == 0) continue;
        u64 to = 0;
        if (lane() == 0) to = atomicAdd(&a.post.slot->counts[kMiddleRows + list], u64(__popc(mask)));
        to = __shfl_sync(kAll, to, 0);
        if (in) a.lists[list][to + __popc(mask & lanes_below())] = u32(i);
      }
    }
  }
}

}  // namespace foray

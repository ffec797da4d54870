// This file holds how rows are moved to their new places, with their targets
// renamed and sorted, and what a pull probes first.
#pragma once

#include "algos/order/order.cuh"
#include "internal/layout/rows/sort.cuh"

namespace foray {

// load_row gives a warp the new targets of a row that begins at from, those from
// first on; past its end there is kNoVertex.
template <u32 E, class Offset>
__device__ __forceinline__ void load_row(const OrderArgs<Offset>& a, Offset from, u32 first, u32 count, u32 (&x)[E]) {
#pragma unroll
  for (u32 e = 0; e < E; e++) {
    const u32 j = first + e * 32 + lane();
    x[e] = j < count ? a.from.targets[from + j] : kNoVertex;
  }
#pragma unroll
  for (u32 e = 0; e < E; e++) {
    if (x[e] != kNoVertex) x[e] = a.place[x[e]];
  }
}

// store_row is its opposite.
template <u32 E, class Offset>
__device__ __forceinline__ void store_row(const OrderArgs<Offset>& a, Offset to, u32 first, u32 count, const u32 (&x)[E]) {
#pragma unroll
  for (u32 e = 0; e < E; e++) {
    const u32 j = first + e * 32 + lane();
    if (j < count) a.targets[to + j] = x[e];
  }
}

// move_row moves a row of up to 32 * E entries.
template <u32 E, class Offset>
__device__ __forceinline__ void move_row(const OrderArgs<Offset>& a, Offset from, Offset to, u32 count) {
  u32 x[E];
  load_row<E>(a, from, 0, count, x);
  sort_runs(x, true);
  store_row<E>(a, to, 0, count, x);
}

// order_short moves the short rows, each by a warp.
template <class Offset>
__device__ __forceinline__ void order_short(const OrderArgs<Offset>& a) {
  for (u64 base = (u64(blockIdx.x) * kWarps + warp()) * 32; base < a.n; base += u64(gridDim.x) * kWarps * 32) {
    const u64 i = base + lane();
    Offset from = 0, to = 0;
    u32 d = 0;
    if (i < a.n) {
      const u32 v = a.items[0][i];
      from = a.from.offsets[v];
      const u64 all = a.from.offsets[v + 1] - from;
      to = a.offsets[i];
      d = all <= kShortRow ? u32(all) : 0;
    }
    u32 rows = __ballot_sync(kAll, d != 0);
    while (rows) {
      const u32 src = __ffs(rows) - 1;
      rows &= rows - 1;
      const Offset f = __shfl_sync(kAll, from, src), t = __shfl_sync(kAll, to, src);
      const u32 count = __shfl_sync(kAll, d, src);
      if (count <= 32) {
        move_row<1>(a, f, t, count);
      } else if (count <= 64) {
        move_row<2>(a, f, t, count);
      } else if (count <= 128) {
        move_row<4>(a, f, t, count);
      } else {
        move_row<8>(a, f, t, count);
      }
    }
  }
}

// ticket_of hands out the entries of a list. All threads of the block call it.
__device__ __forceinline__ u64 ticket_of(Slot* slot, u64* shared) {
  __syncthreads();
  if (threadIdx.x == 0) *shared = atomicAdd(&slot->counts[kTicket], u64(1));
  __syncthreads();
  return *shared;
}

// order_middle moves the rows of a list, each by a block.
template <class Offset>
__device__ __forceinline__ void order_middle(const OrderArgs<Offset>& a, u32* row, u64* shared) {
  constexpr u32 E = kShortRow / 32;
  for (u64 k = ticket_of(a.post.slot, shared); k < a.listed; k = ticket_of(a.post.slot, shared)) {
    const u32 i = a.place_of(0, k), v = a.items[0][i];
    const Offset from = a.from.offsets[v], to = a.offsets[i];
    const u32 d = u32(a.from.offsets[v + 1] - from);
    u32 size = 2 * kShortRow;
    while (size < d) size *= 2;
    sort_block<E>(row, size, [&](u32 first, u32(&x)[E]) { load_row<E>(a, from, first, d, x); });
    for (u32 j = threadIdx.x; j < d; j += kBlock) a.targets[to + j] = row[j];
  }
}

// order_long moves the rows of a list, each by a block: its targets as bits, in
// the order of which they are written. It leaves the bits zero.
template <class Offset>
__device__ __forceinline__ void order_long(const OrderArgs<Offset>& a, u32* totals, u64* shared) {
  u32* bits = a.bits + u64(blockIdx.x) * a.words;
  for (u64 k = ticket_of(a.post.slot, shared); k < a.listed; k = ticket_of(a.post.slot, shared)) {
    const u32 i = a.place_of(1, k), v = a.items[0][i];
    const Offset from = a.from.offsets[v], to = a.offsets[i];
    const u64 d = a.from.offsets[v + 1] - from;
    for (u64 base = 0; base < d; base += kAhead * kBlock) {
      u32 t[kAhead];
#pragma unroll
      for (u32 s = 0; s < kAhead; s++) {
        const u64 j = base + s * kBlock + threadIdx.x;
        t[s] = j < d ? a.from.targets[from + j] : kNoVertex;
      }
#pragma unroll
      for (u32 s = 0; s < kAhead; s++) t[s] = t[s] != kNoVertex ? a.place[t[s]] : kNoVertex;
#pragma unroll
      for (u32 s = 0; s < kAhead; s++) {
        // A vertex with an edge to it but none out of it has no bit; the host does it then.
        if (t[s] != kNoVertex && t[s] >> 5 < a.words) atomicOr(bits + (t[s] >> 5), 1u << (t[s] & 31));
      }
    }
    __syncthreads();
    u32 before = 0;
    for (u32 base = 0; base < a.words; base += kBlock * kBitmapStep) {
      const u32 w = base + threadIdx.x * kBitmapStep;
      u32 word[kBitmapStep] = {}, count = 0;
      if (w < a.words) {  // then all of them are
        uint4* at = (uint4*)(bits + w);
        const uint4 x = at[0], y = at[1];
        at[0] = at[1] = make_uint4(0, 0, 0, 0);
        word[0] = x.x, word[1] = x.y, word[2] = x.z, word[3] = x.w;
        word[4] = y.x, word[5] = y.y, word[6] = y.z, word[7] = y.w;
#pragma unroll
        for (u32 s = 0; s < kBitmapStep; s++) count += __popc(word[s]);
      }
      u32 total;
      __syncthreads();
      u32 at = before + block_exclusive(count, totals, total);
      before += total;
#pragma unroll
      for (u32 s = 0; s < kBitmapStep; s++) {
        for (u32 x = word[s]; x; x &= x - 1) a.targets[to + at++] = (w + s) * 32 + __ffs(x) - 1;
      }
    }
    if (threadIdx.x == 0 && before != d) atomicAdd(&a.post.slot->counts[kTwice], u64(1));
  }
}

// order_first writes what pulls probe first, and the bits of the vertices that
// have no row, those past the last one included: whole words of 64.
template <class Offset>
__device__ __forceinline__ void order_first(const OrderArgs<Offset>& a) {
  const u64 ends = (u64(a.n) + 63) / 64 * 64;
  for (u64 base = (u64(blockIdx.x) * kWarps + warp()) * 32; base < ends; base += u64(gridDim.x) * kWarps * 32) {
    const u64 v = base + lane();
    bool has_row = false;
    if (v < a.n) {
      const Offset begin = a.offsets[v];
      has_row = begin != a.offsets[v + 1];
      a.first[v] = has_row ? a.targets[begin] : u32(v);
    }
    const u32 mask = __ballot_sync(kAll, has_row);
    if (lane() == 0) a.none[base / 32] = ~mask;
  }
}

}  // namespace foray

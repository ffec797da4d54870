// This file holds how long rows are sorted, by a block each, the reverse, and where rows begin.
#pragma once

#include "internal/layout/rows/rows.cuh"

namespace foray {

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
template <Does D, class K>
__device__ __forceinline__ u32 keep_once(const RowsArgs& a, const Row<K>& r, const K* from, u32* totals) {
  const bool move = moves<D>(a), twice = move || (a.flags & kKeepDuplicates);
  u32 before = 0;
  for (u64 base = 0; base < r.count; base += kBlock * kKeepStep) {
    const u64 j = base + threadIdx.x * kKeepStep;
    K x[kKeepStep];
    bool keep[kKeepStep];
    u32 last = j > 0 && j < r.count ? target_of(from[j - 1]) : 0, kept = 0;
#pragma unroll
    for (u32 s = 0; s < kKeepStep; s++) x[s] = j + s < r.count ? from[j + s] : 0;
#pragma unroll
    for (u32 s = 0; s < kKeepStep; s++) {
      keep[s] = j + s < r.count && (twice || j + s == 0 || target_of(x[s]) != last);
      last = target_of(x[s]);
      kept += keep[s];
    }
    u32 total;
    u32 at = before + block_exclusive(kept, totals, total);
#pragma unroll
    for (u32 s = 0; s < kKeepStep; s++) {
      if (keep[s]) r.put(move, at++, x[s]);
    }
    before += total;
    __syncthreads();
  }
  return before;
}

// rows_block sorts the rows of the first list, each by a block.
template <Does D, class K>
__device__ __forceinline__ void rows_block(const RowsArgs& a, K* row, u32* totals, u64* shared) {
  constexpr u32 E = kWarpRow<K> / 32;
  const bool move = moves<D>(a);
  for (u64 k = next_row(a, shared); k < a.listed; k = next_row(a, shared)) {
    const u32 i = a.lists[0][k];
    const Row<K> r = row_of<D, K>(a, i);
    const K* from = r.from;
    if (!move || !(a.flags & kAsTheyAre)) {
      u32 size = 2 * kWarpRow<K>;
      while (size < r.count) size *= 2;
      sort_block<E>(row, size, [&](u32 first, K(&x)[E]) { load_entries<D>(a, r, first, x); });
      from = row;
    }
    const u32 kept = keep_once<D>(a, r, from, totals);
    if (!move && threadIdx.x == 0) a.lengths[i] = kept;
  }
}

// rows_digits sorts the rows of the second list, each by a block, digit by digit.
template <Does D, class K>
__device__ __forceinline__ void rows_digits(const RowsArgs& a, DigitShared& sh, u64* shared) {
  const bool move = moves<D>(a);
  for (u64 k = a.skip + next_row(a, shared); k < a.listed; k = a.skip + next_row(a, shared)) {
    const u32 i = long_row(a, k);
    const Row<K> r = row_of<D, K>(a, i);
    K* from = r.from;
    if (!move || !(a.flags & kAsTheyAre)) {
      K* to = move && sizeof(K) == 4 ? (K*)r.targets : (K*)a.spare + a.spots[k];
      if (move && a.place) {
        for (u32 j = threadIdx.x; j < r.count; j += kBlock) from[j] = renamed(a, from[j]);
        __syncthreads();
      }
      for (u32 bit = 0; bit < 8 * (sizeof(K) - 4) + a.bits; bit += kDigitBits) {
        if (!sort_digit(from, to, r.count, bit, sh)) continue;
        K* t = from;
        from = to;
        to = t;
      }
    }
    const u32 kept = keep_once<D>(a, r, from, sh.totals);
    if (!move && threadIdx.x == 0) a.lengths[i] = kept;
  }
}

// turn counts an entry of the reverse, or puts it there.
template <class K>
__device__ __forceinline__ void turn(const RowsArgs& a, u32 source, K key) {
  const u32 target = target_of(key);
  if (!a.sources) {
    atomicAdd(a.ends + target, 1u);
  } else {
    ((K*)a.sources)[a.back[target] + atomicAdd(a.ends + target, ~0u) - 1] = key_of(source, key);
  }
}

// rows_reverse counts, or makes, the rows of the reverse, of settled rows. listed is the length of the
// second list.
template <class K>
__device__ __forceinline__ void rows_reverse(const RowsArgs& a) {
  for (u64 i = u64(blockIdx.x) * kWarps + warp(); i < a.space; i += u64(gridDim.x) * kWarps) {
    if (a.starts[i + 1] - a.starts[i] > kBlockRow<K>) continue;
    const Row<K> r = row_of<kSettles, K>(a, i);
    for (u32 j = lane(); j < a.lengths[i]; j += 32) turn(a, u32(i), r.from[j]);
  }
  for (u32 k = 0; k < a.listed; k++) {
    const u32 i = long_row(a, k);
    const Row<K> r = row_of<kSettles, K>(a, i);
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

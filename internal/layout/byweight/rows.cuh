// This file sorts a copy of a graph's rows by weight, edges of equal weight by target. A warp sorts
// a short row in registers, a block sorts a longer row in shared memory, and a block sorts a hub's row
// in tiles that it merges in place. These are bitonic sorts in which every comparison is ascending, so
// that a row needs no padding.
#pragma once

#include "operators/advance/row.cuh"

namespace foray {

// Tuning: the longest rows that a warp sorts, and that a block does in shared memory.
constexpr u32 kWarpSorts = 256;
constexpr u32 kTileSorts = 4096;

// AscendArgs is what all kernels take.
template <class Offset>
struct AscendArgs {
  Csr<Offset> from;
  const float* weights;  // of from
  u32* targets;          // the rows by weight
  float* ascending;      // their weights
  float* light;          // the lightest edge of each row, +Inf for an empty row; or null
  u32* lists[2];         // rows for blocks: rows that fit in shared memory, and longer rows
  u32* counts;           // lengths of both lists, then how many rows blocks have taken; zero before
  u64* sums;             // over all edges: sums of hashes as they are, and rotated; zero before
  u32 first;             // the number of row 0 among those that targets have
  u32 pad;
};

// key_of is what an edge is sorted by. -0 is 0.
__device__ __forceinline__ u64 key_of(u32 target, float weight) { return u64(__float_as_uint(weight + 0.0f)) << 32 | target; }
constexpr u64 kLastKey = ~u64(0);

// mix is the finalizer of SplitMix64.
__device__ __forceinline__ u64 mix(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

// Sums are the sums of one thread.
struct Sums {
  u64 as_is = 0, turned = 0;
  __device__ __forceinline__ void add(u32 v, u64 key) {
    const u32 t = u32(key), w = u32(key >> 32);
    as_is += mix(mix(u64(v) << 32 | t) + w);
    turned += mix(mix(u64(t) << 32 | v) + w);
  }
  __device__ __forceinline__ void leave(u64* to) {
#pragma unroll
    for (u32 d = 16; d > 0; d /= 2) {
      as_is += __shfl_xor_sync(kAll, as_is, d);
      turned += __shfl_xor_sync(kAll, turned, d);
    }
    if (lane() != 0) return;
    atomicAdd(to, as_is);
    atomicAdd(to + 1, turned);
  }
};

// merge_keys makes sorted runs of run entries, of which each half is one; a warp holds 32 * E
// entries, lane l those at l, 32 + l and so on.
template <u32 E>
__device__ __forceinline__ void merge_keys(u64 (&x)[E], u32 run) {
  // What lies as far from the run's end as an entry from its beginning is compared with it first,
  // then what lies a quarter of it apart, and so on.
  if (run > 32) {
    u64 y[E];
#pragma unroll
    for (u32 e = 0; e < E; e++) y[e] = __shfl_xor_sync(kAll, x[e], 31);
    const u32 turn = run / 32 - 1;
#pragma unroll
    for (u32 t = 1; t < E; t = 2 * t + 1) {
      if (t != turn) continue;
      u64 z[E];
#pragma unroll
      for (u32 e = 0; e < E; e++) z[e] = (e & t) < ((e ^ t) & t) ? min(x[e], y[e ^ t]) : max(x[e], y[e ^ t]);
#pragma unroll
      for (u32 e = 0; e < E; e++) x[e] = z[e];
    }
  } else {
#pragma unroll
    for (u32 e = 0; e < E; e++) {
      const u64 y = __shfl_xor_sync(kAll, x[e], run - 1);
      x[e] = lane() & (run / 2) ? max(x[e], y) : min(x[e], y);
    }
  }
#pragma unroll
  for (u32 apart = E / 2; apart > 0; apart /= 2) {
    if (run / 4 < 32 * apart) continue;
#pragma unroll
    for (u32 e = 0; e < E; e++) {
      if (e & apart) continue;
      const u64 lo = min(x[e], x[e | apart]), hi = max(x[e], x[e | apart]);
      x[e] = lo;
      x[e | apart] = hi;
    }
  }
#pragma unroll 1
  for (u32 step = min(run / 4, 16u); step > 0; step /= 2) {
#pragma unroll
    for (u32 e = 0; e < E; e++) {
      const u64 y = __shfl_xor_sync(kAll, x[e], step);
      x[e] = lane() & step ? max(x[e], y) : min(x[e], y);
    }
  }
}

// ascend_warp sorts a row of up to 32 * E edges.
template <u32 E, class Offset>
__device__ __forceinline__ void ascend_warp(const AscendArgs<Offset>& a, u32 v, Offset from, u32 count, Sums& sums) {
  u64 x[E];
#pragma unroll
  for (u32 e = 0; e < E; e++) {
    const u32 j = e * 32 + lane();
    x[e] = j < count ? key_of(a.from.targets[from + j], a.weights[from + j]) : kLastKey;
    if (j < count) sums.add(a.first + v, x[e]);
  }
  u32 size = 2;
  while (size < count) size *= 2;
#pragma unroll 1
  for (u32 run = 2; run <= size; run *= 2) merge_keys<E>(x, run);
#pragma unroll
  for (u32 e = 0; e < E; e++) {
    const u32 j = e * 32 + lane();
    if (j < count) {
      a.targets[from + j] = u32(x[e]);
      a.ascending[from + j] = __uint_as_float(u32(x[e] >> 32));
    }
  }
  if (lane() == 0 && a.light) a.light[v] = __uint_as_float(u32(x[0] >> 32));
}

// ascend_short sorts the rows that a warp can, and lists the others.
template <class Offset>
__device__ __forceinline__ void ascend_short(const AscendArgs<Offset>& a) {
  Sums sums;
  for (u64 base = (u64(blockIdx.x) * kWarps + warp()) * 32; base < a.from.n; base += u64(gridDim.x) * kWarps * 32) {
    const u64 v = base + lane();
    Offset from = 0, size = 0;
    if (v < a.from.n) {
      from = a.from.offsets[v];
      size = a.from.offsets[v + 1] - from;
      if (size == 0 && a.light) a.light[v] = __uint_as_float(0x7f800000u);
      if (size > kWarpSorts) {
        const u32 list = size > kTileSorts;
        a.lists[list][atomicAdd(&a.counts[list], 1u)] = u32(v);
      }
    }
    for (u32 rows = __ballot_sync(kAll, size != 0 && size <= kWarpSorts); rows; rows &= rows - 1) {
      const u32 src = __ffs(rows) - 1;
      const Offset f = __shfl_sync(kAll, from, src);
      const u32 count = u32(__shfl_sync(kAll, size, src)), u = u32(base) + src;
      if (count <= 32) {
        ascend_warp<1>(a, u, f, count, sums);
      } else if (count <= 64) {
        ascend_warp<2>(a, u, f, count, sums);
      } else if (count <= 128) {
        ascend_warp<4>(a, u, f, count, sums);
      } else {
        ascend_warp<8>(a, u, f, count, sums);
      }
    }
  }
  sums.leave(a.sums);
}

// sort_tile sorts a power of two of keys in shared memory, by the whole block. From run on: half
// runs are sorted.
__device__ __forceinline__ void sort_tile(u64* row, u32 size, u32 run) {
  const auto order = [&](u32 lo, u32 hi) {
    const u64 p = row[lo], q = row[hi];
    if (p > q) {
      row[lo] = q;
      row[hi] = p;
    }
  };
  for (; run <= size; run *= 2) {
    for (u32 j = threadIdx.x; j < size / 2; j += kBlock) {
      const u32 at = j & (run / 2 - 1), first = 2 * (j - at);
      order(first + at, first + run - 1 - at);
    }
    __syncthreads();
    for (u32 step = run / 4; step > 0; step /= 2) {
      for (u32 j = threadIdx.x; j < size / 2; j += kBlock) {
        const u32 lo = 2 * j - (j & (step - 1));
        order(lo, lo + step);
      }
      __syncthreads();
    }
  }
}

// merge_tile does the steps of less than a tile's size of a merge.
__device__ __forceinline__ void merge_tile(u64* row, u32 size) {
  for (u32 step = size / 2; step > 0; step /= 2) {
    for (u32 j = threadIdx.x; j < size / 2; j += kBlock) {
      const u32 lo = 2 * j - (j & (step - 1));
      const u64 p = row[lo], q = row[lo + step];
      if (p > q) {
        row[lo] = q;
        row[lo + step] = p;
      }
    }
    __syncthreads();
  }
}

// take hands out the rows of a list. All threads of the block call it.
template <class Offset>
__device__ __forceinline__ u32 take_row(const AscendArgs<Offset>& a, u32 list, u32* shared) {
  __syncthreads();
  if (threadIdx.x == 0) *shared = atomicAdd(&a.counts[2 + list], 1u);
  __syncthreads();
  return *shared;
}

// ascend_middle sorts the rows of the first list, each by a block.
template <class Offset>
__device__ __forceinline__ void ascend_middle(const AscendArgs<Offset>& a, u64* row, u32* shared) {
  Sums sums;
  const u32 n = a.counts[0];
  for (u32 k = take_row(a, 0, shared); k < n; k = take_row(a, 0, shared)) {
    const u32 v = a.lists[0][k];
    const Offset from = a.from.offsets[v];
    const u32 d = u32(a.from.offsets[v + 1] - from);
    u32 size = kWarpSorts;
    while (size < d) size *= 2;
    for (u32 j = threadIdx.x; j < size; j += kBlock) {
      row[j] = j < d ? key_of(a.from.targets[from + j], a.weights[from + j]) : kLastKey;
      if (j < d) sums.add(a.first + v, row[j]);
    }
    __syncthreads();
    sort_tile(row, size, 2);
    for (u32 j = threadIdx.x; j < d; j += kBlock) {
      a.targets[from + j] = u32(row[j]);
      a.ascending[from + j] = __uint_as_float(u32(row[j] >> 32));
    }
    if (threadIdx.x == 0 && a.light) a.light[v] = __uint_as_float(u32(row[0] >> 32));
  }
  sums.leave(a.sums);
}

// ascend_long sorts the rows of the second list, each by a block: in tiles first, then it merges.
template <class Offset>
__device__ __forceinline__ void ascend_long(const AscendArgs<Offset>& a, u64* row, u32* shared) {
  Sums sums;
  const u32 n = a.counts[1];
  for (u32 k = take_row(a, 1, shared); k < n; k = take_row(a, 1, shared)) {
    const u32 v = a.lists[1][k];
    const Offset from = a.from.offsets[v];
    const u64 d = a.from.offsets[v + 1] - from;
    u32* targets = a.targets + from;
    float* weights = a.ascending + from;
    const auto store = [&](u64 tile) {
      for (u32 j = threadIdx.x; j < kTileSorts && tile + j < d; j += kBlock) {
        targets[tile + j] = u32(row[j]);
        weights[tile + j] = __uint_as_float(u32(row[j] >> 32));
      }
      __syncthreads();
    };
    for (u64 tile = 0; tile < d; tile += kTileSorts) {
      for (u32 j = threadIdx.x; j < kTileSorts; j += kBlock) {
        const u64 i = tile + j;
        row[j] = i < d ? key_of(a.from.targets[from + i], a.weights[from + i]) : kLastKey;
        if (i < d) sums.add(a.first + v, row[j]);
      }
      __syncthreads();
      sort_tile(row, kTileSorts, 2);
      store(tile);
    }
    // order swaps two edges that are in the wrong order. Positions past the end hold the maximum.
    const auto order = [&](u64 lo, u64 hi) {
      if (hi >= d) return;
      const u64 p = key_of(targets[lo], weights[lo]), q = key_of(targets[hi], weights[hi]);
      if (p <= q) return;
      targets[lo] = u32(q);
      weights[lo] = __uint_as_float(u32(q >> 32));
      targets[hi] = u32(p);
      weights[hi] = __uint_as_float(u32(p >> 32));
    };
    u64 size = kTileSorts;
    while (size < d) size *= 2;
    for (u64 run = 2 * u64(kTileSorts); run <= size; run *= 2) {
      for (u64 j = threadIdx.x; j < size / 2; j += kBlock) {
        const u64 at = j & (run / 2 - 1), first = 2 * (j - at);
        order(first + at, first + run - 1 - at);
      }
      __syncthreads();
      for (u64 step = run / 4; step >= kTileSorts; step /= 2) {
        for (u64 j = threadIdx.x; j < size / 2; j += kBlock) {
          const u64 lo = 2 * j - (j & (step - 1));
          order(lo, lo + step);
        }
        __syncthreads();
      }
      for (u64 tile = 0; tile < d; tile += kTileSorts) {
        for (u32 j = threadIdx.x; j < kTileSorts; j += kBlock) {
          row[j] = tile + j < d ? key_of(targets[tile + j], weights[tile + j]) : kLastKey;
        }
        __syncthreads();
        merge_tile(row, kTileSorts);
        store(tile);
      }
    }
    if (threadIdx.x == 0 && a.light) a.light[v] = weights[0];
  }
  sums.leave(a.sums);
}

}  // namespace foray

// This file combines the parallel edges of settled rows into one edge each, as package graph does on the host
// (combine.go).
#pragma once

#include "internal/layout/rows/long.cuh"

namespace foray {

constexpr u32 kUnfit = 0;               // counter of the slot: rows that need the host
constexpr u32 kFoldRow = 1 << 24;       // a warp takes some 0.1 s for so many entries; longer rows are the host's
constexpr double kWhole = 1ll << 53;    // up to here doubles add up whole numbers exactly

// The ways to combine, as graph.Combine has them, and the types of weights, as graph.WeightType does.
constexpr u32 kFoldMax = 1, kFoldSum = 2, kFoldFirst = 3;
constexpr u32 kFoldInts = 1, kFoldDoubles = 2, kFoldFloats = 3;

struct FoldArgs {
  const u64* starts;
  void* entries;  // sorted keys, which have weights
  u32* lengths;   // of the rows; then without what was combined
  Post post;
  u32 space;
  u32 how;
  u32 kind;
  u32 pad;
};

// weight_in is the bits of the weight in a key, with_weight the key with another weight.
template <class K>
__device__ __forceinline__ u32 weight_in(K key) {
  return weight_of(u32(key >> (8 * sizeof(K) - 64)));
}
template <class K>
__device__ __forceinline__ K with_weight(K key, u32 bits) {
  if constexpr (sizeof(K) > 8) {
    return K(u64(target_of(key)) << 32 | weight_key(bits)) << 64 | u64(key);
  } else {
    return u64(target_of(key)) << 32 | weight_key(bits);
  }
}

// id_in is the id of an edge in a key; without ids all are the same.
template <class K>
__device__ __forceinline__ u64 id_in(K key) {
  return sizeof(K) > 8 ? u64(key) : 0;
}

template <class K>
__device__ __forceinline__ K lane_key(K x, u32 from) {
  if constexpr (sizeof(K) > 8) {
    return K(__shfl_sync(kAll, u64(x >> 64), from)) << 64 | __shfl_sync(kAll, u64(x), from);
  } else {
    return __shfl_sync(kAll, x, from);
  }
}

// Folded is the edge that parallel edges become.
template <class K>
struct Folded {
  K key;
  double sum;
  u32 count;
  bool fits;  // the host would find the same

  __device__ __forceinline__ void begin(const FoldArgs& a, K first) {
    const u32 w = weight_in(first);
    key = first;
    sum = __uint_as_float(w);
    count = 1;
    fits = fits && !(a.kind == kFoldInts && w == 0x80000000u);  // the host makes it 0, and this may come before 0
  }

  // add adds an edge, which isn't before those that were added.
  __device__ __forceinline__ void add(const FoldArgs& a, K next) {
    const u32 w = weight_in(next);
    fits = fits && !(a.kind == kFoldInts && w == 0x80000000u);
    count++;
    if (a.how == kFoldMax) {
      if (sizeof(K) == 8 || w != weight_in(key)) key = next;
    } else if (a.how == kFoldFirst) {
      if (id_in(next) < id_in(key)) key = next;
    } else {
      sum = __dadd_rn(sum, double(__uint_as_float(w)));
      if (a.kind == kFoldInts) fits = fits && sum <= kWhole && sum >= -kWhole;
      if (sizeof(K) > 8 && id_in(next) < id_in(key)) key = key - id_in(key) + id_in(next);
    }
  }

  __device__ __forceinline__ K end(const FoldArgs& a) {
    if (a.how != kFoldSum || count == 1) return key;
    const float w = float(sum);
    // Beyond float32 the host keeps 64 bits, or reports an overflow.
    fits = fits && w - w == 0 && (a.kind == kFoldFloats || double(w) == sum);
    return with_weight(key, __float_as_uint(w));
  }
};

// rows_fold combines in place, each row by a warp: all of its lanes do the same, so that sums are added up in order.
template <class K>
__device__ __forceinline__ void rows_fold(const FoldArgs& a) {
  for (u64 i = u64(blockIdx.x) * kWarps + warp(); i < a.space; i += u64(gridDim.x) * kWarps) {
    K* row = (K*)a.entries + a.starts[i];
    const u32 n = a.lengths[i];
    if (n == 0) continue;
    Folded<K> f{};
    f.fits = n <= kFoldRow;
    u32 kept = 0;
    const auto put = [&] {
      const K key = f.end(a);
      if (lane() == 0) row[kept] = key;
      kept++;
    };
    for (u32 base = 0; f.fits && base < n; base += 32) {
      const K mine = base + lane() < n ? row[base + lane()] : ~K(0);
      const u32 most = min(32u, n - base);
      for (u32 s = 0; s < most; s++) {
        const K key = lane_key(mine, s);
        if (f.count > 0 && target_of(key) == target_of(f.key)) {
          f.add(a, key);
          continue;
        }
        if (f.count > 0) put();
        f.begin(a, key);
      }
      __syncwarp();
    }
    if (f.fits) put();
    if (lane() > 0) continue;
    if (f.fits) {
      a.lengths[i] = kept;
    } else {
      atomicAdd(&a.post.slot->counts[kUnfit], u64(1));
    }
  }
}

}  // namespace foray

// This file holds how rows are sorted: by a warp in registers, and by a block digit by digit.
#pragma once

#include "internal/layout/rows/key.cuh"

namespace foray {

// merge_runs sorts runs of run entries, whose two halves are sorted in
// opposite directions: one part of a bitonic sort. A warp holds 32 * E entries, lane l
// holds those at l, 32 + l, 64 + l and so on. If run is 32 * E, up is the direction.
// Loops that need not be unrolled aren't: there is an instance for each E.
template <u32 E, class K>
__device__ __forceinline__ void merge_runs(K (&x)[E], u32 run, bool up) {
  bool rises[E];
#pragma unroll
  for (u32 e = 0; e < E; e++) rises[e] = run < 32 * E ? !((e * 32 + lane()) & run) : up;
#pragma unroll
  for (u32 apart = E / 2; apart > 0; apart /= 2) {
    if (run <= 32 * apart) continue;
#pragma unroll
    for (u32 e = 0; e < E; e++) {
      if (e & apart) continue;
      order(x[e], x[e | apart], rises[e]);
    }
  }
#pragma unroll 1
  for (u32 step = min(run / 2, 16u); step > 0; step /= 2) {
    const bool low = !(lane() & step);
#pragma unroll
    for (u32 e = 0; e < E; e++) {
      const K y = across(x[e], step);
      x[e] = first_of(x[e], y, low == rises[e]);
    }
  }
}

// sort_runs sorts all entries that a warp holds.
template <u32 E, class K>
__device__ __forceinline__ void sort_runs(K (&x)[E], bool up) {
#pragma unroll 1
  for (u32 run = 2; run <= 32 * E; run *= 2) merge_runs(x, run, up);
}

// sort_block sorts size entries of shared memory, a power of two and more than 32 * E. Warps do
// all steps within 32 * E entries. load(first, x) loads a warp's entries, beginning at first.
template <u32 E, class K, class Load>
__device__ __forceinline__ void sort_block(K* row, u32 size, const Load& load) {
  constexpr u32 kRun = 32 * E;
  K x[E];
  for (u32 first = warp() * kRun; first < size; first += kWarps * kRun) {
    load(first, x);
    sort_runs(x, !(first & kRun));
#pragma unroll
    for (u32 e = 0; e < E; e++) row[first + e * 32 + lane()] = x[e];
  }
  __syncthreads();
  for (u32 run = 2 * kRun; run <= size; run *= 2) {
    for (u32 step = run / 2; step >= kRun; step /= 2) {
      for (u32 j = threadIdx.x; j < size / 2; j += kBlock) {
        const u32 lo = 2 * j - (j & (step - 1)), hi = lo + step;
        const K p = row[lo], q = row[hi];
        if ((p > q) == !(lo & run)) {
          row[lo] = q;
          row[hi] = p;
        }
      }
      __syncthreads();
    }
    for (u32 first = warp() * kRun; first < size; first += kWarps * kRun) {
#pragma unroll
      for (u32 e = 0; e < E; e++) x[e] = row[first + e * 32 + lane()];
      merge_runs(x, kRun, !(first & run));
#pragma unroll
      for (u32 e = 0; e < E; e++) row[first + e * 32 + lane()] = x[e];
    }
    __syncthreads();
  }
}

// kDigitBits is how many bits of a key a pass of sort_digit sorts by, kDigitTile how many entries a block
// moves at a time, each warp a stretch of them.
constexpr u32 kDigitBits = 8;
constexpr u32 kDigitValues = 1 << kDigitBits;
constexpr u32 kDigitTile = 16 * kBlock;
constexpr u32 kDigitStretch = kDigitTile / kWarps;
static_assert(kDigitValues <= kBlock, "a thread has a digit");

// DigitShared is what a pass needs of shared memory.
struct DigitShared {
  u32 next[kWarps * kDigitValues];  // where each warp writes next, of each digit
  u32 bases[kDigitValues];          // where the tile's entries begin
  u32 totals[kWarps];
};

// sort_digit moves entries from one array to another, in the order of a digit that begins at bit; those
// of the same digit stay in the order in which they stand. It returns false where all have the same, and
// leaves them where they are. A block does it.
template <class K>
__device__ __forceinline__ bool sort_digit(const K* from, K* to, u64 count, u32 bit, DigitShared& sh) {
  const auto digit_of = [&](K key) { return bits_of(key, bit) & (kDigitValues - 1); };
  u32* mine = sh.next + warp() * kDigitValues;
  const bool has_digit = threadIdx.x < kDigitValues;
  if (has_digit) sh.bases[threadIdx.x] = 0;
  __syncthreads();
  for (u64 j = threadIdx.x; j < count; j += kBlock) atomicAdd(&sh.bases[digit_of(from[j])], 1u);
  __syncthreads();
  if constexpr (sizeof(K) > 8) { // of the others, which are short, this has cost registers
    if (__syncthreads_or(has_digit && sh.bases[threadIdx.x] == count)) return false;
  }
  u32 total;
  const u32 begin = block_exclusive(has_digit ? sh.bases[threadIdx.x] : 0u, sh.totals, total);
  if (has_digit) sh.bases[threadIdx.x] = begin;
  for (u64 tile = 0; tile < count; tile += kDigitTile) {
    const u64 first = tile + warp() * kDigitStretch;
    for (u32 d = lane(); d < kDigitValues; d += 32) mine[d] = 0;
    __syncwarp();
    for (u32 k = lane(); k < kDigitStretch; k += 32) {
      if (first + k < count) atomicAdd(&mine[digit_of(from[first + k])], 1u);
    }
    __syncthreads();
    if (has_digit) {
      u32 at = sh.bases[threadIdx.x];
      for (u32 w = 0; w < kWarps; w++) {
        const u32 n = sh.next[w * kDigitValues + threadIdx.x];
        sh.next[w * kDigitValues + threadIdx.x] = at;
        at += n;
      }
      sh.bases[threadIdx.x] = at;
    }
    __syncthreads();
    for (u32 k = 0; k < kDigitStretch; k += 32) {
      const u64 j = first + k + lane();
      const bool have = j < count;
      const K key = have ? from[j] : 0;
      const u32 d = digit_of(key);
      u32 same = __ballot_sync(kAll, have);  // lanes with the same digit
#pragma unroll
      for (u32 b = 0; b < kDigitBits; b++) {
        const u32 set = __ballot_sync(kAll, d >> b & 1);
        same &= d >> b & 1 ? set : ~set;
      }
      u32 at = 0;
      if (have) at = mine[d] + __popc(same & lanes_below());
      __syncwarp();
      if (have) {
        if (lane() == u32(__ffs(same)) - 1) mine[d] += __popc(same);
        to[at] = key;
      }
      __syncwarp();
    }
    __syncthreads();
  }
  return true;
}

}  // namespace foray

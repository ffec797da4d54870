// This file holds what several GPUs do to make rows that are dealt out (deal.go): pairs get numbers
// that say whose their sources are, rows become pairs again once vertices have their numbers, and in the
// end targets get the numbers that searches want (placed.Across).
#pragma once

#include "internal/layout/rows/rows.cuh"

// Loops aren't unrolled: they wait for memory, and each image weighs on every clone.
namespace foray {

constexpr u32 kDealtSwapped = 1;  // DealArgs::flags: deal_rows makes pairs of the reverse

// Counters of the slot.
constexpr u32 kCandidates = 0;  // vertices whose rows aren't empty
constexpr u32 kWords = 1;       // of 32 bits, up to the last of them

// DealArgs is what the kernels take. While rows are made, number x belongs to GPU x mod devices, and its
// dealt number is that GPU << bits | x div devices.
struct DealArgs {
  u64* pairs;         // source << 32 | target
  u64 count;          // of them, or of entries
  u32* seen;          // of deal_pairs: a bit for each number; or null
  const u64* begins;  // for deal_rows: how many entries the rows before each row have; the last one is the total
  const u64* starts;  // where the rows begin in entries
  u32* entries;       // targets
  const u32* place;   // vertex of a number; null: the number itself
  u64 from;           // of deal_rows: the first entry at work
  const u64* offsets; // of deal_first: where rows begin
  u32* first;         // as placed.Part has them
  u32* none;
  Post post;
  u32 rows;           // of this GPU
  u32 me;
  u32 devices;
  u32 bits;
  u32 base;           // of deal_pairs: what numbers are less than ids
  u32 flags;
  u32 stride;         // of placed.Across
  u32 pad;
};

__device__ __forceinline__ u32 dealt(const DealArgs& a, u32 x) { return x % a.devices << a.bits | x / a.devices; }
__device__ __forceinline__ u32 number_of(const DealArgs& a, u32 dealt) {
  return (dealt & ((1u << a.bits) - 1)) * a.devices + (dealt >> a.bits);
}

// deal_pairs gives both ends of pairs their dealt numbers.
__device__ __forceinline__ void deal_pairs(const DealArgs& a) {
#pragma unroll 1
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const u64 x = a.pairs[i];
    const u32 source = u32(x >> 32) - a.base, target = u32(x) - a.base;
    if (a.seen) {
      see(a.seen, source);
      see(a.seen, target);
    }
    a.pairs[i] = u64(dealt(a, source)) << 32 | dealt(a, target);
  }
}

// row_at returns the row of an entry, which is one of first to last.
__device__ __forceinline__ u32 row_at(const u64* begins, u64 entry, u32 first, u32 last) {
#pragma unroll 1
  while (first < last) {
    const u32 middle = last - (last - first) / 2;
    if (begins[middle] <= entry) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}

// deal_rows makes a pair of each entry of rows, from one on: the dealt number of its source's vertex, and
// its target's vertex; or, swapped, the other way round. A warp takes kDealtRun entries at a time, so that rows
// are looked for between few.
constexpr u32 kDealtRun = 256;
__device__ __forceinline__ void deal_rows(const DealArgs& a) {
  const u64 runs = (a.count + kDealtRun - 1) / kDealtRun;
#pragma unroll 1
  for (u64 run = u64(blockIdx.x) * kWarps + warp(); run < runs; run += u64(gridDim.x) * kWarps) {
    const u64 begin = run * kDealtRun, end = min(begin + kDealtRun, a.count);
    const u32 first = row_at(a.begins, a.from + begin, 0, a.rows - 1);
    const u32 last = row_at(a.begins, a.from + end - 1, first, a.rows - 1);
#pragma unroll 1
    for (u64 i = begin + lane(); i < end; i += 32) {
      const u32 row = row_at(a.begins, a.from + i, first, last);
      u32 source = row * a.devices + a.me;
      u32 target = number_of(a, a.entries[a.starts[row] + (a.from + i - a.begins[row])]);
      if (a.place) {
        source = a.place[source];
        target = a.place[target];
      }
      if (a.flags & kDealtSwapped) {
        const u32 other = source;
        source = target;
        target = other;
      }
      a.pairs[i] = u64(dealt(a, source)) << 32 | target;
    }
  }
}

__device__ __forceinline__ u32 number_across(const DealArgs& a, u32 v) { return v % a.devices * a.stride + v / a.devices; }

// deal_targets gives vertices their numbers over all GPUs.
__device__ __forceinline__ void deal_targets(const DealArgs& a) {
#pragma unroll 1
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) a.entries[i] = number_across(a, a.entries[i]);
}

// deal_first writes what a pull probes of each row, as rows_first does: the first target, whose number it
// has already. none has bits for the whole stride.
__device__ __forceinline__ void deal_first(const DealArgs& a) {
  u32 candidates = 0, words = 0;
#pragma unroll 1
  for (u32 word = blockIdx.x * kWarps + warp(); word < a.stride / 32; word += gridDim.x * kWarps) {
    const u32 l = word * 32 + lane();
    const u64 at = l < a.rows ? a.offsets[l] : 0;
    const bool empty = l >= a.rows || at == a.offsets[l + 1];
    if (l < a.rows) a.first[l] = empty ? a.me * a.stride + l : a.entries[at];
    const u32 mask = __ballot_sync(kAll, empty);
    if (lane() != 0) continue;
    a.none[word] = mask;
    if (mask != kAll) words = word + 1;
    candidates += __popc(~mask);
  }
  if (candidates) {
    atomicAdd(&a.post.slot->counts[kCandidates], u64(candidates));
    atomicMax(&a.post.slot->counts[kWords], u64(words));
  }
}

}  // namespace foray

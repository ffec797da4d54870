// This file numbers sparse ids: a hash table finds the distinct ids, the host sorts
// them, and each edge gets the positions of its two ids.
#pragma once

#include "frontier/bitmap.cuh"
#include "internal/layout/rows/made.cuh"

namespace foray {

constexpr u64 kLastKey = ~u64(0);  // isn't in the table: nothing is after it
constexpr u32 kTries = 1 << 12;    // of a key in a table that is too full

// Counters of the slot.
constexpr u32 kFound = 0;  // keys that differ
constexpr u32 kLast = 1;   // not 0: kLastKey is among the keys
constexpr u32 kFull = 2;   // not 0: a key found no place

struct IdSlot {
  u64 key;  // and 1; 0: none
  u32 rank;
  u32 pad;
};

struct IdArgs {
  const u64* keys;    // two an edge, then those of other vertices
  u64 count;
  u64 edges;
  IdSlot* slots;
  u64 mask;           // of where a key may be
  u64* found;         // keys that differ, in no order
  const u64* sorted;  // in order
  u64 distinct;       // how many, kLastKey too
  u64* pairs;
  Post post;
};

__device__ __forceinline__ u64 slot_of(const IdArgs& a, u64 key) { return mix64(key) & a.mask; }

// ids_insert puts the keys into the table.
__device__ __forceinline__ void ids_insert(const IdArgs& a) {
  u32 found = 0;
  bool last = false, full = false;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const u64 key = a.keys[i];
    if (key == kLastKey) {
      last = true;
      continue;
    }
    u64 at = slot_of(a, key);
    u32 tries = 0;
    for (; tries < kTries; tries++, at = (at + 1) & a.mask) {
      u64 is = *(const volatile u64*)&a.slots[at].key;
      if (is == 0) {
        is = atomicCAS(&a.slots[at].key, u64(0), key + 1);
        if (is == 0) {
          found++;
          break;
        }
      }
      if (is == key + 1) break;
    }
    if (tries == kTries) full = true;
  }
  u64* counts = a.post.slot->counts;
  if (found) atomicAdd(counts + kFound, u64(found));
  if (last) atomicAdd(counts + kLast, u64(1));
  if (full) atomicAdd(counts + kFull, u64(1));
}

// ids_list lists the keys of the table.
__device__ __forceinline__ void ids_list(const IdArgs& a) {
  for (u64 base = (u64(blockIdx.x) * kWarps + warp()) * 32; base <= a.mask; base += u64(gridDim.x) * kBlock) {
    const u64 key = base + lane() <= a.mask ? a.slots[base + lane()].key : 0;
    const u32 mask = __ballot_sync(kAll, key != 0);
    if (mask == 0) continue;
    u64 at = 0;
    if (lane() == 0) at = atomicAdd(&a.post.slot->counts[kFound], u64(__popc(mask)));
    at = __shfl_sync(kAll, at, 0);
    if (key) a.found[at + __popc(mask & lanes_below())] = key - 1;
  }
}

// slot_with is where the table has a key.
__device__ __forceinline__ u64 slot_with(const IdArgs& a, u64 key) {
  u64 at = slot_of(a, key);
  while (a.slots[at].key != key + 1) at = (at + 1) & a.mask;
  return at;
}

// ids_rank writes places into the table.
__device__ __forceinline__ void ids_rank(const IdArgs& a) {
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.distinct; i += u64(gridDim.x) * kBlock) {
    const u64 key = a.sorted[i];
    if (key != kLastKey) a.slots[slot_with(a, key)].rank = u32(i);
  }
}

__device__ __forceinline__ u32 rank_of(const IdArgs& a, u64 key) {
  return key == kLastKey ? u32(a.distinct - 1) : a.slots[slot_with(a, key)].rank;
}

// ids_pairs makes the pairs.
__device__ __forceinline__ void ids_pairs(const IdArgs& a) {
  for (u64 e = u64(blockIdx.x) * kBlock + threadIdx.x; e < a.edges; e += u64(gridDim.x) * kBlock) {
    const u32 source = rank_of(a, a.keys[2 * e]), target = rank_of(a, a.keys[2 * e + 1]);
    a.pairs[e] = u64(source) << 32 | target;
  }
}

}  // namespace foray

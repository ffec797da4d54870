// This file holds the rows of a graph that is larger than the device's memory. A kernel includes it before
// all else: then the targets of a Csr are TieredTargets.
//
// Whole rows are in pinned memory of the host. The device has the near rows: the first entries of each row,
// which are its best neighbors, and all entries of the rows of hubs. Pulls look at near rows, and
// read on in the host's memory for candidates that found nothing there. Pushes read the rows of hubs on the
// device, and all others in the host's memory.
#pragma once

#include "operators/advance/row.cuh"

namespace foray {

// Tiers is where the parts of the rows are. It is in device memory.
struct Tiers {
  const u32* near;       // near rows of out-edges
  const u32* far;        // whole rows of out-edges, in the host's memory
  u64 split;             // entries below are the same in near and far
  const void* offsets;   // whole rows of in-edges, n + 1
  const u32* targets;    // in the host's memory
  const u32* whole;      // bitmap: vertices whose near row is the whole row of in-edges; bits past n are set
};

// TieredTargets are the targets of pushes: in tiers, entry by entry. Or they are near rows, which pulls read.
struct TieredTargets {
  uintptr_t at;  // an odd address: the Tiers are one byte before it; else that of near rows

  __device__ __forceinline__ const Tiers& tiers() const { return *(const Tiers*)(at - 1); }
  __device__ __forceinline__ u32 operator[](u64 e) const {
    if (!(at & 1)) return ((const u32*)at)[e];
    const Tiers& t = tiers();
    return (e < t.split ? t.near : t.far)[e];
  }
  // of near rows
  __device__ __forceinline__ const u32* operator+(u64 e) const { return (const u32*)at + e; }
  __device__ __forceinline__ explicit operator bool() const { return at != 0; }
};

template <>
struct Csr<u32> {
  const u32* offsets;  // n + 1
  TieredTargets targets;
  u32 n;
  u32 pad;
};

template <>
struct Csr<u64> {
  const u64* offsets;
  TieredTargets targets;
  u32 n;
  u32 pad;
};

}  // namespace foray

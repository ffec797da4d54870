// This file holds what goes through a list of vertices of a graph that is dealt out to several GPUs.
#pragma once

#include "algos/internal/lanes/steps/lanes.cuh"

namespace foray {

// LanesList is vertices of a graph that is dealt out, and a word for each.
struct LanesList {
  const u32* items;
  u64* words;
  u64* of;    // the array, by number
  u64 count;  // of items
  u32 first, own;  // a part's vertices
};
static_assert(sizeof(LanesList) == 40, "the host has the same layout");

// lanes_begin gives vertices their lanes, those of other parts too.
__device__ __forceinline__ void lanes_begin(const LanesList& a) {
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) a.of[a.items[i]] = a.words[i];
}

// lanes_look fetches the words of a part's own vertices.
__device__ __forceinline__ void lanes_look(const LanesList& a) {
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const u32 v = a.items[i];
    if (v - a.first < a.own) a.words[i] = a.of[v];
  }
}

}  // namespace foray

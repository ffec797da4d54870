// This file unites trees within tiles: a block has the parents of a tile's vertices in
// shared memory, where a step toward the root takes a tenth of the time that it takes in the GPU's memory.
#pragma once

#include "operators/advance/row.cuh"

namespace foray {

constexpr u32 kUniteThreads = 1024;

template <class Offset>
struct UniteArgs {
  Csr<Offset> g;
  u32* label;
  u32 tile;   // vertices; as many words of shared memory
  u32 looks;  // edges of a vertex that are looked at
  u32 beside; // not 0: most vertices have the one before them for a neighbor
  u32 pad;
};

// join_in_tile joins the trees of two vertices: the larger root hangs below the smaller one.
__device__ __forceinline__ void join_in_tile(u32* up, u32 a, u32 b) {
  volatile u32* seen = up;
  u32 p = seen[a], q = seen[b];
  while (p != q) {
    const u32 high = max(p, q), low = min(p, q);
    const u32 was = atomicCAS(up + high, high, low);
    if (was == high || was == low) return;
    p = seen[was];
    if (p != was) seen[high] = p;  // the way is shorter for those who come after
    q = seen[low];
  }
}

// hang hangs every vertex of a tile below its smallest neighbor, and makes all ways up a step long: joining
// edge by edge makes ways of thousands of steps where neighbors are next to one another. It returns a
// bit for each of the thread's vertices that has another neighbor to join. A tile has 32 vertices a
// thread at most.
template <class Offset>
__device__ __forceinline__ u32 hang(const UniteArgs<Offset>& a, u32 base, u32 size, u32* up) {
  u32 more = 0;
  for (u32 i = threadIdx.x, bit = 1; i < size; i += kUniteThreads, bit <<= 1) {
    const Offset begin = a.g.offsets[base + i], row = a.g.offsets[base + i + 1] - begin, n = row < a.looks ? row : a.looks;
    u32 low = i;
    for (Offset k = 0; k < n; k++) {
      const u32 t = a.g.targets[begin + k] - base;  // what is before the tile is large
      if (t < i && low < i) more |= bit;
      low = min(low, t);
    }
    up[i] = low;
  }
  __syncthreads();
  volatile u32* seen = up;
  bool goes;
  do {
    goes = false;
    for (u32 i = threadIdx.x; i < size; i += kUniteThreads) {
      const u32 p = seen[i], q = seen[p];
      if (q == p) continue;
      seen[i] = q;
      goes = true;
    }
  } while (__syncthreads_count(goes) > kUniteThreads / 2);  // the few that are left are walked
  return more;
}

// unite_tiles writes, for every vertex, the smallest one that edges within its tile join it to.
template <class Offset>
__device__ __forceinline__ void unite_tiles(const UniteArgs<Offset>& a) {
  extern __shared__ __align__(16) unsigned char shared[];
  u32* up = (u32*)shared;
  for (u64 first = u64(blockIdx.x) * a.tile; first < a.g.n; first += u64(gridDim.x) * a.tile) {
    const u32 base = u32(first), size = min(a.tile, a.g.n - base);
    u32 more = kAll;  // a bit for each of the thread's vertices with a neighbor to join
    if (a.beside) {
      more = hang(a, base, size, up);
    } else {
      for (u32 i = threadIdx.x; i < size; i += kUniteThreads) up[i] = i;
      __syncthreads();
    }
    for (u32 i = threadIdx.x, bit = 1; i < size; i += kUniteThreads, bit <<= 1) {
      if (!(more & bit)) continue;
      const Offset begin = a.g.offsets[base + i], row = a.g.offsets[base + i + 1] - begin, n = row < a.looks ? row : a.looks;
      for (Offset k = 0; k < n; k++) {
        const u32 t = a.g.targets[begin + k];
        if (t - base < i) join_in_tile(up, i, t - base);  // the larger vertex joins
      }
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < size; i += kUniteThreads) {
      u32 root = i;
      while (up[root] != root) root = up[root];
      a.label[base + i] = base + root;
    }
    __syncthreads();
  }
}

}  // namespace foray

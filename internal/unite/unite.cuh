// This file holds the uniting of trees within tiles: a block has the parents of a tile's vertices in
// shared memory, where a step on the way up takes a tenth of what it takes in the GPU's memory.
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

// unite_tiles writes, for every vertex, the smallest one that edges within its tile join it to.
template <class Offset>
__device__ __forceinline__ void unite_tiles(const UniteArgs<Offset>& a) {
  extern __shared__ __align__(16) unsigned char shared[];
  u32* up = (u32*)shared;
  for (u64 first = u64(blockIdx.x) * a.tile; first < a.g.n; first += u64(gridDim.x) * a.tile) {
    const u32 base = u32(first), size = min(a.tile, a.g.n - base);
    // Everybody hangs below its smallest neighbour, and ways up are halved while they are long: joining
    // edge by edge makes ways of thousands of steps where neighbours are next to one another.
    u32 more = 0;  // a bit for each of the thread's vertices with another neighbour to join
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
    u32 goes;
    do {
      __syncthreads();
      volatile u32* seen = up;
      goes = 0;
      for (u32 i = threadIdx.x; i < size; i += kUniteThreads) {
        const u32 p = seen[i], q = seen[p];
        if (q == p) continue;
        seen[i] = q;
        goes = 1;
      }
    } while (__syncthreads_count(goes) > kUniteThreads / 2);
    for (u32 i = threadIdx.x, bit = 1; i < size; i += kUniteThreads, bit <<= 1) {
      if (!(more & bit)) continue;
      const Offset begin = a.g.offsets[base + i], row = a.g.offsets[base + i + 1] - begin, n = row < a.looks ? row : a.looks;
      for (Offset k = 0; k < n; k++) {
        const u32 t = a.g.targets[begin + k];
        if (t - base < i) join_in_tile(up, i, t - base);  // whoever is larger joins
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

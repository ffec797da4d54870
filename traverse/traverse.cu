// The kernels that fill the arrays of a traversal.
#include "frontier/queue.cuh"

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

FORAY_KERNEL fill_u64(foray::u64* a, foray::u64 x, foray::u64 n) {
  for (foray::u64 i = foray::u64(blockIdx.x) * foray::kBlock + threadIdx.x; i < n; i += foray::u64(gridDim.x) * foray::kBlock) a[i] = x;
}

// numbers writes every entry's own number.
FORAY_KERNEL numbers(foray::u32* a, foray::u32 n) {
  for (foray::u64 i = foray::u64(blockIdx.x) * foray::kBlock + threadIdx.x; i < n; i += foray::u64(gridDim.x) * foray::kBlock) a[i] = foray::u32(i);
}

// degrees writes the length of every row.
template <class Offset>
__device__ __forceinline__ void degrees(foray::u32* a, const Offset* offsets, foray::u32 n) {
  for (foray::u64 i = foray::u64(blockIdx.x) * foray::kBlock + threadIdx.x; i < n; i += foray::u64(gridDim.x) * foray::kBlock) {
    a[i] = foray::u32(offsets[i + 1] - offsets[i]);
  }
}
FORAY_KERNEL degrees_o32(foray::u32* a, const foray::u32* offsets, foray::u32 n) { degrees(a, offsets, n); }
FORAY_KERNEL degrees_o64(foray::u32* a, const foray::u64* offsets, foray::u32 n) { degrees(a, offsets, n); }

// firsts writes the first target of every row, the vertex itself for an empty one.
template <class Offset>
__device__ __forceinline__ void firsts(foray::u32* a, const Offset* offsets, const foray::u32* targets, foray::u32 n) {
  for (foray::u64 i = foray::u64(blockIdx.x) * foray::kBlock + threadIdx.x; i < n; i += foray::u64(gridDim.x) * foray::kBlock) {
    const Offset at = offsets[i];
    a[i] = at < offsets[i + 1] ? targets[at] : foray::u32(i);
  }
}
FORAY_KERNEL firsts_o32(foray::u32* a, const foray::u32* offsets, const foray::u32* targets, foray::u32 n) { firsts(a, offsets, targets, n); }
FORAY_KERNEL firsts_o64(foray::u32* a, const foray::u64* offsets, const foray::u32* targets, foray::u32 n) { firsts(a, offsets, targets, n); }

// put writes one element of 4 or 8 bytes.
FORAY_KERNEL put(foray::u32* a, foray::u64 x, foray::u64 at, foray::u32 wide) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  if (wide) {
    ((foray::u64*)a)[at] = x;
  } else {
    a[at] = foray::u32(x);
  }
}

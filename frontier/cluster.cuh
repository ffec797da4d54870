// This file holds what the blocks of a thread-block cluster do together:
// barriers, and stores into one another's shared memory. On devices without
// clusters a cluster is one block.
#pragma once

#include "frontier/ptx.cuh"
#include "frontier/queue.cuh"

namespace foray {

constexpr u32 kClusterBlocks = 16;  // the most there are

__device__ __forceinline__ u32 cluster_rank() {
#if __CUDA_ARCH__ >= 900
  return ptx::cluster_rank();
#else
  return 0;
#endif
}

__device__ __forceinline__ u32 cluster_size() {
#if __CUDA_ARCH__ >= 900
  return ptx::cluster_size();
#else
  return 1;
#endif
}

// cluster_meet waits for all threads of the cluster; what they wrote is visible
// to them afterwards. Its two halves let a thread do something in between, which
// is visible to others after the next one.
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
  ptx::cluster_arrive();
#endif
}

__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
  ptx::cluster_wait();
#else
  __syncthreads();
#endif
}

__device__ __forceinline__ void cluster_meet() {
  cluster_arrive();
  cluster_wait();
}

// cluster_put stores x where p is in this block's shared memory, but in that of
// the block of that rank.
__device__ __forceinline__ void cluster_put(u64* p, u32 rank, u64 x) {
#if __CUDA_ARCH__ >= 900
  ptx::store_in_cluster(p, rank, x);
#else
  *p = x;
#endif
}

// cluster_put_if is that where it is wanted, without a branch.
__device__ __forceinline__ void cluster_put_if(bool want, u64* p, u32 rank, u64 x) {
#if __CUDA_ARCH__ >= 900
  ptx::store_in_cluster_if(want, p, rank, x);
#else
  if (want) *p = x;
#endif
}

}  // namespace foray

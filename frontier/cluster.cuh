// This file holds what the blocks of a thread-block cluster do together:
// barriers, and stores into one another's shared memory. On devices without
// clusters a cluster is one block.
#pragma once

#include "frontier/queue.cuh"

namespace foray {

constexpr u32 kClusterBlocks = 16;  // the most there are

__device__ __forceinline__ u32 cluster_rank() {
#if __CUDA_ARCH__ >= 900
  u32 x;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(x));
  return x;
#else
  return 0;
#endif
}

__device__ __forceinline__ u32 cluster_size() {
#if __CUDA_ARCH__ >= 900
  u32 x;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(x));
  return x;
#else
  return 1;
#endif
}

// cluster_meet waits for all threads of the cluster; what they wrote is visible
// to them afterwards. Its two halves let a thread do something in between, which
// is visible to others after the next one.
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
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
  const u32 mine = u32(__cvta_generic_to_shared(p));
  u32 there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(rank));
  asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(there), "l"(x) : "memory");
#else
  *p = x;
#endif
}

}  // namespace foray

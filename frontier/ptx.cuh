// This file holds the instructions that CUDA C++ has no name for, a function
// each. The emulator (internal/testing/emulator) replaces this file.
#pragma once

namespace foray {
namespace ptx {

using u32 = unsigned;
using u64 = unsigned long long;

// cluster_rank and cluster_size are the block's place in its cluster and the
// cluster's number of blocks.
__device__ __forceinline__ u32 cluster_rank() {
  u32 x;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(x));
  return x;
}

__device__ __forceinline__ u32 cluster_size() {
  u32 x;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(x));
  return x;
}

// cluster_arrive and cluster_wait are the halves of a cluster's barrier.
__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }

// in_cluster returns the address, in the cluster's shared memory, of the word at the same
// place as p in the shared memory of the block with that rank.
__device__ __forceinline__ u32 in_cluster(const u64* p, u32 rank) {
  u32 there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(u32(__cvta_generic_to_shared(p))), "r"(rank));
  return there;
}

// store_in_cluster stores x there; store_in_cluster_if where that is wanted,
// without a branch.
__device__ __forceinline__ void store_in_cluster(u64* p, u32 rank, u64 x) {
  asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(in_cluster(p, rank)), "l"(x) : "memory");
}
__device__ __forceinline__ void store_in_cluster_if(bool want, u64* p, u32 rank, u64 x) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; @p st.shared::cluster.u64 [%1], %2;}" ::"r"(u32(want)), "r"(in_cluster(p, rank)), "l"(x) : "memory");
}
// count_if adds one to a counter in this block's shared memory, where that is wanted,
// and returns what it was, without a branch.
__device__ __forceinline__ u32 count_if(bool want, u32* p) {
  u32 x = 0;
  asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p atom.shared.add.u32 %0, [%2], 1;}" : "+r"(x) : "r"(u32(want)), "r"(u32(__cvta_generic_to_shared(p))) : "memory");
  return x;
}

// globaltimer is the device's clock, in nanoseconds.
__device__ __forceinline__ u64 globaltimer() {
  u64 t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

// kept returns p in a register: the compiler forgets how it was worked out, and so
// doesn't do it again at every use.
__device__ __forceinline__ const u32* kept(const u32* p) {
  asm("" : "+l"(p));
  return p;
}

// add_release adds x to the word at p: a thread that loads the sum with load_acquire sees what this
// thread wrote, or saw written, before. count_acq_rel adds one with both orders;
// it returns the previous value.
__device__ __forceinline__ void add_release(u64* p, u64 x) {
  asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
}
__device__ __forceinline__ u64 load_acquire(const u64* p) {
  u64 x;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
  return x;
}
__device__ __forceinline__ u32 load_acquire(const u32* p) {
  u32 x;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
  return x;
}
__device__ __forceinline__ u32 count_acq_rel(u32* p) {
  u32 x;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(p) : "memory");
  return x;
}

// load_acquire_system is load_acquire where another device, or the host, may have stored the word.
__device__ __forceinline__ u64 load_acquire_system(const u64* p) {
  u64 x;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
  return x;
}
__device__ __forceinline__ u32 load_acquire_system(const u32* p) {
  u32 x;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
  return x;
}
// store_release_system stores x: what loads it with load_acquire_system, on any device, sees what this
// thread wrote, or saw written, before.
__device__ __forceinline__ void store_release_system(u64* p, u64 x) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
}
// or_system sets bits of a word that other devices set bits of too, in any order with other accesses.
__device__ __forceinline__ void or_system(u32* p, u32 x) {
  asm volatile("red.relaxed.sys.global.or.b32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
}

// prefetch brings what is at p into the second-level cache.
__device__ __forceinline__ void prefetch(const void* p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }

// load_once loads what is read once: it stays out of the first-level cache, which
// is for the frontier's bits.
__device__ __forceinline__ u32 load_once(const u32* p) {
  u32 x;
  asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(x) : "l"(p));
  return x;
}
__device__ __forceinline__ u64 load_once(const u64* p) {
  u64 x;
  asm volatile("ld.global.L1::no_allocate.u64 %0, [%1];" : "=l"(x) : "l"(p));
  return x;
}
__device__ __forceinline__ uint4 load_once(const uint4* p) {
  uint4 x;
#if __CUDA_ARCH__ >= 750
  asm volatile("ld.global.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(p));
#else
  x = *p;
#endif
  return x;
}

// store_once stores what isn't read again soon.
__device__ __forceinline__ void store_once(int4* p, const int4& x) {
  asm volatile("st.global.cs.v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w) : "memory");
}

}  // namespace ptx
}  // namespace foray

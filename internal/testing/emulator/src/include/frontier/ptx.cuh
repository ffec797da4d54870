// This file stands in for frontier/ptx.cuh of the project: the instructions that
// CUDA C++ has no name for, in the emulator.
#pragma once

namespace foray {
namespace ptx {

using u32 = unsigned;
using u64 = unsigned long long;

inline u32 cluster_rank() { return emu::cluster_rank(); }
inline u32 cluster_size() { return emu::cluster_size(); }
inline void cluster_arrive() { emu::cluster_arrive(); }
inline void cluster_wait() { emu::cluster_wait(); }
inline void store_in_cluster(u64* p, u32 rank, u64 x) { *(u64*)emu::in_cluster(p, rank) = x; }
inline void store_in_cluster_if(bool want, u64* p, u32 rank, u64 x) {
  if (want) store_in_cluster(p, rank, x);
}
inline u32 count_if(bool want, u32* p) { return want ? atomicAdd(p, 1u) : 0; }
inline u64 globaltimer() { return emu::clock_ns(); }
inline const u32* kept(const u32* p) { return p; }
inline void add_release(u64* p, u64 x) { atomicAdd(p, x); }
inline u64 load_acquire(const u64* p) { return *(const volatile u64*)p; }
inline u32 load_acquire(const u32* p) { return *(const volatile u32*)p; }
inline u32 count_acq_rel(u32* p) { return atomicAdd(p, 1u); }
inline u64 load_acquire_system(const u64* p) { return load_acquire(p); }
inline u32 load_acquire_system(const u32* p) { return load_acquire(p); }
inline void store_release_system(u64* p, u64 x) {
  emu::fence();
  *(volatile u64*)p = x;
}
inline void or_system(u32* p, u32 x) { atomicOr(p, x); }
inline void prefetch(const void*) {}
inline u32 load_once(const u32* p) { return *p; }
inline u64 load_once(const u64* p) { return *p; }
inline uint4 load_once(const uint4* p) { return *p; }

inline void store_once(int4* p, const int4& x) { *p = x; }

}  // namespace ptx
}  // namespace foray

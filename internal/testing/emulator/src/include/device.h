// This file holds CUDA's built-in names, for the host's compiler: types,
// variables, barriers, warp intrinsics and atomic operations. It is read before
// every kernel source. Signatures are from the CUDA C++ Programming Guide.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emu.h"

#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__

struct __align__(16) uint4 {
  unsigned x, y, z, w;
};
struct __align__(16) int4 {
  int x, y, z, w;
};
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }
inline int4 make_int4(int x, int y, int z, int w) { return int4{x, y, z, w}; }

#define threadIdx (emu::self().idx)
#define blockIdx (emu::self().shape->block_idx)
#define blockDim (emu::self().shape->block_dim)
#define gridDim (emu::self().shape->grid_dim)
#define warpSize 32

inline void __syncthreads() { emu::meet_block(emu::kBarrier, 0); }
inline int __syncthreads_or(int x) { return int(emu::meet_block(emu::kBarrierOr, x != 0)); }
inline int __syncthreads_and(int x) { return int(emu::meet_block(emu::kBarrierAnd, x != 0)); }
inline int __syncthreads_count(int x) { return int(emu::meet_block(emu::kBarrierCount, x != 0)); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emu::meet_warp(emu::kSyncWarp, mask, 0, 0); }

inline unsigned __ballot_sync(unsigned mask, int x) { return unsigned(emu::meet_warp(emu::kBallot, mask, x != 0, 0)); }
inline int __any_sync(unsigned mask, int x) { return int(emu::meet_warp(emu::kAny, mask, x != 0, 0)); }
inline int __all_sync(unsigned mask, int x) { return int(emu::meet_warp(emu::kAllOf, mask, x != 0, 0)); }

namespace emu {
template <class T>
inline T shuffle(Op op, unsigned mask, T x, unsigned lane, int width) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable<T>::value, "a shuffle moves up to 8 bytes");
  if (width != 32) fail("a shuffle of another width than 32, which isn't emulated");
  u64 word = 0;
  std::memcpy(&word, &x, sizeof x);
  word = meet_warp(op, mask, word, lane);
  std::memcpy(&x, &word, sizeof x);
  return x;
}
template <class T>
using Same = typename std::common_type<T>::type;  // not deduced
template <class T>
inline T atomic_of(Atomic op, T* p, T x) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomic operations are of 4 or 8 bytes");
  static_assert(std::is_integral<T>::value, "atomic operations on floats aren't emulated");
  if (std::is_signed<T>::value && op == kMin) op = kMinSigned;
  if (std::is_signed<T>::value && op == kMax) op = kMaxSigned;
  return T(atomic(op, p, u64(x), sizeof x));
}
}  // namespace emu

template <class T> inline T __shfl_sync(unsigned m, T x, int from, int width = 32) { return emu::shuffle(emu::kShfl, m, x, from, width); }
template <class T> inline T __shfl_up_sync(unsigned m, T x, unsigned d, int width = 32) { return emu::shuffle(emu::kShflUp, m, x, d, width); }
template <class T> inline T __shfl_down_sync(unsigned m, T x, unsigned d, int width = 32) { return emu::shuffle(emu::kShflDown, m, x, d, width); }
template <class T> inline T __shfl_xor_sync(unsigned m, T x, int d, int width = 32) { return emu::shuffle(emu::kShflXor, m, x, d, width); }

template <class T>
inline unsigned __match_any_sync(unsigned m, T x) {
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32; lane++) {
    if ((m >> lane & 1) && __shfl_sync(m, x, int(lane)) == x) same |= 1u << lane;
  }
  return same;
}

inline unsigned __reduce_add_sync(unsigned m, unsigned x) { return unsigned(emu::meet_warp(emu::kReduceAdd, m, x, 0)); }
inline unsigned __reduce_or_sync(unsigned m, unsigned x) { return unsigned(emu::meet_warp(emu::kReduceOr, m, x, 0)); }
inline unsigned __reduce_and_sync(unsigned m, unsigned x) { return unsigned(emu::meet_warp(emu::kReduceAnd, m, x, 0)); }
inline unsigned __reduce_min_sync(unsigned m, unsigned x) { return unsigned(emu::meet_warp(emu::kReduceMin, m, x, 0)); }
inline unsigned __reduce_max_sync(unsigned m, unsigned x) { return unsigned(emu::meet_warp(emu::kReduceMax, m, x, 0)); }

template <class T> inline T atomicAdd(T* p, emu::Same<T> x) { return emu::atomic_of(emu::kAdd, p, T(x)); }
template <class T> inline T atomicOr(T* p, emu::Same<T> x) { return emu::atomic_of(emu::kOr, p, T(x)); }
template <class T> inline T atomicAnd(T* p, emu::Same<T> x) { return emu::atomic_of(emu::kAnd, p, T(x)); }
template <class T> inline T atomicXor(T* p, emu::Same<T> x) { return emu::atomic_of(emu::kXor, p, T(x)); }
template <class T> inline T atomicExch(T* p, emu::Same<T> x) { return emu::atomic_of(emu::kExch, p, T(x)); }
template <class T> inline T atomicMin(T* p, emu::Same<T> x) { return emu::atomic_of(emu::kMin, p, T(x)); }
template <class T> inline T atomicMax(T* p, emu::Same<T> x) { return emu::atomic_of(emu::kMax, p, T(x)); }
template <class T> inline T atomicCAS(T* p, emu::Same<T> expected, emu::Same<T> x) { return T(emu::compare_swap(p, expected, x, sizeof(T))); }

inline void __threadfence() { emu::fence(); }
inline void __threadfence_block() { emu::fence(); }
inline void __threadfence_system() { emu::fence(); }

template <class T> inline T __ldg(const T* p) { return *p; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline double __dmul_rn(double x, double y) { return x * y; }  // nothing is fused here
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float fmaxf(float x, float y) { return std::max(x, y); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }

namespace emu {
template <class To, class From>
inline To bits_as(From x) {
  static_assert(sizeof(To) == sizeof(From), "the bits of one type as another of its size");
  To y;
  std::memcpy(&y, &x, sizeof y);
  return y;
}
}  // namespace emu
inline float __uint_as_float(unsigned x) { return emu::bits_as<float>(x); }
inline unsigned __float_as_uint(float x) { return emu::bits_as<unsigned>(x); }
inline float __int_as_float(int x) { return emu::bits_as<float>(x); }
inline int __float_as_int(float x) { return emu::bits_as<int>(x); }
inline double __longlong_as_double(long long x) { return emu::bits_as<double>(x); }
inline long long __double_as_longlong(double x) { return emu::bits_as<long long>(x); }

inline void __nanosleep(unsigned) { emu::breathe(); }
inline long long clock64() { return (long long)emu::ticks(); }

// min and max take what CUDA's do: both of one type, or the wider unsigned one.
template <class A, class B>
inline typename std::common_type<A, B>::type min(A a, B b) {
  using T = typename std::common_type<A, B>::type;
  return T(a) < T(b) ? T(a) : T(b);
}
template <class A, class B>
inline typename std::common_type<A, B>::type max(A a, B b) {
  using T = typename std::common_type<A, B>::type;
  return T(a) < T(b) ? T(b) : T(a);
}

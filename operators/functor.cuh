// This file holds what functors of a traversal are on a GPU, and how values are
// reduced. A functor is a struct of up to 48 bytes that kernels get by value:
//
//   struct Hop : foray::EdgeFunctor {        // a push: what happens at an edge
//     i32* depth;
//     __device__ bool edge(const foray::Edge& e) const;   // the target enters the next frontier
//   };
//
// An edge that returns nothing is for advance.Visit, one that returns foray::Due for
// advance.PushNear (operators/pile/pile.cuh).
//
//   struct Share : foray::VertexFunctor<> {  // a foreach: what happens at a vertex
//     __device__ Value vertex(u32 v, u32 level) const;    // reduced according to kReduce
//   };
//   struct Rank : foray::GatherFunctor<float, foray::kSum> {  // a reduce over edges
//     __device__ float gather(const foray::Edge& e) const;             // of an edge
//     __device__ Value apply(u32 v, float total, u32 level) const;     // of all edges of v
//   };
//
// Threads call them at once and in no order: what several may write takes atomic
// operations.
#pragma once

#include <type_traits>
#include <utility>

#include "frontier/bitmap.cuh"
#include "frontier/queue.cuh"
#include "operators/advance/push.cuh"

namespace foray {

// Edge is an edge as functors see it.
struct Edge {
  u32 source, target;
  u32 level;  // of the target: 1 in the first round
  u64 index;  // in the rows that are gone through: of weights and edge ids too
};

// Reductions. kMin and kMax ignore NaN; of NaN alone they are the infinity that they begin with.
constexpr u32 kNone = 0, kSum = 1, kMin = 2, kMax = 3, kOr = 4;

// Fold is how values of type T are reduced.
template <class T, u32 R>
struct Fold;
template <class T>
struct Fold<T, kNone> {
  __device__ static T identity() { return T(); }
  __device__ static T join(T a, T) { return a; }
};
template <class T>
struct Fold<T, kSum> {
  __device__ static T identity() { return T(0); }
  __device__ static T join(T a, T b) { return a + b; }
};
template <class T>
struct Fold<T, kOr> {
  __device__ static T identity() { return T(0); }
  __device__ static T join(T a, T b) { return a | b; }
};

// Limits are the least and the largest value of a type.
template <class T>
struct Limits;
template <>
struct Limits<u32> {
  __device__ static u32 least() { return 0; }
  __device__ static u32 most() { return ~u32(0); }
};
template <>
struct Limits<i32> {
  __device__ static i32 least() { return i32(0x80000000u); }
  __device__ static i32 most() { return 0x7fffffff; }
};
template <>
struct Limits<u64> {
  __device__ static u64 least() { return 0; }
  __device__ static u64 most() { return ~u64(0); }
};
template <>
struct Limits<long long> {
  __device__ static long long least() { return (long long)(u64(1) << 63); }
  __device__ static long long most() { return (long long)(~u64(0) >> 1); }
};
template <>
struct Limits<float> {
  __device__ static float most() { return __builtin_huge_valf(); }
  __device__ static float least() { return -most(); }
};
template <>
struct Limits<double> {
  __device__ static double most() { return __builtin_huge_val(); }
  __device__ static double least() { return -most(); }
};

template <class T>
struct Fold<T, kMin> {
  __device__ static T identity() { return Limits<T>::most(); }
  __device__ static T join(T a, T b) { return b < a || a != a ? b : a; }
};
template <class T>
struct Fold<T, kMax> {
  __device__ static T identity() { return Limits<T>::least(); }
  __device__ static T join(T a, T b) { return b > a || a != a ? b : a; }
};

// fold_warp reduces x over the warp; all lanes learn the total. The order is always the
// same, so that sums of floats are too.
template <class T, u32 R>
__device__ __forceinline__ T fold_warp(T x) {
#pragma unroll
  for (u32 d = 16; d > 0; d /= 2) x = Fold<T, R>::join(x, __shfl_xor_sync(kAll, x, d));
  return x;
}

// fold_block does so over the block; thread 0 learns the total. totals is shared
// memory, which may be used again after the next barrier.
template <class T, u32 R>
__device__ __forceinline__ T fold_block(T x, u64* totals) {
  static_assert(sizeof(T) <= 8, "values are of up to 8 bytes");
  x = fold_warp<T, R>(x);
  __syncthreads();
  if (lane() == 0) *(T*)&totals[warp()] = x;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (u32 w = 1; w < kWarps; w++) x = Fold<T, R>::join(x, *(T*)&totals[w]);
  }
  return x;
}

// Scalar is where a reduction over a frontier is left, of up to 8 bytes.
struct Scalar {
  u64* value;     // or null
  u64* partials;  // one a block
  u32* through;   // blocks that are; zero before and after
  u32 kind;       // as the host reads it; unused here
};

// reduce_into reduces what the threads of all blocks bring; the last block to get here
// writes the total, which the others see after the next barrier or kernel.
template <class T, u32 R>
__device__ __forceinline__ void reduce_into(T x, const Scalar& s, u64* totals) {
  static_assert(R == kNone || sizeof(T) == 8, "a scalar is a double or an integer of 64 bits");
  if (R == kNone || !s.value) return;
  x = fold_block<T, R>(x, totals);
  bool last = false;
  if (threadIdx.x == 0) {
    *(volatile T*)&s.partials[blockIdx.x] = x;
    __threadfence();
    last = ptx::count_acq_rel(s.through) == gridDim.x - 1;
  }
  if (!__syncthreads_or(last)) return;
  T sum = Fold<T, R>::identity();
  for (u32 b = threadIdx.x; b < gridDim.x; b += kBlock) sum = Fold<T, R>::join(sum, *(volatile T*)&s.partials[b]);
  sum = fold_block<T, R>(sum, totals);
  if (threadIdx.x == 0) {
    *(volatile u64*)s.value = 0;
    *(volatile T*)s.value = sum;
    *s.through = 0;
    __threadfence();
  }
}

// EdgeFunctor, VertexFunctor and GatherFunctor are the bases of functors. Value is what
// vertex and apply return, which is reduced over all of them in the way R.
struct EdgeFunctor {};

// Due is what the edge of a push with two piles returns: the stage at which the target is
// to be expanded, kNever to drop it.
constexpr u32 kNever = 0xffffffffu;
struct Due {
  u32 stage;
};

// kVisits and kSorts say what an EdgeFunctor's edge returns: nothing, or Due.
template <class F>
using Verdict = decltype(std::declval<const F&>().edge(std::declval<const Edge&>()));
template <class F>
constexpr bool kVisits = std::is_void<Verdict<F>>::value;
template <class F>
constexpr bool kSorts = std::is_same<Verdict<F>, Due>::value;

template <class V = u32, u32 R = kNone>
struct VertexFunctor {
  using Value = V;
  static constexpr u32 kReduce = R;
};

template <class T, u32 G, class V = u32, u32 R = kNone>
struct GatherFunctor {
  // pure says that gather leaves nothing behind: it may be called for an edge twice.
  __device__ __forceinline__ bool pure() const { return false; }
  using Total = T;  // of a vertex's edges, in the way G
  static constexpr u32 kGather = G;
  using Value = V;
  static constexpr u32 kReduce = R;
};

// Fields are a functor's, as the host lays them out (operators.Params).
constexpr u32 kFieldWords = 6;
template <class F>
union Fields {
  F f;
  u64 words[kFieldWords];
  __device__ Fields() {}
};

// AtEdge is an EdgeFunctor as a push calls it. Where there is a bitmap, what the functor
// lets through enters the frontier only if it sets its bit first.
struct Loud {};
template <class F>
struct AtEdge : std::conditional<kVisits<F>, Silent, Loud>::type {
  static_assert(sizeof(F) <= 8 * kFieldWords, "a functor has 48 bytes of fields at most");
  u64 words[kFieldWords];
  u32* seen;  // bitmap, or null
  u32 level;  // that is being assigned
  u32 pad;

  struct Shared {};
  __device__ void begin(Shared&) const {}
  __device__ void end(Shared&, Slot*) const {}
  __device__ __forceinline__ bool fresh(u32) const { return true; }
  __device__ __forceinline__ bool visit(Shared&, bool active, u32 source, u32 target, u64 edge) const {
    if (!active) return false;
    const F& f = *(const F*)words;
    if constexpr (kVisits<F>) {
      f.edge(Edge{source, target, level, edge});
      return false;
    } else {
      return f.edge(Edge{source, target, level, edge}) && (!seen || claim(seen, target));
    }
  }
  // let replaces visit if few targets are let through twice: it doesn't test the bit before.
  __device__ __forceinline__ bool let(u32 source, u32 target, u64 edge) const {
    if (!(*(const F*)words).edge(Edge{source, target, level, edge})) return false;
    const u32 bit = 1u << (target & 31);
    return !seen || (atomicOr(seen + (target >> 5), bit) & bit) == 0;
  }
};

}  // namespace foray

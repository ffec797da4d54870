// This file holds the functors of a traversal by number, as the operations of a program name
// them (repeat.cuh).
#pragma once

#include "operators/advance/merge.cuh"
#include "operators/foreach/foreach.cuh"
#include "operators/pile/pile.cuh"

namespace foray {

// Among calls one of some functors, by its number.
template <class... F>
struct Among {
  template <class Do>
  static __device__ __forceinline__ void call(u32, const u64*, Do&&) {}
};
template <class F, class... Others>
struct Among<F, Others...> {
  template <class Do>
  static __device__ __forceinline__ void call(u32 number, const u64* words, Do&& run) {
    static_assert(sizeof(F) <= 8 * kFieldWords, "a functor has 48 bytes of fields at most");
    if (number == 0) {
      Fields<F> x;
#pragma unroll
      for (u32 i = 0; i < (sizeof(F) + 7) / 8; i++) x.words[i] = words[i];
      run(x.f);
      return;
    }
    Among<Others...>::call(number - 1, words, run);
  }
};

// EdgeFunctors, VertexFunctors and GatherFunctors list a traversal's functors of each kind,
// numbered from 0 within a kind; Functors has them all.
template <class... F>
struct EdgeFunctors : Among<F...> {
  static constexpr bool kAnyVisits = (false || ... || kVisits<F>);
  static constexpr bool kAnySorts = (false || ... || kSorts<F>);
  // Pushes with piles in which blocks may run ahead (NearOptions.AnyRound), those in which they do so in chains
  // (NearOptions.Once), and whether there are others than these.
  static constexpr bool kAhead = kAnySorts, kChains = kAnySorts, kUnchained = true;
  // Along rows by weight, for which there is a kernel without other pushes and reductions.
  static constexpr bool kAnyLight = false, kAllElse = true;
  // Programs of one push over short rows alone, for which there is a kernel that is compiled sooner.
  static constexpr bool kShort = false;
  // has reports whether the program may have an operation, flat whether all rows are short.
  static __device__ __forceinline__ constexpr bool has(u32) { return true; }
  static __device__ __forceinline__ bool flat(u32 is) { return is != 0; }
};
template <class... F>
struct VertexFunctors : Among<F...> {};
template <class... F>
struct GatherFunctors : Among<F...> {};
template <class E, class V, class G>
struct Functors {
  using Edges = E;
  using Vertices = V;
  using Gathers = G;
};

}  // namespace foray

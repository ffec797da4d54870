// This file holds functors whose methods aren't known yet: where they are called stands a
// line that the host replaces by the PTX of a functor written in Go (splice.go). The names
// of these lines, and the order of their operands, are splice.go's too.
//
// A kernel may have several functors of a kind. Which one is meant is said before it is
// called: by FORAY_SELECT_EDGE and so on.
#pragma once

#include "operators/filter/entries.cuh"
#include "traverse/traversal.cuh"

namespace foray {

// The block has the fields of all functors of a kernel. It is the kernel's last parameter,
// from which their PTX loads.
constexpr u32 kBlockWords = 128;
struct FunctorBlock {
  u64 words[kBlockWords];
};

#ifdef FORAY_EMULATED
#define FORAY_SELECT(kind, number) emu::select(emu::FORAY_OF_##kind, number)
#define FORAY_OF_EDGE kEdges
#define FORAY_OF_VERTEX kVertices
#define FORAY_OF_GATHER kGathers
#else
#define FORAY_SELECT(kind, number) asm volatile("FORAY_SELECT_" #kind " %0;" ::"r"(number))
#endif

// hole_edge and the others are the lines.
__device__ __forceinline__ u32 hole_edge(const Edge& e) {
  u32 x;
#ifdef FORAY_EMULATED
  x = u32(emu::hole(emu::kHoleEdge, e.source, e.target, e.level, e.index));
#else
  asm volatile("FORAY_EDGE %0, %1, %2, %3, %4;" : "=r"(x) : "r"(e.source), "r"(e.target), "r"(e.level), "l"(e.index) : "memory");
#endif
  return x;
}
__device__ __forceinline__ bool hole_hit(const Edge& e) {
  u32 x;
#ifdef FORAY_EMULATED
  x = u32(emu::hole(emu::kHoleHit, e.source, e.target, e.level, e.index));
#else
  asm volatile("FORAY_HIT %0, %1, %2, %3, %4;" : "=r"(x) : "r"(e.source), "r"(e.target), "r"(e.level), "l"(e.index) : "memory");
#endif
  return x != 0;
}
// What the program has, as a constant (kHasPushes and the others).
__device__ __forceinline__ u32 hole_has() {
  u32 x;
#ifdef FORAY_EMULATED
  x = u32(emu::hole(emu::kHoleHas));
#else
  asm("FORAY_HAS %0;" : "=r"(x));  // not volatile: one line does for a kernel
#endif
  return x;
}
// A constant, so that the compiler drops what is for other functors.
__device__ __forceinline__ bool hole_pure() {
  u32 x;
#ifdef FORAY_EMULATED
  x = u32(emu::hole(emu::kHolePure));
#else
  asm volatile("FORAY_PURE %0;" : "=r"(x));
#endif
  return x != 0;
}
__device__ __forceinline__ u64 hole_vertex(u32 v, u32 level) {
  u64 x;
#ifdef FORAY_EMULATED
  x = emu::hole(emu::kHoleVertex, v, level);
#else
  asm volatile("FORAY_VERTEX %0, %1, %2;" : "=l"(x) : "r"(v), "r"(level) : "memory");
#endif
  return x;
}

// Of values of 32 and of 64 bits. What they mean, and how they are reduced, the functor
// knows. All lines are volatile: they depend on which functor was selected before.
template <class T>
struct Holes;
#ifdef FORAY_EMULATED
#define FORAY_HOLES(T, width)                                                                                      \
  template <>                                                                                                      \
  struct Holes<T> {                                                                                                \
    __device__ static T gather(const Edge& e) { return T(emu::hole(emu::kHoleGather##width, e.source, e.target, e.level, e.index)); } \
    __device__ static u64 apply(u32 v, T total, u32 level) { return emu::hole(emu::kHoleApply##width, v, total, level); }          \
    __device__ static T fold(T a, T b) { return T(emu::hole(emu::kHoleFold##width, a, b)); }                     \
    __device__ static T zero() { return T(emu::hole(emu::kHoleZero##width)); }                             \
    __device__ static T widened(u32 x) { return T(emu::hole(emu::kHoleWiden##width, x)); }                 \
    __device__ static u32 narrowed(T x) { return u32(emu::hole(emu::kHoleNarrow##width, x)); }             \
  };
FORAY_HOLES(u32, 32)
FORAY_HOLES(u64, 64)
#else
#define FORAY_HOLES(T, width, c)                                                                                   \
  template <>                                                                                                      \
  struct Holes<T> {                                                                                                \
    __device__ __forceinline__ static T gather(const Edge& e) {                                                    \
      T x;                                                                                                         \
      asm volatile("FORAY_GATHER" #width " %0, %1, %2, %3, %4;" : "=" c(x) : "r"(e.source), "r"(e.target), "r"(e.level), "l"(e.index)); \
      return x;                                                                                                    \
    }                                                                                                              \
    __device__ __forceinline__ static u64 apply(u32 v, T total, u32 level) {                                       \
      u64 x;                                                                                                       \
      asm volatile("FORAY_APPLY" #width " %0, %1, %2, %3;" : "=l"(x) : "r"(v), c(total), "r"(level) : "memory");  \
      return x;                                                                                                    \
    }                                                                                                              \
    __device__ __forceinline__ static T fold(T a, T b) {                                                           \
      T x;                                                                                                         \
      asm volatile("FORAY_FOLD" #width " %0, %1, %2;" : "=" c(x) : c(a), c(b));                                            \
      return x;                                                                                                    \
    }                                                                                                              \
    __device__ __forceinline__ static T zero() {                                                                   \
      T x;                                                                                                         \
      asm volatile("FORAY_ZERO" #width " %0;" : "=" c(x));                                                                 \
      return x;                                                                                                    \
    }                                                                                                              \
    __device__ __forceinline__ static T widened(u32 a) {                                                           \
      T x;                                                                                                         \
      asm volatile("FORAY_WIDEN" #width " %0, %1;" : "=" c(x) : "r"(a));                                           \
      return x;                                                                                                    \
    }                                                                                                              \
    __device__ __forceinline__ static u32 narrowed(T a) {                                                          \
      u32 x;                                                                                                       \
      asm volatile("FORAY_NARROW" #width " %0, %1;" : "=r"(x) : c(a));                                             \
      return x;                                                                                                    \
    }                                                                                                              \
  };
FORAY_HOLES(u32, 32, "r")
FORAY_HOLES(u64, 64, "l")
#endif

// How the values of gathers are reduced, and those that vertices bring to a scalar: in a
// foreach, and in the apply of a gather.
constexpr u32 kByGather = 8, kByVertex = 9, kByApply = 10;
template <class T>
struct Fold<T, kByGather> {
  __device__ static T identity() { return Holes<T>::zero(); }
  __device__ static T join(T a, T b) { return Holes<T>::fold(a, b); }
};
#ifdef FORAY_EMULATED
#define FORAY_VALUES(how, ZERO, FOLD, kZero, kFold)                                     \
  template <>                                                                          \
  struct Fold<u64, how> {                                                              \
    static u64 identity() { return emu::hole(emu::kZero); }                 \
    static u64 join(u64 a, u64 b) { return emu::hole(emu::kFold, a, b); }         \
  };
#else
#define FORAY_VALUES(how, ZERO, FOLD, kZero, kFold)                                     \
  template <>                                                                          \
  struct Fold<u64, how> {                                                              \
    __device__ __forceinline__ static u64 identity() {                                 \
      u64 x;                                                                           \
      asm volatile(ZERO " %0;" : "=l"(x));                                                      \
      return x;                                                                        \
    }                                                                                  \
    __device__ __forceinline__ static u64 join(u64 a, u64 b) {                         \
      u64 x;                                                                           \
      asm volatile(FOLD " %0, %1, %2;" : "=l"(x) : "l"(a), "l"(b));                             \
      return x;                                                                        \
    }                                                                                  \
  };
#endif
FORAY_VALUES(kByVertex, "FORAY_VZERO", "FORAY_VFOLD", kHoleVZero, kHoleVFold)
FORAY_VALUES(kByApply, "FORAY_GZERO", "FORAY_GFOLD", kHoleGZero, kHoleGFold)

struct HolePush : EdgeFunctor {
  __device__ __forceinline__ bool edge(const Edge& e) const { return hole_edge(e) != 0; }
};
struct HoleVisit : EdgeFunctor {
  __device__ __forceinline__ void edge(const Edge& e) const { hole_edge(e); }
};
struct HoleSort : EdgeFunctor {
  __device__ __forceinline__ Due edge(const Edge& e) const { return {hole_edge(e)}; }
};
// HolePull is the sink of a pull.
struct HolePull {
  u32 level;
  __device__ __forceinline__ bool found(u32 v, u32 parent, u64 edge) const {
    Edge e{};
    e.source = parent;
    e.target = v;
    e.level = level;
    e.index = edge;
    return hole_hit(e);
  }
};
// HoleKeep is the predicate of a filter or split.
struct HoleKeep {
  u32 level;
  __device__ __forceinline__ bool keep(u32 v) const { return hole_vertex(v, level) != 0; }
};
struct HoleVertex : VertexFunctor<u64, kByVertex> {
  __device__ __forceinline__ u64 vertex(u32 v, u32 level) const { return hole_vertex(v, level); }
};
template <class T>
struct HoleGather : GatherFunctor<T, kByGather, u64, kByApply> {
  __device__ __forceinline__ bool pure() const { return hole_pure(); }
  // A value in 32 bits, as a reduce over slabs keeps it, and back.
  __device__ __forceinline__ u32 narrowed(T x) const { return Holes<T>::narrowed(x); }
  __device__ __forceinline__ T widened(u32 x) const { return Holes<T>::widened(x); }
  __device__ __forceinline__ T gather(const Edge& e) const { return Holes<T>::gather(e); }
  __device__ __forceinline__ u64 apply(u32 v, T total, u32 level) const { return Holes<T>::apply(v, total, level); }
};

// A functor's number in an operation has its class in the lower byte: of edges push, visit or
// sort, of gathers 32 or 64 bits. Above it is which one of its kind it is.
constexpr u32 kPushes = 1, kVisitsToo = 2, kSortsToo = 4;
// kChainsToo is kSortsToo for pushes of which some are chained (NearOptions.Once).
constexpr u32 kChainsToo = 16;
// kLight is a kernel that goes through rows by weight, for the functors of pushes.
constexpr u32 kLight = 8;

// kShortRows is a kernel of one push over short rows, which compiles in a third of the time.
constexpr u32 kShortRows = 32;

// HasOps knows which operations and kinds of functors the program has, and may know whether all rows are short.
struct HasOps {
  static __device__ __forceinline__ bool has(u32 bit) { return hole_has() >> bit & 1; }
  static __device__ __forceinline__ bool flat(u32 is) { return has(kHasShortRows) && (!has(kHasLongRows) || is != 0); }
};

// HoleEdges are those that some kernel has.
template <u32 What>
struct HoleEdges : HasOps {
  static constexpr bool kAnyVisits = (What & kVisitsToo) != 0;
  static constexpr bool kAnySorts = (What & (kSortsToo | kChainsToo)) != 0;
#ifdef FORAY_EMULATED
  static constexpr bool kAhead = kAnySorts, kChains = kAnySorts, kUnchained = true;
#else
  static constexpr bool kChains = (What & kChainsToo) != 0, kUnchained = !kChains;
  static constexpr bool kAhead = kAnySorts && !kChains && !kAnyVisits;  // not in the kernel that has everything
#endif
  static constexpr bool kAnyLight = (What & kLight) != 0;
  static constexpr bool kAllElse = (What & ~kLight) != 0;
  static constexpr bool kShort = (What & kShortRows) != 0;
  template <class Do>
  static __device__ __forceinline__ void call(u32 functor, const u64*, Do&& run) {
    FORAY_SELECT(EDGE, functor >> 8);
    if constexpr ((What & (kPushes | kLight)) != 0) {
      if ((What & ~kShortRows) == kPushes || What == kLight || (has(kHasPushes) && (functor & 255) == 0)) {
        HolePush f;
        run(f);
        return;
      }
    }
    if constexpr ((What & kVisitsToo) != 0) {
      if (What == kVisitsToo || (has(kHasVisits) && (functor & 255) == 1)) {
        HoleVisit f;
        run(f);
        return;
      }
    }
    if constexpr ((What & (kSortsToo | kChainsToo)) != 0) {
      if constexpr ((What & (kPushes | kVisitsToo)) != 0) {
        if (!has(kHasSorts)) return;
      }
      HoleSort f;
      run(f);
    }
  }
};
// NoEdges is no functor of edges.
struct NoEdges : EdgeFunctors<>, HasOps {
  using HasOps::flat;
  using HasOps::has;
};
struct HoleVertices {
  template <class Do>
  static __device__ __forceinline__ void call(u32 functor, const u64*, Do&& run) {
    FORAY_SELECT(VERTEX, functor >> 8);
    HoleVertex f;
    run(f);
  }
};
// HoleGathers have values of the one width, or of both (Width 0).
template <u32 Width>
struct HoleGathers {
  template <class Do>
  static __device__ __forceinline__ void call(u32 functor, const u64*, Do&& run) {
    FORAY_SELECT(GATHER, functor >> 8);
    if constexpr (Width != 64) {
      if (Width == 32 || (HasOps::has(kHasGathers32) && (functor & 255) == 0)) {
        HoleGather<u32> f;
        run(f);
        return;
      }
    }
    if constexpr (Width != 32) {
      if (Width == 0 && !HasOps::has(kHasGathers64)) return;
      HoleGather<u64> f;
      run(f);
    }
  }
};

#ifdef FORAY_EMULATED
// The emulated GPU has one of each, which does for all: compiling takes time there.
using AnyHoles = Functors<HoleEdges<kPushes | kVisitsToo | kSortsToo | kLight>, HoleVertices, HoleGathers<0>>;
#define FORAY_HOLED(...) foray::AnyHoles
#else
#define FORAY_HOLED(...) __VA_ARGS__
#endif

}  // namespace foray

#define FORAY_BLOCK_PARAM const __grid_constant__ foray::FunctorBlock block

// This file holds the kernels of a traversal, which a .cu file instantiates for its
// functors (operators/functor.cuh):
//
//   #include "traverse/traversal.cuh"
//
//   struct Lower : foray::EdgeFunctor { ... };
//
//   FORAY_TRAVERSAL(components, foray::EdgeFunctors<Lower>, foray::VertexFunctors<>, foray::GatherFunctors<>)
//
// There are a push for each way to share out edges, one operation at a time for the host
// to launch, and the loop of all steps, by the whole grid and by one cluster, each for
// offsets of 32 and of 64 bits.
#pragma once

#include "operators/advance/entries.cuh"
#include "traverse/repeat_cluster.cuh"

namespace foray {

// EdgeOp is a push's functor: which, and its fields. It is as large as advance.Params.
struct EdgeOp {
  u64 words[kFieldWords];
  u32* seen;  // or the Pile
  u32 level;
  u32 functor;
};

// StepArgs is what an operation takes that the host launches.
template <class Offset>
struct StepArgs {
  Csr<Offset> out;
  Csr<Offset> in;
  In<Offset> from;
  Queue<Offset> to;
  Hubs hubs;
  Op op;
  Post post;
  u32 level;
  u32 pad;
};

template <class Offset>
struct StepShared {
  Stage stage;
  u64 totals[kWarps];
};

// NoFunctor stands for functors without shared memory, so that all of a traversal's share
// theirs with one another.
struct NoFunctor {
  struct Shared {};
};

template <class Fs, class Do>
__device__ __forceinline__ void at_edges(const EdgeOp& op, Do&& run) {
  Fs::Edges::call(op.functor, op.words, [&](auto& f) {
    using F = typename std::remove_reference<decltype(f)>::type;
    if constexpr (kSorts<F>) {
      AtPile<F> at;
      *(F*)at.words = f;
      Pile* pile = (Pile*)op.seen;
      PileState is;
      is.load(pile);
      at.ready(pile, is, pile->near, op.level);
      run(at);
    } else {
      AtEdge<F> at;
      *(F*)at.words = f;
      at.seen = op.seen;
      at.level = op.level;
      run(at);
    }
  });
}

template <class Fs, class By, class Offset>
__device__ __forceinline__ void enter_push_of(const PushArgs<Offset>& a, const EdgeOp& op) {
  __shared__ PushShared<Offset, NoFunctor> sh;
  Emitter<Offset> out(a.out, a.post.slot, sh.stage);
  at_edges<Fs>(op, [&](auto& f) {
    using F = typename std::remove_reference<decltype(f)>::type;
    static_assert(sizeof(PushShared<Offset, F>) == sizeof sh, "functors of traversals have no shared memory");
    push_rows<By>(a.g, a.in.sized(), f, out, *(PushShared<Offset, F>*)&sh);
  });
  out.flush();
  report(a.post);
}

template <class Fs, class Offset>
__device__ __forceinline__ void enter_push_merge_of(const PushArgs<Offset>& a, const EdgeOp& op) {
  __shared__ Stage stage;
  __shared__ MergeShared<Offset> merge;
  Emitter<Offset> out(a.out, a.post.slot, stage);
  at_edges<Fs>(op, [&](auto& f) {
    typename std::remove_reference<decltype(f)>::type::Shared none;
    push_merge(a.g, a.in.sized(), f, out, none, merge);
  });
  out.flush();
  report(a.post);
}

// ToBits is a functor whose output is a bitmap.
template <class Offset, class F>
struct ToBits : Silent {
  const F& f;
  Queue<Offset> out;  // for degrees
  u64 found;          // number of added entries of this thread, and their edges
  using Shared = typename F::Shared;
  __device__ ToBits(const F& at, const Queue<Offset>& q) : f(at), out(q), found(0) {}
  __device__ __forceinline__ bool fresh(u32 target) const { return f.fresh(target); }
  __device__ __forceinline__ bool visit(Shared& shared, bool active, u32 source, u32 target, u64 edge) {
    if (f.visit(shared, active, source, target, edge)) found += out.packed(target);
    return false;
  }
};

// enter_bits is a push into a bitmap, op.seen, which has the vertices that it lets through.
template <class Fs, class Offset>
__device__ __forceinline__ void enter_bits(const PushArgs<Offset>& a, const EdgeOp& op) {
  __shared__ PushShared<Offset, NoFunctor> sh;
  Emitter<Offset> none(a.out, a.post.slot, sh.stage);
  u64 found = 0;
  at_edges<Fs>(op, [&](auto& f) {
    using F = typename std::remove_reference<decltype(f)>::type;
    if constexpr (!kSilent<F> && !kIsAtPile<F>) {
      ToBits<Offset, F> at(f, a.out);
      push_rows<ByTwc>(a.g, a.in.sized(), at, none, *(PushShared<Offset, ToBits<Offset, F>>*)&sh);
      found = at.found;
    }
  });
  add_up(found, sh.stage.totals, &a.post.slot->tail);
  report(a.post);
}

template <class Fs, class Offset>
__device__ __forceinline__ void enter_step(const StepArgs<Offset>& a) {
  __shared__ StepShared<Offset> sh;
  const Op& op = a.op;
  const bool reverse = op.flags & kInEdges;
  const Rows<Offset> rows{reverse ? a.in : a.out, reverse};
  const In<Offset> from = a.from.sized();
  Emitter<Offset> out(a.to, a.post.slot, sh.stage);
  if constexpr (Fs::Edges::kAnySorts) {
    Pile* pile = (Pile*)op.seen;
    if (op.code == kOpLeast) Fs::Vertices::call(op.functor, op.words, [&](auto& f) { least_due(pile, f, a.level, sh.totals); });
    if (op.code == kOpRefill) Fs::Vertices::call(op.functor, op.words, [&](auto& f) { refill(pile, f, a.level, out, sh.totals); });
    if (op.code == kOpTurn && blockIdx.x == 0 && threadIdx.x == 0) turn_over(pile);
    if (op.code >= kOpRefill && op.code <= kOpTurn) {
      out.flush();
      report(a.post);
      return;
    }
  }
  switch (op.code) {
    case kOpEach:
      Fs::Vertices::call(op.functor, op.words, [&](auto& f) { each(from, f, a.level, op.scalar, sh.totals); });
      break;
    case kOpKeep:
      Fs::Vertices::call(op.functor, op.words, [&](auto& f) { keep_some(from, f, a.level, out); });
      break;
    case kOpLightest:
      if constexpr (Fs::Edges::kAnyLight) lightest_of<Fs>(op, from, rows, a.level, sh.totals);
      break;
    default:
      if constexpr (Fs::Edges::kAllElse) Fs::Gathers::call(op.functor, op.words, [&](auto& f) {
        using F = typename std::remove_reference<decltype(f)>::type;
        using V = typename F::Value;
        V sum = Fold<V, F::kReduce>::identity();
        switch (op.code) {
          case kOpSegments: sum = reduce_segments(rows, f, a.level, a.hubs); break;
          case kOpHubs: sum = reduce_hubs(rows, f, a.level, a.hubs); break;
          default: sum = reduce_rows(from, rows, f, a.level, a.hubs);
        }
        if (F::kReduce != kNone && op.code != kOpReduce && op.scalar.value && blockIdx.x == 0 && threadIdx.x == 0) {
          sum = Fold<V, F::kReduce>::join(sum, *(const V*)op.scalar.value);  // of the other rows
        }
        reduce_into<V, F::kReduce>(sum, op.scalar, sh.totals);
      });
  }
  out.flush();
  report(a.post);
}

// enter_each and enter_keep are an operation over vertices alone.
template <class Fs, class Offset>
__device__ __forceinline__ void enter_each(const StepArgs<Offset>& a) {
  __shared__ u64 totals[kWarps];
  const In<Offset> from = a.from.sized();
  Fs::Vertices::call(a.op.functor, a.op.words, [&](auto& f) { each(from, f, a.level, a.op.scalar, totals); });
  report(a.post);
}

template <class Fs, class Offset>
__device__ __forceinline__ void enter_keep(const StepArgs<Offset>& a) {
  __shared__ Stage stage;
  const In<Offset> from = a.from.sized();
  Emitter<Offset> out(a.to, a.post.slot, stage);
  Fs::Vertices::call(a.op.functor, a.op.words, [&](auto& f) { keep_some(from, f, a.level, out); });
  out.flush();
  report(a.post);
}

template <class Fs, class Offset>
__device__ __forceinline__ void enter_repeat(const RepeatArgs<Offset>& a) {
  __shared__ RepeatShared<Offset> sh;
  Engine e(a.engine, sh.engine);
  Repeat<Offset, Fs> p(a, sh);
  persist(e, p);
}

template <class Fs, class Offset>
__device__ __forceinline__ void enter_cluster(const RepeatArgs<Offset>& a, const ClusterPart& d) {
  extern __shared__ __align__(16) unsigned char shared[];
  cluster_rounds<Fs>(a, d, *(ClusterShared*)shared, (u32*)(shared + sizeof(ClusterShared)));
}

}  // namespace foray

// A kernel that stays: four blocks a multiprocessor at most.
#define FORAY_PERSISTENT FORAY_STAYING(4)
#define FORAY_STAYING(blocks) extern "C" __global__ void __launch_bounds__(foray::kBlock, blocks)

// One of a single cluster: a block has a multiprocessor to itself.
#define FORAY_CLUSTER extern "C" __global__ void __launch_bounds__(foray::kBlock, 1)

#define FORAY_TRAVERSAL_WIDTH(name, width, Offset, ...)                                                          \
  FORAY_KERNEL name##_push_thread_##width(foray::PushArgs<Offset> a, foray::EdgeOp f) {                           \
    foray::enter_push_of<foray::Functors<__VA_ARGS__>, foray::ByThread>(a, f);                                    \
  }                                                                                                               \
  FORAY_KERNEL name##_push_twc_##width(foray::PushArgs<Offset> a, foray::EdgeOp f) {                              \
    foray::enter_push_of<foray::Functors<__VA_ARGS__>, foray::ByTwc>(a, f);                                       \
  }                                                                                                               \
  FORAY_KERNEL name##_push_merge_##width(foray::PushArgs<Offset> a, foray::EdgeOp f) {                            \
    foray::enter_push_merge_of<foray::Functors<__VA_ARGS__>>(a, f);                                               \
  }                                                                                                               \
  FORAY_KERNEL name##_step_##width(const __grid_constant__ foray::StepArgs<Offset> a) {                           \
    foray::enter_step<foray::Functors<__VA_ARGS__>>(a);                                                           \
  }                                                                                                               \
  FORAY_PERSISTENT name##_repeat_##width(const __grid_constant__ foray::RepeatArgs<Offset> a) {                   \
    foray::enter_repeat<foray::Functors<__VA_ARGS__>>(a);                                                         \
  }                                                                                                               \
  FORAY_CLUSTER name##_cluster_##width(const __grid_constant__ foray::RepeatArgs<Offset> a,                       \
                                       const __grid_constant__ foray::ClusterPart d) {                            \
    foray::enter_cluster<foray::Functors<__VA_ARGS__>>(a, d);                                                     \
  }

#define FORAY_TRAVERSAL(name, ...)                               \
  FORAY_TRAVERSAL_WIDTH(name, o32, foray::u32, __VA_ARGS__)       \
  FORAY_TRAVERSAL_WIDTH(name, o64, foray::u64, __VA_ARGS__)

// FORAY_TRAVERSAL_BITS, with the same arguments, adds the kernels of advance.PushBits. Without
// them the frontier is a queue in its place.
#define FORAY_TRAVERSAL_BITS_WIDTH(name, width, Offset, ...)                            \
  FORAY_KERNEL name##_bits_##width(foray::PushArgs<Offset> a, foray::EdgeOp f) {       \
    foray::enter_bits<foray::Functors<__VA_ARGS__>>(a, f);                             \
  }

#define FORAY_TRAVERSAL_BITS(name, ...)                        \
  FORAY_TRAVERSAL_BITS_WIDTH(name, o32, foray::u32, __VA_ARGS__) \
  FORAY_TRAVERSAL_BITS_WIDTH(name, o64, foray::u64, __VA_ARGS__)

// This file holds the kernels of advance: thin entries that a functor's .cu
// file instantiates by FORAY_PUSH, FORAY_PUSH_EXTRA and FORAY_PULL. An entry's name says functor,
// operator, strategy and the width of offsets: bfs_push_twc_o32.
#pragma once

#include "operators/advance/expand.cuh"
#include "operators/advance/hubs.cuh"
#include "operators/advance/levels.cuh"
#include "operators/advance/pull.cuh"

namespace foray {

// PushArgs is the first parameter of a push entry; the functor is the second.
template <class Offset>
struct PushArgs {
  Csr<Offset> g;
  In<Offset> in;
  Queue<Offset> out;
  Post post;
};

// LevelArgs are the arguments of a push over a level array.
template <class Offset>
struct LevelArgs {
  Csr<Offset> g;
  const i32* levels;
  const u32* sources;  // of every edge; for the edge-parallel push only
  Queue<Offset> out;
  Post post;
  i32 level;
  u32 pad;
};

// EdgeArgs are the arguments of entries for edge frontiers.
template <class Offset>
struct EdgeArgs {
  Csr<Offset> g;
  In<Offset> in;
  Edges from;
  Edges to;
  u64 count;  // of from
  Queue<Offset> out;
  Post post;
};

template <class By, class Offset, class F>
__device__ __forceinline__ void enter_push(const PushArgs<Offset>& a, F& f) {
  __shared__ PushShared<Offset, F> sh;
  Emitter<Offset> out(a.out, a.post.slot, sh.stage);
  f.begin(sh.functor);
  push_rows<By>(a.g, a.in.sized(), f, out, sh);
  out.flush();
  f.end(sh.functor, a.post.slot);
  report(a.post);
}

template <class Offset, class F>
__device__ __forceinline__ void enter_push_merge(const PushArgs<Offset>& a, F& f) {
  __shared__ Stage stage;
  __shared__ MergeShared<Offset> merge;
  __shared__ typename F::Shared shared;
  Emitter<Offset> out(a.out, a.post.slot, stage);
  f.begin(shared);
  push_merge(a.g, a.in.sized(), f, out, shared, merge);
  out.flush();
  f.end(shared, a.post.slot);
  report(a.post);
}

// SplitArgs are the arguments of a push that puts long rows aside.
template <class Offset>
struct SplitArgs {
  Csr<Offset> g;
  In<Offset> in;
  Queue<Offset> out;
  Queue<Offset> hubs;
  Post post;
  Post hubs_post;
  u64 least;
};

template <class Offset, class F>
__device__ __forceinline__ void enter_push_split(const SplitArgs<Offset>& a, F& f) {
  __shared__ PushShared<Offset, F> sh;
  __shared__ Stage aside;
  Emitter<Offset> out(a.out, a.post.slot, sh.stage);
  Emitter<Offset> hubs(a.hubs, a.hubs_post.slot, aside);
  f.begin(sh.functor);
  push_split(a.g, a.in.sized(), f, out, hubs, sh, Offset(a.least));
  hubs.flush();
  out.flush();
  f.end(sh.functor, a.post.slot);
  report(a.hubs_post);
  report(a.post);
}

template <class By, class Offset, class F>
__device__ __forceinline__ void enter_push_levels(const LevelArgs<Offset>& a, F& f) {
  __shared__ PushShared<Offset, F> sh;
  Emitter<Offset> out(a.out, a.post.slot, sh.stage);
  f.begin(sh.functor);
  push_levels<By>(a.g, a.levels, a.level, f, out, sh);
  out.flush();
  f.end(sh.functor, a.post.slot);
  report(a.post);
}

template <class Offset, class F>
__device__ __forceinline__ void enter_push_edges(const LevelArgs<Offset>& a, F& f) {
  __shared__ PushShared<Offset, F> sh;
  Emitter<Offset> out(a.out, a.post.slot, sh.stage);
  f.begin(sh.functor);
  push_edges(a.g, a.sources, a.levels, a.level, f, out, sh);
  out.flush();
  f.end(sh.functor, a.post.slot);
  report(a.post);
}

template <class Offset, class F>
__device__ __forceinline__ void enter_contract(const EdgeArgs<Offset>& a, F& f) {
  __shared__ Stage stage;
  __shared__ typename F::Shared shared;
  Emitter<Offset> out(a.out, a.post.slot, stage);
  f.begin(shared);
  contract(a.from, a.count, f, shared, out);
  out.flush();
  f.end(shared, a.post.slot);
  report(a.post);
}

template <class Offset, class F>
__device__ __forceinline__ void enter_contract_expand(const EdgeArgs<Offset>& a, F& f) {
  __shared__ Stage stage;
  __shared__ GatherShared<Offset> gather;
  __shared__ typename F::Shared shared;
  f.begin(shared);
  contract_expand(a.g, a.from, a.count, f, shared, a.to, a.post.slot, stage, gather);
  f.end(shared, a.post.slot);
  report(a.post);
}

template <class Offset, class S>
__device__ __forceinline__ void enter_pull(const PullArgs<Offset>& a, const Post& post, S& sink) {
  __shared__ PullShared<Offset> sh;
  pull_words(a, sink, post.slot, sh);
  report(post);
}

}  // namespace foray

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

// FORAY_PUSH makes the kernels that a push or a search uses by default; FORAY_PUSH_EXTRA makes
// those of optional strategies and operators.
// They may be in one image, or in two (ExtraKernels).
#define FORAY_PUSH_WIDTH(name, F, width, Offset)                                                                       \
  FORAY_KERNEL name##_push_thread_##width(foray::PushArgs<Offset> a, F f) { foray::enter_push<foray::ByThread>(a, f); } \
  FORAY_KERNEL name##_push_twc_##width(foray::PushArgs<Offset> a, F f) { foray::enter_push<foray::ByTwc>(a, f); }       \
  FORAY_KERNEL name##_push_merge_##width(foray::PushArgs<Offset> a, F f) { foray::enter_push_merge(a, f); }             \
  FORAY_KERNEL name##_contract_expand_##width(foray::EdgeArgs<Offset> a, F f) { foray::enter_contract_expand(a, f); }

#define FORAY_PUSH(name, F)                 \
  FORAY_PUSH_WIDTH(name, F, o32, foray::u32) \
  FORAY_PUSH_WIDTH(name, F, o64, foray::u64)

#define FORAY_PUSH_EXTRA_WIDTH(name, F, width, Offset)                                                                 \
  FORAY_KERNEL name##_push_warp_##width(foray::PushArgs<Offset> a, F f) { foray::enter_push<foray::ByWarp>(a, f); }     \
  FORAY_KERNEL name##_push_scan_##width(foray::PushArgs<Offset> a, F f) { foray::enter_push<foray::ByScan>(a, f); }     \
  FORAY_KERNEL name##_push_split_##width(foray::SplitArgs<Offset> a, F f) { foray::enter_push_split(a, f); }            \
  FORAY_KERNEL name##_levels_thread_##width(foray::LevelArgs<Offset> a, F f) {                                          \
    foray::enter_push_levels<foray::ByThread>(a, f);                                                                    \
  }                                                                                                                     \
  FORAY_KERNEL name##_levels_twc_##width(foray::LevelArgs<Offset> a, F f) {                                             \
    foray::enter_push_levels<foray::ByTwc>(a, f);                                                                       \
  }                                                                                                                     \
  FORAY_KERNEL name##_edges_##width(foray::LevelArgs<Offset> a, F f) { foray::enter_push_edges(a, f); }                 \
  FORAY_KERNEL name##_contract_##width(foray::EdgeArgs<Offset> a, F f) { foray::enter_contract(a, f); }

#define FORAY_PUSH_EXTRA(name, F)                 \
  FORAY_PUSH_EXTRA_WIDTH(name, F, o32, foray::u32) \
  FORAY_PUSH_EXTRA_WIDTH(name, F, o64, foray::u64)

#define FORAY_PULL_WIDTH(name, S, width, Offset)                                             \
  FORAY_KERNEL name##_pull_##width(foray::PullArgs<Offset> a, foray::Post post, S sink) { \
    foray::enter_pull(a, post, sink);                                                        \
  }

#define FORAY_PULL(name, S)                 \
  FORAY_PULL_WIDTH(name, S, o32, foray::u32) \
  FORAY_PULL_WIDTH(name, S, o64, foray::u64)

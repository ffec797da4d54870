// The kernels of traversals whose functors are written in Go: with holes (holes.cuh).
#include "internal/functor/link/holes.cuh"
#include "operators/reduce/slab_reduce.cuh"

namespace foray {
template <u32 What>
using OnlyEdges = FORAY_HOLED(Functors<HoleEdges<What>, VertexFunctors<>, GatherFunctors<>>);
using OnlyVertices = FORAY_HOLED(Functors<EdgeFunctors<>, HoleVertices, GatherFunctors<>>);
using WithPile = FORAY_HOLED(Functors<HoleEdges<kSortsToo>, HoleVertices, GatherFunctors<>>);
template <u32 Width>
using OnlyGathers = FORAY_HOLED(Functors<EdgeFunctors<>, VertexFunctors<>, HoleGathers<Width>>);
template <u32 What>
using NoGathers = FORAY_HOLED(Functors<HoleEdges<What>, HoleVertices, GatherFunctors<>>);
template <u32 What, u32 Width>
using All = FORAY_HOLED(Functors<HoleEdges<What>, HoleVertices, HoleGathers<Width>>);

// Maps is a program that pushes nothing: gathers, and functors of vertices.
template <u32 Width>
using Maps = FORAY_HOLED(Functors<NoEdges, HoleVertices, HoleGathers<Width>>);

// enter_runs is the end of a reduce over slabs: over the runs of long rows, instead of edges.
template <class T>
__device__ __forceinline__ void enter_runs(const StepArgs<u32>& a) {
  using V = u64;
  __shared__ u64 totals[kWarps];
  FORAY_SELECT(GATHER, 0u);
  const OfRuns<HoleGather<T>> f(HoleGather<T>(), a.op.seen);
  const Rows<u32> rows{a.in, true};
  V sum = Fold<V, kByApply>::identity();
  switch (a.op.code) {
    case kOpSegments: sum = reduce_segments(rows, f, a.level, a.hubs); break;
    default: sum = reduce_hubs(rows, f, a.level, a.hubs);
  }
  if (a.op.scalar.value && blockIdx.x == 0 && threadIdx.x == 0) {
    sum = Fold<V, kByApply>::join(sum, *(const V*)a.op.scalar.value);  // of the other rows
  }
  reduce_into<V, kByApply>(sum, a.op.scalar, totals);
  report(a.post);
}
}  // namespace foray

// The passes of a reduce over slabs.
#define FORAY_SLAB_REDUCE(width, T)                                                                                   \
  extern "C" __global__ void __launch_bounds__(foray::kSlabThreads, 1)                                                \
      foray_slabs_gather##width##_o32(const foray::SlabReduceArgs a, FORAY_BLOCK_PARAM) {                             \
    FORAY_SELECT(GATHER, 0u);                                                                                         \
    foray::HoleGather<T> f;                                                                                           \
    foray::reduce_slabs<T>(a, f);                                                                                     \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(foray::kBlock, 4)                                                      \
      foray_bins_gather##width##_o32(const foray::SlabBinArgs a, FORAY_BLOCK_PARAM) {                                 \
    FORAY_SELECT(GATHER, 0u);                                                                                         \
    foray::HoleGather<T> f;                                                                                           \
    foray::reduce_bins<T>(a, f);                                                                                      \
  }                                                                                                                   \
  FORAY_KERNEL foray_runs_gather##width##_o32(const __grid_constant__ foray::StepArgs<foray::u32> a, FORAY_BLOCK_PARAM) { \
    foray::enter_runs<T>(a);                                                                                          \
  }
FORAY_SLAB_REDUCE(32, foray::u32)
FORAY_SLAB_REDUCE(64, foray::u64)

// Pushes, a kernel for each way to share out edges and each thing that may come of them.
#define FORAY_PUSHES(verb, what, width, Offset)                                                                       \
  FORAY_KERNEL foray_##verb##_thread_##width(foray::PushArgs<Offset> a, foray::EdgeOp f, FORAY_BLOCK_PARAM) {          \
    foray::enter_push_of<foray::OnlyEdges<foray::what>, foray::ByThread>(a, f);                                        \
  }                                                                                                                   \
  FORAY_KERNEL foray_##verb##_twc_##width(foray::PushArgs<Offset> a, foray::EdgeOp f, FORAY_BLOCK_PARAM) {             \
    foray::enter_push_of<foray::OnlyEdges<foray::what>, foray::ByTwc>(a, f);                                           \
  }                                                                                                                   \
  FORAY_KERNEL foray_##verb##_merge_##width(foray::PushArgs<Offset> a, foray::EdgeOp f, FORAY_BLOCK_PARAM) {           \
    foray::enter_push_merge_of<foray::OnlyEdges<foray::what>>(a, f);                                                   \
  }

// A pull.
#define FORAY_HOLED_PULL(width, Offset)                                                                      \
  FORAY_KERNEL foray_pull_##width(foray::PullArgs<Offset> a, foray::Post post, foray::HolePull sink, FORAY_BLOCK_PARAM) { \
    foray::enter_pull(a, post, sink);                                                                        \
  }

// Predicates of filters that aren't steps.
#define FORAY_HOLED_KEEP(width, Offset)                                                                      \
  FORAY_KERNEL foray_keep_flag_##width(foray::FlagArgs<Offset> a, foray::HoleKeep p, FORAY_BLOCK_PARAM) {    \
    FORAY_SELECT(VERTEX, 0u);                                                                                \
    foray::enter_keep_flag(a, p);                                                                            \
  }                                                                                                         \
  FORAY_KERNEL foray_part_words_##width(foray::PartArgs<Offset> a, foray::HoleKeep p, FORAY_BLOCK_PARAM) {   \
    FORAY_SELECT(VERTEX, 0u);                                                                                \
    foray::enter_part_words(a, p);                                                                           \
  }

// A functor at every vertex of a frontier, and a filter of vertices: separate entries take fewer registers, so that more
// warps wait for memory at the same time.
#define FORAY_STEP_VERTEX(width, Offset)                                                                       \
  FORAY_KERNEL foray_step_each_##width(const __grid_constant__ foray::StepArgs<Offset> a, FORAY_BLOCK_PARAM) { \
    foray::enter_each<foray::OnlyVertices>(a);                                                                 \
  }                                                                                                            \
  FORAY_KERNEL foray_step_keep_##width(const __grid_constant__ foray::StepArgs<Offset> a, FORAY_BLOCK_PARAM) { \
    foray::enter_keep<foray::OnlyVertices>(a);                                                                 \
  }

// One operation at a time.
#define FORAY_STEP(name, width, Offset, ...)                                                                \
  FORAY_KERNEL foray_step_##name##_##width(const __grid_constant__ foray::StepArgs<Offset> a, FORAY_BLOCK_PARAM) { \
    foray::enter_step<__VA_ARGS__>(a);                                                                       \
  }

// All steps, in a kernel that stays, of so many blocks a multiprocessor: where four would have to keep
// registers in memory, three are faster (bench/notes/algorithms-gpu.md, 2026-11-25).
#define FORAY_REPEAT(name, blocks, width, Offset, ...)                                                                  \
  FORAY_STAYING(blocks) foray_repeat_##name##_##width(const __grid_constant__ foray::RepeatArgs<Offset> a, FORAY_BLOCK_PARAM) { \
    foray::enter_repeat<__VA_ARGS__>(a);                                                                                 \
  }
#define FORAY_SKELETONS(width, Offset)                                                                                 \
  FORAY_PUSHES(push, kPushes, width, Offset)                                                                            \
  FORAY_PUSHES(visit, kVisitsToo, width, Offset)                                                                        \
  FORAY_PUSHES(sort, kSortsToo, width, Offset)                                                                          \
  FORAY_KERNEL foray_bits_##width(foray::PushArgs<Offset> a, foray::EdgeOp f, FORAY_BLOCK_PARAM) {                      \
    foray::enter_bits<foray::OnlyEdges<foray::kPushes>>(a, f);                                                          \
  }                                                                                                                    \
  FORAY_HOLED_PULL(width, Offset)                                                                                       \
  FORAY_HOLED_KEEP(width, Offset)                                                                                       \
  FORAY_STEP_VERTEX(width, Offset)                                                                                      \
  FORAY_STEP(pile, width, Offset, foray::WithPile)                                                                      \
  FORAY_STEP(gather32, width, Offset, foray::OnlyGathers<32>)                                                           \
  FORAY_STEP(light, width, Offset, foray::All<foray::kLight, 32>)                                                       \
  FORAY_STEP(gather64, width, Offset, foray::OnlyGathers<64>)                                                           \
  FORAY_REPEAT(push, 3, width, Offset, foray::NoGathers<foray::kPushes>)                                                \
  FORAY_REPEAT(short, 4, width, Offset, foray::OnlyEdges<foray::kPushes | foray::kShortRows>)                           \
  FORAY_REPEAT(visit, 3, width, Offset, foray::NoGathers<foray::kPushes | foray::kVisitsToo>)                           \
  FORAY_REPEAT(sort, 3, width, Offset, foray::NoGathers<foray::kPushes | foray::kSortsToo>)                             \
  FORAY_REPEAT(chain, 3, width, Offset, foray::NoGathers<foray::kPushes | foray::kChainsToo>)                           \
  FORAY_REPEAT(all, 3, width, Offset, foray::All<foray::kPushes | foray::kVisitsToo | foray::kSortsToo, 0>)             \
  FORAY_REPEAT(gather32, 4, width, Offset, foray::All<foray::kPushes, 32>)                                              \
  FORAY_REPEAT(maps32, 4, width, Offset, foray::Maps<32>)                                                               \
  FORAY_REPEAT(maps64, 4, width, Offset, foray::Maps<64>)                                                               \
  FORAY_REPEAT(light, 3, width, Offset, foray::All<foray::kLight, 32>)                                                   \
  FORAY_REPEAT(gather64, 4, width, Offset, foray::All<foray::kPushes, 64>)                                              \
  FORAY_CLUSTER foray_cluster_push_##width(const __grid_constant__ foray::RepeatArgs<Offset> a,                         \
                                           const __grid_constant__ foray::ClusterPart d, FORAY_BLOCK_PARAM) {           \
    foray::enter_cluster<foray::OnlyEdges<foray::kPushes>>(a, d);                                                       \
  }

FORAY_SKELETONS(o32, foray::u32)
FORAY_SKELETONS(o64, foray::u64)

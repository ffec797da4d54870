// The kernels of advance that are launched only where a strategy or an operator is
// asked for by name: those of FORAY_PUSH_EXTRA, the expansion into an edge
// frontier, and what Buckets and EdgeParallel need before they push.
#include "operators/advance/entries.cuh"
#include "operators/advance/functors.cuh"

namespace foray {

template <class Offset>
__device__ __forceinline__ void enter_expand_twc(const EdgeArgs<Offset>& a) {
  __shared__ Stage stage;
  __shared__ GatherShared<Offset> gather;
  expand_twc(a.g, a.in.sized(), a.to, a.post.slot, stage, gather);
  report(a.post);
}

template <class Offset>
__device__ __forceinline__ void enter_expand_merge(const EdgeArgs<Offset>& a) {
  __shared__ MergeShared<Offset> merge;
  expand_merge(a.g, a.in.sized(), a.to, a.post.slot, merge);
  report(a.post);
}

// BucketArgs is what classify takes: a queue each for short rows, those of
// middling length, and long ones.
template <class Offset>
struct BucketArgs {
  In<Offset> in;
  Queue<Offset> out[3];
  Post post[3];
};

// classify sorts the frontier into buckets by degree.
template <class Offset>
__device__ __forceinline__ void classify(const BucketArgs<Offset>& a) {
  __shared__ Stage stages[3];
  Emitter<Offset> out[3] = {{a.out[0], a.post[0].slot, stages[0]}, {a.out[1], a.post[1].slot, stages[1]}, {a.out[2], a.post[2].slot, stages[2]}};
  const In<Offset> in = a.in.sized();
  for (u64 base = u64(blockIdx.x) * kBlock; base < in.count; base += u64(gridDim.x) * kBlock) {
    const u64 i = base + threadIdx.x;
    const bool have = i < in.count;
    const u32 v = have ? in.item(u32(i)) : 0;
    const Offset degree = have ? a.out[0].offsets[v + 1] - a.out[0].offsets[v] : 0;
    const u32 bucket = degree < 32 ? 0 : degree < kBlock ? 1 : 2;
#pragma unroll
    for (u32 b = 0; b < 3; b++) {
      out[b].put(have && bucket == b, v);
      out[b].relieve();
    }
  }
#pragma unroll
  for (u32 b = 0; b < 3; b++) {
    out[b].flush();
    report(a.post[b]);
  }
}

// list_sources writes for every edge the vertex that it leaves.
template <class Offset>
__device__ __forceinline__ void list_sources(const Csr<Offset>& g, u32* sources) {
  __shared__ GatherShared<Offset> gather;
  auto body = [&](bool active, u32 source, Offset edge, u64) {
    if (active) sources[edge] = source;
  };
  for (u64 base = u64(blockIdx.x) * kBlock; base < g.n; base += u64(gridDim.x) * kBlock) {
    const u64 v = base + threadIdx.x;
    gather_twc(row_of(g, v < g.n, u32(v)), gather, body, [] {});
  }
}

}  // namespace foray

FORAY_PUSH_EXTRA(all, foray::All)
FORAY_PUSH_EXTRA(claim, foray::Claim)

FORAY_KERNEL expand_twc_o32(foray::EdgeArgs<foray::u32> a) { foray::enter_expand_twc(a); }
FORAY_KERNEL expand_twc_o64(foray::EdgeArgs<foray::u64> a) { foray::enter_expand_twc(a); }
FORAY_KERNEL expand_merge_o32(foray::EdgeArgs<foray::u32> a) { foray::enter_expand_merge(a); }
FORAY_KERNEL expand_merge_o64(foray::EdgeArgs<foray::u64> a) { foray::enter_expand_merge(a); }
FORAY_KERNEL classify_o32(foray::BucketArgs<foray::u32> a) { foray::classify(a); }
FORAY_KERNEL classify_o64(foray::BucketArgs<foray::u64> a) { foray::classify(a); }
FORAY_KERNEL sources_o32(foray::Csr<foray::u32> g, foray::u32* sources) { foray::list_sources(g, sources); }
FORAY_KERNEL sources_o64(foray::Csr<foray::u64> g, foray::u32* sources) { foray::list_sources(g, sources); }

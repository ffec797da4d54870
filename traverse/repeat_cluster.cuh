// This file holds rounds of a traversal's steps in one cluster of blocks: of a program that is
// one push, while its frontier is small.
#pragma once

#include "traverse/cluster.cuh"
#include "traverse/repeat.cuh"

namespace foray {

// ClusterPart is what the cluster's kernel takes beside RepeatArgs.
struct ClusterPart {
  const uint4* heads;
  u32 leave, sends;  // see ClusterArgs
  u32 local;         // words of a bitmap that a block keeps in shared memory; 0: none
  u32 pad;
};

// Pushed is an EdgeFunctor as the cluster calls it. What it lets through enters the frontier
// once: it sees to that, or a bitmap does.
template <class F>
struct Pushed {
  // Tuning: as much shared memory as the search's inboxes take.
  static constexpr u32 kOthers = 128, kOwn = 1024, kLongRow = 16;
  static constexpr bool kOnce = true, kSkipsSource = false, kEdges = true, kHits = false, kSums = true;

  const F& f;
  OwnedBits bits;
  bool lasts;  // the bitmap of visited vertices; else of this round
  u32 level;

  __device__ __forceinline__ void begin(u32 l) { level = l; }
  __device__ __forceinline__ bool visit(u32 v, u32 source, u64 edge) const {
    if (!f.edge(Edge{source, v, level, edge})) return false;
    if (!bits.all) return true;
    // Functors may read the bitmap of visited vertices.
    return bits.set(v, [&](u32 w, u32 bit) {
      if (lasts) atomicOr(bits.all + w, bit);
    }, [](u32, u32) {});
  }
  __device__ __forceinline__ void found(u32, u32) const {}
  __device__ __forceinline__ u32 hit(u32) const { return 0; }
  __device__ __forceinline__ bool enough(u32) const { return false; }
  __device__ __forceinline__ bool forgets() const { return bits.all && !lasts; }
  __device__ __forceinline__ void forget(u32 v) const { bits.zero(v); }
  __device__ __forceinline__ void end() const {}
};

// ClusterShared is the shared memory of its inboxes; the host knows the size.
using ClusterShared = InboxShared<128, 1024, true>;
static_assert(kBlock != 256 || kStage != 2048 || sizeof(ClusterShared) == 106992, "the host knows the size");

// cluster_rounds runs rounds of a program that consists of one push while frontiers are small.
template <class Fs, class Offset>
__device__ void cluster_rounds(const RepeatArgs<Offset>& a, const ClusterPart& d, ClusterShared& sh, u32* local) {
  volatile RepeatState* state = a.state;
  if (state->next != kOneCluster) return;
  u32 i = 0;
  while (a.program[i].code != kOpPush) i++;
  const Op& op = a.program[i];
  const u32 q = state->q;
  u32 level = state->level;
  Fs::Edges::call(op.functor, op.words, [&](auto& f) {
    using F = typename std::remove_reference<decltype(f)>::type;
    if constexpr (!kSorts<F> && !kVisits<F>) {
      const bool once = op.flags & kDedupe;
      Pushed<F> p{f, OwnedBits(once ? a.marks[state->turn] : op.seen, local, d.local, a.out.n), !once, 0};
      if (once) {
        p.bits.reset();
      } else if (op.seen) {
        p.bits.load();
      }
      Inboxes<Offset, Pushed<F>> x{a.out, d.heads, sh, a.items[q ^ 1], (u32*)a.prefix[q ^ 1], a.state->asides, cluster_rank(), cluster_size()};
      const ClusterArgs<Offset> c{Queue<Offset>{a.items[q], nullptr, nullptr, a.shift, 0},
                                  &a.engine.grid->slots[(*(volatile u32*)&a.engine.grid->round - 1) & 3], d.leave, d.sends, a.limit};
      u64 visited = 0;
      stay(a.engine, c, x, p, level, visited);
    }
  });
  if (cluster_rank() == 0 && threadIdx.x == 0) {
    state->level = level;
    state->next = kWholeGrid;
  }
}

}  // namespace foray

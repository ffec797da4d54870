// This file holds the two piles of a traversal on a GPU. A push sends a target that is due
// at the present stage to the near pile, the next frontier, and one that is due later to the
// far pile. When the near pile is empty, the stage becomes the earliest one at which a vertex
// of the far pile is due, and those due then are the frontier (Davidson, Baxter, Garland,
// Owens, IPDPS 2014, "near-far").
//
// A push's functor returns foray::Due. A VertexFunctor says of a vertex of the far pile when
// it is due.
#pragma once

#include "operators/functor.cuh"

namespace foray {

// Pile is the far pile, in device memory. Lists have room for every vertex.
struct Pile {
  u32* items[2];  // one is filled, the other takes its turn at the next refill
  u32* far;       // bitmap of what is in the list
  u32* near;      // of what is in the next frontier, where each push is a kernel
  u32 count[2];
  u32 turn;       // which list is filled
  u32 stage;
  u32 least;      // kNever, but while it is refilled from: the earliest stage in the list
  u32 pad[3];
};

// append adds vertices to a list. All lanes of a warp call it together.
__device__ __forceinline__ void append(u32* items, u32* count, bool keep, u32 v) {
  const u32 mask = __ballot_sync(kAll, keep);
  if (mask == 0) return;
  u32 at = 0;
  if (lane() == 0) at = atomicAdd(count, __popc(mask));
  at = __shfl_sync(kAll, at, 0);
  if (keep) items[at + __popc(mask & lanes_below())] = v;
}

// AtPile is an EdgeFunctor that returns Due as a push calls it.
template <class F>
struct AtPile {
  u64 words[kFieldWords];
  u32* near;
  u32* far;
  u32* items;
  u32* count;
  u32 level;
  u32 stage;

  // ready looks the pile up; the near bitmap is the engine's.
  __device__ __forceinline__ void ready(Pile* p, u32* near_, u32 level_) {
    const u32 turn = *(volatile u32*)&p->turn;
    near = near_;
    far = p->far;
    items = p->items[turn];
    count = &p->count[turn];
    level = level_;
    stage = *(volatile u32*)&p->stage;
  }

  struct Shared {};
  __device__ void begin(Shared&) const {}
  __device__ void end(Shared&, Slot*) const {}
  __device__ __forceinline__ bool fresh(u32) const { return true; }
  __device__ __forceinline__ bool visit(Shared&, bool active, u32 source, u32 target, u64 edge) const {
    u32 due = kNever;
    if (active) due = (*(const F*)words).edge(Edge{source, target, level, edge}).stage;
    append(items, count, due != kNever && due > stage && claim(far, target), target);
    return due != kNever && due <= stage && claim(near, target);
  }
};

template <class F>
constexpr bool kIsAtPile = false;
template <class F>
constexpr bool kIsAtPile<AtPile<F>> = true;

// least_due finds the earliest stage at which a vertex of the far pile is due, as the whole
// grid. Those whose stage is over have been in the frontier since they were put there.
template <class F>
__device__ __forceinline__ void least_due(Pile* p, const F& f, u32 level, u64* totals) {
  const u32 turn = *(volatile u32*)&p->turn, n = *(volatile u32*)&p->count[turn], stage = *(volatile u32*)&p->stage;
  u32 least = kNever;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < n; i += u64(gridDim.x) * kBlock) {
    const u32 due = u32(f.vertex(((volatile u32*)p->items[turn])[i], level));
    if (due > stage) least = min(least, due);
  }
  least = fold_block<u32, kMin>(least, totals);
  if (threadIdx.x == 0 && least != kNever) atomicMin(&p->least, least);
}

// refill sends the vertices that are due at the earliest stage to the frontier, and those due
// later to the other list.
template <class Offset, class F>
__device__ __forceinline__ void refill(Pile* p, const F& f, u32 level, Emitter<Offset>& out) {
  const u32 turn = *(volatile u32*)&p->turn, n = *(volatile u32*)&p->count[turn], stage = *(volatile u32*)&p->stage;
  const u32 least = *(volatile u32*)&p->least;
  for (u64 base = u64(blockIdx.x) * kBlock; base < n; base += u64(gridDim.x) * kBlock) {
    const u64 i = base + threadIdx.x;
    const bool have = i < n;
    const u32 v = have ? ((volatile u32*)p->items[turn])[i] : 0;
    const u32 due = have ? u32(f.vertex(v, level)) : kNever;
    const bool now = due != kNever && due > stage && due <= least, later = due != kNever && due > least;
    if (have && !later) atomicAnd(p->far + (v >> 5), ~(1u << (v & 31)));
    append(p->items[turn ^ 1], &p->count[turn ^ 1], later, v);
    out.put(now, v);
    out.relieve();
  }
}

// turn_over makes the other list the one that is filled: one thread, once all are through.
__device__ __forceinline__ void turn_over(Pile* p) {
  p->count[p->turn] = 0;
  if (p->least == kNever) return;  // all that was in the list was over
  p->turn ^= 1;
  p->stage = p->least;
  p->least = kNever;
}

}  // namespace foray

// This file holds the two piles of a traversal on a GPU. A push sends a target that is due
// at the present stage to the near pile, the next frontier, and one that is due later to the
// far pile. When the near pile is empty, the stage becomes the earliest one at which a vertex
// of the far pile is due, and those due then are the frontier (Davidson, Baxter, Garland,
// Owens, IPDPS 2014, "near-far").
//
// A push's functor returns foray::Due. For a vertex of the far pile, a VertexFunctor returns when
// it is due.
#pragma once

#include "operators/functor.cuh"

namespace foray {

// Pile is the far pile, in device memory. Lists have room for every vertex.
struct Pile {
  u32* items[2];  // one is filled, the other takes its turn at the next refill
  u32* far;       // bitmap of the vertices in the list
  u32* near;      // bitmap of the next frontier, if each push is a kernel
  u32 count[2];
  u32 turn;       // which list is filled
  u32 stage;
  u32 over;       // how many entries of it were over when they were last looked at
  u32 phase;      // which of next and lost the next refill uses
  u32 lost[3];    // entries that are over: 0, but in the phase before
  u32 least;      // kNever, but while it is refilled from: the earliest stage in the list
  u32 next[3];    // the earliest stage of what a refill leaves: kNever, but in the phase before
  u32 pad;
};

// PileState is what all blocks of a kernel that stays know of a pile. It is in memory between kernels.
struct PileState {
  u32 turn, stage, over, phase;

  __device__ __forceinline__ void load(const volatile Pile* p) { turn = p->turn, stage = p->stage, over = p->over, phase = p->phase; }
  __device__ __forceinline__ void store(Pile* p) const { p->turn = turn, p->stage = stage, p->over = over, p->phase = phase; }
  __device__ __forceinline__ u32 after() const { return phase == 2 ? 0 : phase + 1; }
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

// append_block does so with the threads of a block, by one atomic operation. totals is shared memory,
// which may be used again after the next barrier.
inline __device__ __noinline__ void append_block(u32* items, u32* count, bool keep, u32 v, u64* totals) {
  const u32 mask = __ballot_sync(kAll, keep);
  u32* at = (u32*)totals;
  __syncthreads();
  if (lane() == 0) at[warp()] = __popc(mask);
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 sum = 0;
    for (u32 w = 0; w < kWarps; w++) {
      const u32 n = at[w];
      at[w] = sum;
      sum += n;
    }
    const u32 base = sum ? atomicAdd(count, sum) : 0;
    for (u32 w = 0; w < kWarps; w++) at[w] += base;
  }
  __syncthreads();
  if (keep) items[at[warp()] + __popc(mask & lanes_below())] = v;
}

// kAtStage replaces a level: the functor sees the stage.
constexpr u32 kAtStage = 0xffffffffu;

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

  // ready looks the pile up; the near bitmap is the engine's. It is null if no vertex is let through twice.
  __device__ __forceinline__ void ready(Pile* p, const PileState& is, u32* near_, u32 level_) {
    near = near_;
    far = p->far;
    items = p->items[is.turn];
    count = &p->count[is.turn];
    stage = is.stage;
    level = level_ == kAtStage ? stage : level_;
  }

  struct Shared {};
  __device__ void begin(Shared&) const {}
  __device__ void end(Shared&, Slot*) const {}
  __device__ __forceinline__ bool fresh(u32) const { return true; }
  __device__ __forceinline__ bool visit(Shared&, bool active, u32 source, u32 target, u64 edge) const {
    return sort(due(active, source, target, edge), target);
  }
  // Its two halves: what the functor says, and what becomes of that.
  __device__ __forceinline__ u32 due(bool active, u32 source, u32 target, u64 edge) const {
    u32 at = kNever;
    if (active) at = (*(const F*)words).edge(Edge{source, target, level, edge}).stage;
    return at;
  }
  __device__ __forceinline__ bool sort(u32 at, u32 target) const {
    append(items, count, at != kNever && at > stage && claim(far, target), target);
    return at != kNever && at <= stage && (near == nullptr || claim(near, target));
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
__device__ __forceinline__ void refill(Pile* p, const F& f, u32 level, Emitter<Offset>& out, u64* totals) {
  const u32 turn = *(volatile u32*)&p->turn, n = *(volatile u32*)&p->count[turn], stage = *(volatile u32*)&p->stage;
  const u32 least = *(volatile u32*)&p->least;
  for (u64 base = u64(blockIdx.x) * kBlock * kAtOnce; base < n; base += u64(gridDim.x) * kBlock * kAtOnce) {
    u32 v[kAtOnce], due[kAtOnce];  // whose loads are under way together
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) v[j] = base + j * kBlock + threadIdx.x < n ? ((volatile u32*)p->items[turn])[base + j * kBlock + threadIdx.x] : 0;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) due[j] = base + j * kBlock + threadIdx.x < n ? u32(f.vertex(v[j], level)) : kNever;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      const bool have = base + j * kBlock + threadIdx.x < n;
      const bool now = due[j] != kNever && due[j] > stage && due[j] <= least, later = due[j] != kNever && due[j] > least;
      if (have && !later) atomicAnd(p->far + (v[j] >> 5), ~(1u << (v[j] & 31)));
      append_block(p->items[turn ^ 1], &p->count[turn ^ 1], later, v[j], totals);
      out.put(now, v[j]);
    }
    out.relieve();
  }
}

// turn_over makes the other list the one that is filled: one thread, once all are through.
__device__ __forceinline__ void turn_over(Pile* p) {
  p->count[p->turn] = 0;
  p->over = 0;
  if (p->least == kNever) return;  // the whole list was over
  p->turn ^= 1;
  p->stage = p->least;
  p->least = kNever;
}

// take_due is both in one pass, for a stage that is no later than the earliest one: vertices due then
// go to the frontier, and next learns the earliest stage after it. The list stays, with what is over,
// unless it is to be compacted: then the other one gets what is due later.
template <class Offset, class F>
__device__ __forceinline__ void take_due(Pile* p, const PileState& is, const F& f, u32 level, u32 at, bool compact, Emitter<Offset>& out, u64* totals) {
  const u32 turn = is.turn, n = *(volatile u32*)&p->count[turn], stage = is.stage, phase = is.phase;
  if (blockIdx.x == 0 && threadIdx.x == 0) {  // no block has looked at these since the barrier before the last
    p->next[is.after()] = kNever;
    p->lost[is.after()] = 0;
  }
  u32 next = kNever;
  u64 lost = 0;
  for (u64 base = u64(blockIdx.x) * kBlock * kAtOnce; base < n; base += u64(gridDim.x) * kBlock * kAtOnce) {
    u32 v[kAtOnce], due[kAtOnce];  // whose loads are under way together
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) v[j] = base + j * kBlock + threadIdx.x < n ? ((volatile u32*)p->items[turn])[base + j * kBlock + threadIdx.x] : 0;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) due[j] = base + j * kBlock + threadIdx.x < n ? u32(f.vertex(v[j], level)) : kNever;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      const bool have = base + j * kBlock + threadIdx.x < n;
      const bool now = due[j] != kNever && due[j] > stage && due[j] <= at, later = due[j] != kNever && due[j] > at;
      if (compact) {
        if (have && !later) atomicAnd(p->far + (v[j] >> 5), ~(1u << (v[j] & 31)));
        append_block(p->items[turn ^ 1], &p->count[turn ^ 1], later, v[j], totals);
      }
      lost += have && !later;
      if (later) next = min(next, due[j]);
      out.put(now, v[j]);
    }
    out.relieve();
  }
  next = fold_block<u32, kMin>(next, totals);
  if (threadIdx.x == 0 && next != kNever) atomicMin(&p->next[phase], next);
  if (compact) return;
  lost = fold_block<u64, kSum>(lost, totals);
  if (threadIdx.x == 0 && lost) atomicAdd(&p->lost[phase], u32(lost));
}

// took computes from the state what all blocks know once they have met: the vertices due at a stage were
// taken. No block looks at the emptied list before they meet again.
__device__ __forceinline__ void took(Pile* p, PileState& is, u32 at, bool found, bool compact) {
  is.over = compact ? 0 : *(volatile u32*)&p->lost[is.phase];
  if (compact) {
    if (blockIdx.x == 0 && threadIdx.x == 0) p->count[is.turn] = 0;
    is.turn ^= 1;
  }
  if (found) is.stage = at;
  is.phase = is.after();
}

}  // namespace foray

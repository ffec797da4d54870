// This file holds core numbers of a graph of short rows whose neighbors have similar numbers, as in meshes and road
// networks: vertices are peeled without rounds. A block has a range of vertices, whose degrees and whose list of peeled
// vertices are in its shared memory. Its warps take vertices from the list, and lower the degrees of their neighbors. A
// neighbor that has as many left as the stage says enters the list. Edges to another block's vertices go to the inbox of
// that block, which one of its warps polls. Blocks meet between stages only.
//
// Within a stage any order yields the same vertices (Matula and Beck, 1983): a degree falls by one for each neighbor that
// is peeled, and exactly one edge takes it to the stage's degree.
#pragma once

#include "operators/advance/row.cuh"
#include "traverse/engine.cuh"

namespace foray {

constexpr u32 kPeelStages = 64;          // of stage words; a graph has fewer different degrees
constexpr u32 kPeelApart = 32;           // words from one block's tail to the next one's, which are different lines
constexpr u32 kPeelEmpty = 0xffffffffu;  // of an inbox
constexpr u32 kPeelFree = 0xffff;        // of a list
constexpr u32 kPeelAbort = 1u << 31;     // of a stage's work

template <class Offset>
struct PeelArgs {
  EngineArgs engine;
  Csr<Offset> g;  // undirected and simple
  u32* core;
  u32* inbox;     // of all blocks: where a block's rows begin its inbox does; all are kPeelEmpty, and so are 32 words behind
  u32* tails;     // of the inboxes; zero
  u32* work;      // of each stage: blocks that are at work, and edges under way; begins with the number of blocks
  u32* least;     // of each stage: its degree; begins with kPeelEmpty
  u32* stopped;   // by the host; zero
  u32 own;        // vertices of a block, a multiple of 4, below kPeelFree
  u32 pad;
};

// PeelShared is the shared memory of a block, except the degrees and the list.
struct PeelShared {
  EngineShared engine;
  u32 least;
  u32 head, tail, done;  // of the list: taken, added, and finished
  u32 stop;              // the stage is over
};

// Peel is a block's view.
template <class Offset>
struct Peel {
  const PeelArgs<Offset>& a;
  PeelShared& sh;
  u32* degree;          // four to a word
  volatile uint16_t* list;
  u32 first, count;     // vertices
  Offset end;           // of the inbox
  u32 stage;            // the degree

  // fall lowers a degree by one, and reports whether it is the stage's now.
  __device__ __forceinline__ bool fall(u32 i) const {
    const u32 shift = 8 * (i & 3);
    return (atomicAdd(&degree[i >> 2], 0u - (1u << shift)) >> shift & 255) == stage + 1;
  }

  // add puts vertices of the lanes into the list. All lanes of a warp call it together.
  __device__ __forceinline__ void add(bool due, u32 i) const {
    const u32 who = __ballot_sync(kAll, due);
    if (!who) return;
    u32 at = 0;
    if (lane() == 0) at = atomicAdd(&sh.tail, __popc(who));
    at = __shfl_sync(kAll, at, 0) + __popc(who & lanes_below());
    if (due) list[at] = uint16_t(i);
  }

  // begin lists what the stage begins with.
  __device__ __forceinline__ void begin() const {
    const u32 words = (count + 3) / 4;
    for (u32 base = 0; base < words; base += kBlock) {
      const u32 w = base + threadIdx.x, x = w < words ? degree[w] : 0;
#pragma unroll
      for (u32 j = 0; j < 4; j++) add((x >> 8 * j & 255) == stage, 4 * w + j);
    }
  }

  // least returns the least degree above the last stage's; threads of a warp get the same.
  __device__ __forceinline__ u32 least() const {
    u32 most = kPeelEmpty;
    for (u32 w = threadIdx.x; w < (count + 3) / 4; w += kBlock) {
      const u32 x = degree[w];
#pragma unroll
      for (u32 j = 0; j < 4; j++) {
        const u32 d = x >> 8 * j & 255;
        if (d > stage) most = min(most, d);
      }
    }
#pragma unroll
    for (u32 d = 16; d > 0; d /= 2) most = min(most, __shfl_xor_sync(kAll, most, d));
    return most;
  }

  // take peels up to 32 vertices of the list, from at on.
  __device__ __forceinline__ void take(u32 at, u32 n, u32* work) const {
    Offset begin = 0, to = 0;
    if (lane() < n) {
      u32 i;
      while ((i = list[at + lane()]) == kPeelFree) {  // its place is taken, its number is on the way
      }
      begin = a.g.offsets[first + i];
      to = a.g.offsets[first + i + 1];
      a.core[first + i] = stage;
    }
    __syncwarp();
    constexpr u32 kAtATime = 4;
    for (; __any_sync(kAll, begin < to); begin = min(to, Offset(begin + kAtATime))) {
      u32 t[kAtATime], far = 0;
#pragma unroll
      for (u32 j = 0; j < kAtATime; j++) t[j] = begin + j < to ? a.g.targets[begin + j] : kNoVertex;
#pragma unroll
      for (u32 j = 0; j < kAtATime; j++) {
        const bool is = t[j] != kNoVertex, here = is && t[j] - first < count;
        add(here && fall(t[j] - first), t[j] - first);
        far += is && !here;
      }
      const u32 all = warp_sum(far);
      if (!all) continue;
      // The edges count as work before any other block may see one.
      if (lane() == 0) {
        atomicAdd(work, all);
        __threadfence();
      }
      __syncwarp();
#pragma unroll
      for (u32 j = 0; j < kAtATime; j++) {
        if (t[j] == kNoVertex || t[j] - first < count) continue;
        const u32 whose = t[j] / a.own, slot = atomicAdd(&a.tails[whose * kPeelApart], 1u);
        *(volatile u32*)&a.inbox[a.g.offsets[whose * a.own] + slot] = t[j];
      }
    }
    __syncwarp();
    if (lane() == 0) {
      __threadfence_block();
      atomicAdd(&sh.done, n);
    }
  }

  // peel takes vertices until the stage is over.
  __device__ __forceinline__ void peel(u32* work) const {
    constexpr u32 kEager = 4, kSleep = 200;  // so many warps don't sleep, others so many ns
    for (;;) {
      u32 at = 0, n = 0, over = 0;
      if (lane() == 0) {
        over = *(volatile u32*)&sh.stop;
        at = *(volatile u32*)&sh.head;
        const u32 tail = *(volatile u32*)&sh.tail;
        if (at < tail && over <= 1) {
          n = min(32u, tail - at);
          if (atomicCAS(&sh.head, at, at + n) != at) n = over = 0;
        }
      }
      n = __shfl_sync(kAll, n, 0);
      at = __shfl_sync(kAll, at, 0);
      if (n) {
        take(at, n, work);
      } else if (__shfl_sync(kAll, over, 0)) {
        return;
      } else if (warp() > kEager) {
        __nanosleep(kSleep);
      }
    }
  }

  // poll takes edges from the inbox, from at on, until no block has work. One warp of the block calls it. It returns where
  // the inbox continues.
  __device__ __forceinline__ Offset poll(Offset at, u32* work, u64& looked) const {
    u32 mine = 1;  // of the stage's work that is this block's
    for (;;) {
      const u32 t = *(const volatile u32*)&a.inbox[at + lane()];
      u32 left = 0;
      if (lane() == 0) left = *(volatile u32*)work;
      const u32 missing = __ballot_sync(kAll, t == kPeelEmpty || at + lane() >= end);
      const u32 n = missing ? __ffs(missing) - 1 : 32;
      add(lane() < n && fall(t - first), t - first);
      at += n;
      mine += n;
      u32 over = 0;
      if (lane() == 0) {
        if (left & kPeelAbort) {
          over = 2;
        } else if (n == 0) {
          const u32 done = *(volatile u32*)&sh.done;
          __threadfence_block();
          if (done == *(volatile u32*)&sh.tail) {  // all added vertices are finished
            if (mine) {
              __threadfence();
              atomicAdd(work, 0u - mine);
              mine = 0;
            } else if (left == 0) {
              over = 1;
            }
          }
        }
        const u64 now = clock64();
        if (blockIdx.x == 0 && now - looked > kLookEvery) {
          looked = now;
          if (*a.engine.stop) {
            *(volatile u32*)a.stopped = 1;
            __threadfence();
            atomicOr(work, kPeelAbort);
          }
        }
        if (over) *(volatile u32*)&sh.stop = over;
      }
      mine = __shfl_sync(kAll, mine, 0);
      if (__shfl_sync(kAll, over, 0)) return at;
    }
  }
};

// peel_mesh finds core numbers. memory is (own / 4) words for degrees, and then own entries of the list.
template <class Offset>
__device__ __forceinline__ void peel_mesh(const PeelArgs<Offset>& a, PeelShared& sh, u32* memory) {
  Engine e(a.engine, sh.engine);
  Slot* slot = a.engine.post.slot;
  if (e.late()) {
    if (e.first()) slot->counts[1] = kLate;
    report(a.engine.post);
    return;
  }
  const u32 first = u32(min(u64(blockIdx.x) * a.own, u64(a.g.n))), count = min(a.own, a.g.n - first);
  Peel<Offset> p{a, sh, memory, (volatile uint16_t*)(memory + a.own / 4), first, count, a.g.offsets[first + count], 0};
  Offset at = a.g.offsets[first];  // in the inbox
  for (u32 i = threadIdx.x; i < a.own / 4; i += kBlock) {
    u32 x = 0;
    for (u32 j = 0; j < 4; j++) {
      const u32 v = 4 * i + j;
      if (v >= count) continue;
      const u32 d = u32(a.g.offsets[first + v + 1] - a.g.offsets[first + v]);
      x |= d << 8 * j;
      if (d == 0) a.core[first + v] = 0;
    }
    p.degree[i] = x;
  }
  for (u32 i = threadIdx.x; i < a.own / 2; i += kBlock) memory[a.own / 4 + i] = kPeelFree << 16 | kPeelFree;
  if (threadIdx.x == 0) sh.head = sh.tail = sh.done = 0;
  u64 ended = kEnded;
  for (u32 stages = 0;; stages++) {
    if (threadIdx.x == 0) {
      sh.least = kPeelEmpty;
      sh.stop = 0;
    }
    __syncthreads();
    const u32 mine = p.least();
    if (lane() == 0 && mine != kPeelEmpty) atomicMin(&sh.least, mine);
    __syncthreads();
    if (threadIdx.x == 0 && sh.least != kPeelEmpty) atomicMin(&a.least[stages], sh.least);
    e.meet();
    if (e.late()) {
      ended = kLate;
      break;
    }
    // All blocks see the same: what sets it does so before it comes here.
    if (e.stopped() || *(volatile u32*)a.stopped) {
      ended = kStoppedBy;
      break;
    }
    const u32 next = *(volatile u32*)&a.least[stages];
    if (next == kPeelEmpty) break;
    p.stage = next;
    p.begin();
    __syncthreads();
    if (warp() == 0) {
      at = p.poll(at, &a.work[stages], e.looked);
    } else {
      p.peel(&a.work[stages]);
    }
    __syncthreads();
  }
  e.grid.leave();
  if (e.first()) {
    slot->counts[1] = ended;
    slot->counts[2] = p.stage;
  }
  report(a.engine.post);
}

}  // namespace foray

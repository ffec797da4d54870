// This file holds the barrier of a kernel whose blocks all run at once and stay
// until the search ends: blocks meet, and learn the sum of the numbers that they bring.
#pragma once

#include "frontier/ptx.cuh"
#include "frontier/queue.cuh"

namespace foray {

// GridState is what the blocks of a kernel that stays share. All of it is zero
// before the first launch; a launch leaves it as the next one needs it.
struct GridState {
  u64 words[4];   // of the barrier, used in turn: arrivals from bit kArrivals on, the sum below
  Slot slots[4];  // of the queues, likewise
  u32 round;      // barriers of all launches
  u32 late;       // a block waited longer than it would: all must end
  u32 pad[30];
};

constexpr u32 kArrivals = 48;  // from this bit on a word counts blocks
constexpr u64 kGaveUp = ~u64(0);
constexpr u64 kGivenUp = u64(1) << 63;  // of such a word: a block gave up before all were there
constexpr u64 kStopped = u64(1) << (kArrivals - 1);  // a block brought that the search must end

// Grid is a block's view of it. Threads hold the same in registers.
//
// A block doesn't wait for ever: where blocks don't all run at once, those that
// wait would keep the others from beginning. After patience ticks of its
// multiprocessor it gives up, late is set, and barriers no longer wait; blocks
// that begin afterwards find late set as well. What the kernel has made is of no
// use then, and the host zeroes the state before the next launch.
struct Grid {
  GridState* state;
  u64 patience;
  u32 round;  // the barrier to come
  bool late;  // the same for all threads of the block

  // All threads of the block make one together. late is looked at last: who
  // ends sets it before the round.
  __device__ Grid(GridState* s, u64 ticks) : state(s), patience(ticks), round(ptx::load_acquire(&s->round)) {
    late = __syncthreads_or(*(volatile u32*)&s->late);
  }

  // filling is the slot of the queue that is filled before the next barrier,
  // filled that of the queue that was filled before the last.
  __device__ __forceinline__ Slot* filling() const { return &state->slots[round & 3]; }
  __device__ __forceinline__ const Slot* filled() const { return &state->slots[(round - 1) & 3]; }

  // meet waits until all blocks are here and returns the sum of the numbers that their
  // first threads brought, which must be less than kStopped. The bit kStopped is
  // set if a block brought it, which at most one may, and if the block gave up.
  // Earlier writes are visible afterwards. shared is one word of shared
  // memory.
  __device__ __forceinline__ u64 meet(u64 brought, u64* shared) {
    __syncthreads();
    if (late) return kStopped;
    if (threadIdx.x == 0) {
      u64* word = &state->words[round & 3];
      if (blockIdx.x == 0) {
        // The words of the barrier after the next one: no block reads them any more,
        // and none writes them before this barrier.
        state->words[(round + 2) & 3] = 0;
        Slot* slot = &state->slots[(round + 2) & 3];
        slot->tail = 0;
        slot->visited = 0;
      }
      ptx::add_release(word, (u64(1) << kArrivals) + brought);
      const u64 since = clock64();
      const auto full = [](u64 x) { return (x & ~kGivenUp) >> kArrivals >= gridDim.x; };
      u64 x;
      do {
        x = ptx::load_acquire(word);
      } while (!full(x) && !(x & kGivenUp) && clock64() - since < patience);
      // All blocks give up at a barrier, or none: no block gives up once all are there.
      while (!full(x) && !(x & kGivenUp)) {
        const u64 was = atomicCAS(word, x, x | kGivenUp);
        x = was == x ? x | kGivenUp : was;
        __threadfence();
      }
      const bool all = !(x & kGivenUp);
      if (!all) {
        *(volatile u32*)&state->late = 1;
        __threadfence();
      }
      *shared = all ? x & ((u64(1) << kArrivals) - 1) : kGaveUp;
    }
    __syncthreads();
    const u64 sum = *(volatile u64*)shared;
    round++;
    if (sum != kGaveUp) return sum;
    late = true;
    return kStopped;
  }

  // leave notes the rounds for the next launch, after the last barrier.
  __device__ __forceinline__ void leave() {
    if (blockIdx.x == 0 && threadIdx.x == 0) state->round = round;
  }
};

}  // namespace foray

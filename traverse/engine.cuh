// This file holds the persistent engine: a kernel whose blocks all run at once and stay
// until a traversal ends. The engine has the barrier, the counts at the barrier, the host's
// request to stop, patience, resumption, and the notes on levels. A policy defines a
// level:
//
//   struct Policy {
//     u32 owner();                      // which kernel continues, if the kernel is resumed
//     void resume(Engine&);             // takes a traversal up, before a barrier
//     bool begin(Engine&);              // begins one; true: all meet before the first level
//     u64 round(Engine&);               // a level: kGoOn, or how the traversal ended
//     void end(Engine&, u64 ended);     // by all blocks, after the last barrier
//     void late();                      // by one thread, where blocks never began
//   };
//
// All blocks decide alike, from the sums that they get at a barrier.
#pragma once

#include "frontier/grid.cuh"
#include "frontier/ptx.cuh"

namespace foray {

// LevelNote is a note on a level for the host.
struct LevelNote {
  u64 frontier;  // vertices expanded
  u64 edges;     // out of them, where known
  u64 began;     // by the device's clock, in ns
  u32 way;       // defined by the policy
  u32 pad;
};

// How a traversal ended, in the slot's second counter.
constexpr u64 kEnded = 0;
constexpr u64 kLimited = 1;    // at a limit, with a frontier
constexpr u64 kStoppedBy = 2;  // the host
constexpr u64 kPaused = 3;     // another kernel continues
constexpr u64 kNothing = 4;    // it had ended before
constexpr u64 kLate = 5;       // not all blocks ran at once
constexpr u64 kGoOn = 6;       // it didn't

// Which kernel continues a traversal.
constexpr u32 kNobody = 0;
constexpr u32 kWholeGrid = 1;
constexpr u32 kOneCluster = 2;

// kLookEvery is how often the host's wish to stop is looked for, in ticks of a
// multiprocessor, about half a millisecond: the look goes over the bus.
constexpr u64 kLookEvery = 1 << 20;

// EngineArgs is what every such kernel takes.
struct EngineArgs {
  GridState* grid;
  const volatile u32* stop;  // in the host's memory: not 0 ends the traversal
  LevelNote* levels;         // a note on each level; or null
  Post post;
  u32 room;                  // of levels
  u32 patience;              // at a barrier, in 2^20 ticks of a multiprocessor
  u32 resume;                // not 0: the traversal is under way
  u32 pad;
};

struct EngineShared {
  u64 met;
};

// Engine is a block's view of the kernel. Threads hold the same in registers.
struct Engine {
  const EngineArgs& a;
  EngineShared& sh;
  Grid grid;
  u64 looked;
  u64 met;  // what the blocks brought to the last barrier

  __device__ Engine(const EngineArgs& args, EngineShared& shared)
      : a(args), sh(shared), grid(args.grid, u64(args.patience) << 20), looked(clock64()), met(0) {}

  __device__ __forceinline__ bool first() const { return blockIdx.x == 0 && threadIdx.x == 0; }

  // wish is what the first block brings to a barrier.
  __device__ __forceinline__ u64 wish() {
    if (!first()) return 0;
    const u64 now = clock64();
    if (now - looked < kLookEvery) return 0;
    looked = now;
    return *a.stop ? kStopped : 0;
  }

  // meet waits for all blocks; see Grid. sync does so in the midst of a level.
  __device__ __forceinline__ void meet(u64 brought = 0) { met = grid.meet(brought + wish(), &sh.met); }
  __device__ __forceinline__ void sync() { grid.meet(0, &sh.met); }
  __device__ __forceinline__ bool stopped() const { return met & kStopped; }
  __device__ __forceinline__ bool late() const { return grid.late; }

  // note notes the level that begins, counted from 1.
  __device__ __forceinline__ void note(u32 level, u32 way, u64 frontier, u64 edges) const {
    if (a.levels && first() && level <= a.room) a.levels[level - 1] = LevelNote{frontier, edges, ptx::globaltimer(), way, 0};
  }
};

// persist runs a policy as the whole grid.
template <class Policy>
__device__ __forceinline__ void persist(Engine& e, Policy& p) {
  Slot* slot = e.a.post.slot;
  if (e.late()) {  // before this block began
    if (e.first()) {
      p.late();
      slot->counts[1] = kLate;
    }
    report(e.a.post);
    return;
  }
  if (e.a.resume) {
    // All threads see the same: a block that gives up writes to it.
    if (__syncthreads_or(p.owner() != kWholeGrid)) {
      if (e.first()) slot->counts[1] = kNothing;
      report(e.a.post);
      return;
    }
    p.resume(e);
    e.meet();  // no block writes the state before all have read it
  } else if (p.begin(e)) {
    e.meet();
  }
  u64 ended = kEnded;
  while (!e.late()) {
    const u64 x = p.round(e);
    if (x == kGoOn) continue;
    ended = x;
    break;
  }
  e.grid.leave();
  p.end(e, e.late() ? kLate : ended);
  report(e.a.post);
}

}  // namespace foray

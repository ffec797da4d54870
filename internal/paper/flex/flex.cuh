// This file holds a breadth-first search by vertex queues whose parts can be left out, to measure what each
// gains: Liu, An, Liang, Yang and Ren, "FlexBFS: a parallelism-aware implementation of breadth-first search on GPU"
// (PPoPP 2012). A level is a launch, or the kernel goes from level to level while frontiers are small. Vertices
// enter the next queue one by one, or by way of a block's shared memory. Vertices of many edges wait in a queue of
// their own.
#pragma once

#include "operators/advance/row.cuh"
#include "traverse/engine.cuh"

namespace foray {

// FlexArgs is what all kernels take (flex.go).
template <class Offset>
struct FlexArgs {
  EngineArgs engine;
  Csr<Offset> out;
  i32* depths;    // -1 where not visited
  u32* items[2];  // queues of n vertices, used in turn: hubs lie behind, from the end on
  u32 count;      // vertices of the frontier, without hubs
  u32 hubs;       // of the frontier
  u32 turn;       // the queue that holds it
  u32 depth;      // of the frontier
  u32 hub;        // a vertex of more edges is a hub
  u32 most;       // a larger frontier is the host's
};

// Found puts the vertices that a level finds into the next queue.
template <class Offset, bool kTwoLevel>
struct Found;

template <class Offset>
struct Found<Offset, false> {
  struct Shared {};
  u32* items;
  Slot* slot;

  __device__ Found(u32* queue, Slot* s, Shared&) : items(queue), slot(s) {}
  __device__ __forceinline__ void put(bool keep, u32 v) {
    if (keep) items[atomicAdd(&slot->tail, u64(1))] = v;
  }
  __device__ __forceinline__ void relieve() {}
  __device__ __forceinline__ void flush() {}
};

template <class Offset>
struct Found<Offset, true> : Emitter<Offset> {
  using Shared = Stage;
  __device__ Found(u32* queue, Slot* s, Shared& sh) : Emitter<Offset>(Queue<Offset>{queue, nullptr, nullptr, 0, 0}, s, sh) {}
};

// FlexLevel expands a frontier. All threads of the grid call expand together.
template <class Offset, bool kTwoLevel, bool kApart>
struct FlexLevel {
  using Next = Found<Offset, kTwoLevel>;

  const FlexArgs<Offset>& a;
  u32 turn;    // the queue of the frontier
  i32 depth;   // of what is found
  Slot* slot;  // of the next queue: tail counts vertices, visited counts hubs
  Next out;

  __device__ FlexLevel(const FlexArgs<Offset>& args, u32 turn, u32 from, Slot* s, typename Next::Shared& sh)
      : a(args), turn(turn), depth(i32(from + 1)), slot(s), out(args.items[turn ^ 1], s, sh) {}

  // edge looks at the target of an edge. All lanes of a warp call it together.
  __device__ __forceinline__ void edge(bool have, Offset e) {
    bool found = false;
    u32 v = 0;
    if (have) {
      v = a.out.targets[e];
      // An old value of the depth costs an atomic operation, no more.
      found = a.depths[v] < 0 && atomicCAS(&a.depths[v], -1, depth) < 0;
    }
    if (kApart && found && a.out.offsets[v + 1] - a.out.offsets[v] > a.hub) {
      a.items[turn ^ 1][a.out.n - 1 - u32(atomicAdd(&slot->visited, u64(1)))] = v;
      found = false;
    }
    out.put(found, v);
  }

  __device__ __forceinline__ void expand(u32 count, u32 hubs) {
    const u32* items = a.items[turn];
    for (u64 base = u64(blockIdx.x) * kBlock; base < count; base += u64(gridDim.x) * kBlock) {
      const u64 i = base + threadIdx.x;
      const bool have = i < count;
      const Row<Offset> r = row_of(a.out, have, have ? items[i] : 0);
#pragma unroll 1
      for (Offset e = r.begin; __any_sync(kAll, e < r.end); e++) edge(e < r.end, e);
      out.relieve();
    }
    if (kApart && hubs > 0) {
      // Blocks share a hub where there are more blocks than hubs.
      const u32 parts = max(1u, gridDim.x / hubs);
      for (u64 k = blockIdx.x; k < u64(hubs) * parts; k += gridDim.x) {
        const Row<Offset> r = row_of(a.out, true, items[a.out.n - 1 - u32(k / parts)]);
#pragma unroll 1
        for (u64 base = r.begin + k % parts * kBlock; base < r.end; base += u64(parts) * kBlock) {
          const u64 e = base + threadIdx.x;
          edge(e < r.end, Offset(e));
          out.relieve();
        }
      }
    }
    out.flush();
  }
};

// flex_level is one level as a launch.
template <bool kTwoLevel, bool kApart, class Offset>
__device__ __forceinline__ void flex_level(const FlexArgs<Offset>& a) {
  __shared__ typename Found<Offset, kTwoLevel>::Shared sh;
  FlexLevel<Offset, kTwoLevel, kApart> level(a, a.turn, a.depth, a.engine.post.slot, sh);
  level.expand(a.count, a.hubs);
  report(a.engine.post);
}

// FlexSearch is the policy of the persistent engine that runs levels while frontiers are small.
template <class Offset, bool kTwoLevel, bool kApart>
struct FlexSearch {
  using Level = FlexLevel<Offset, kTwoLevel, kApart>;
  using Shared = typename Level::Next::Shared;

  const FlexArgs<Offset>& a;
  Shared& sh;
  u32 count, hubs, turn, depth;
  bool given = true;  // the frontier is the host's

  __device__ FlexSearch(const FlexArgs<Offset>& args, Shared& shared)
      : a(args), sh(shared), count(args.count), hubs(args.hubs), turn(args.turn), depth(args.depth) {}

  __device__ __forceinline__ u32 owner() const { return kWholeGrid; }
  __device__ __forceinline__ void resume(Engine&) {}
  __device__ __forceinline__ bool begin(Engine&) { return false; }

  __device__ __forceinline__ u64 round(Engine& e) {
    if (!given) {
      const volatile Slot* s = e.grid.filled();
      count = u32(s->tail), hubs = u32(s->visited);
    }
    given = false;
    if (count == 0 && hubs == 0) return kEnded;
    if (e.stopped()) return kStoppedBy;
    if (count > a.most || hubs > a.most / kBlock) return kLimited;
    Level level(a, turn, depth, e.grid.filling(), sh);
    level.expand(count, hubs);
    e.meet();
    turn ^= 1, depth++;
    return kGoOn;
  }

  __device__ __forceinline__ void end(Engine& e, u64 ended) {
    if (!e.first()) return;
    Slot* slot = e.a.post.slot;
    slot->tail = count, slot->visited = hubs;
    slot->counts[0] = depth, slot->counts[1] = ended, slot->counts[2] = turn;
  }

  __device__ __forceinline__ void late() {}
};

// flex_stay is levels as one launch, whose blocks all run at once.
template <bool kTwoLevel, bool kApart, class Offset>
__device__ __forceinline__ void flex_stay(const FlexArgs<Offset>& a) {
  using Search = FlexSearch<Offset, kTwoLevel, kApart>;
  __shared__ typename Search::Shared found;
  __shared__ EngineShared engine;
  Engine e(a.engine, engine);
  Search p(a, found);
  persist(e, p);
}

}  // namespace foray

// This file holds Push on a GPU, by a strategy that shares out a block's rows (gather.cuh);
// merge.cuh, hubs.cuh and levels.cuh have those that go about it otherwise. A push takes the
// frontier in as the whole grid's, calls the functor at every edge out of it
// and emits what the functor lets through. A kernel may call it in a loop of
// its own.
//
// A functor is a struct that is passed by value:
//
//   struct F {
//     struct Shared { ... };                  // of the block, may be empty
//     __device__ void begin(Shared&);         // by all threads, before the rest
//     __device__ bool fresh(u32 target);      // false: visit would say no for certain
//     __device__ bool visit(Shared&, bool active, u32 source, u32 target, u64 edge);
//     __device__ void end(Shared&, Slot*);    // by all threads, at the end
//   };
//
// Whole warps call visit, which returns whether target enters the next
// frontier; it isn't evaluated if active is false. fresh is called for several
// targets before the first is visited, so that its loads overlap. A functor whose
// visit always returns false may be Silent.
#pragma once

#include <type_traits>

#include "operators/advance/gather.cuh"

namespace foray {

// Silent is the base of functors that let no target through: the push doesn't check
// for output.
struct Silent {};
template <class F>
constexpr bool kSilent = std::is_base_of<Silent, F>::value;

// In is the frontier that is expanded. Its size is known to the host, or lies
// in the slot of the operator that filled it.
template <class Offset>
struct In {
  const u32* items;      // null: all vertices, in order; prefix is then the graph's offsets
  const Offset* prefix;  // for merge only
  const Slot* slot;      // null: edges and count hold
  u64 edges;             // out of all items
  u32 count;
  u32 shift;

  __device__ __forceinline__ u32 item(u32 i) const { return items ? items[i] : i; }

  // sized returns the frontier with edges and count filled in.
  __device__ __forceinline__ In sized() const {
    In in = *this;
    if (slot) {
      const u64 tail = *(volatile const u64*)&slot->tail;
      in.edges = tail & ((u64(1) << shift) - 1);
      in.count = u32(tail >> shift);
    }
    return in;
  }
};

// kAtOnce is how many edges a thread has in flight where rows are shared out by
// edges.
constexpr u32 kAtOnce = 4;

template <class Offset, class F>
struct PushShared {
  Stage stage;
  GatherShared<Offset> gather;
  typename F::Shared functor;
};

// Visit is the body that the gatherers get: functor and emitter together.
template <class Offset, class F>
struct Visit {
  const Csr<Offset>& g;
  F& f;
  typename F::Shared& shared;
  Emitter<Offset>& out;

  __device__ __forceinline__ void operator()(bool active, u32 source, Offset edge, u64) const {
    u32 t = active ? g.targets[edge] : 0;
    out.put(f.visit(shared, active, source, t, edge), t);
  }

  // several visits kAtOnce edges: their loads are under way together.
  __device__ __forceinline__ void several(const bool* active, const u32* sources, const Offset* edges, u64) const {
    u32 t[kAtOnce];
    bool go[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) t[j] = active[j] ? g.targets[edges[j]] : 0;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) go[j] = active[j] && f.fresh(t[j]);
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      if (!__any_sync(kAll, go[j])) continue;
      const bool keep = f.visit(shared, go[j], sources[j], t[j], edges[j]);
      if (!kSilent<F>) out.put(keep, t[j]);
    }
  }
};

// deal returns which item the calling thread gets in a round: items are dealt
// out to the blocks one by one, so that long rows that lie side by side, as
// hubs do in an order by degree, go to different blocks.
__device__ __forceinline__ u64 deal(u64 base) { return base + u64(threadIdx.x) * gridDim.x + blockIdx.x; }

// dealt is how many items a round deals out.
__device__ __forceinline__ u64 dealt() { return u64(gridDim.x) * kBlock; }

// push_rows expands the frontier a block's worth of vertices at a time.
template <class By, class Offset, class F>
__device__ void push_rows(const Csr<Offset>& g, const In<Offset>& in, F& f, Emitter<Offset>& out, PushShared<Offset, F>& sh) {
  Visit<Offset, F> body{g, f, sh.functor, out};
  for (u64 base = 0; base < in.count; base += dealt()) {
    const u64 i = deal(base);
    const bool have = i < in.count;
    By::template tile<Offset, F>(row_of(g, have, have ? in.item(u32(i)) : 0), sh, body, out);
    out.relieve();
  }
}

}  // namespace foray

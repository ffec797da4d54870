// This file holds the policy of the persistent engine that repeats the steps of a
// traversal (traverse.Repeat in Go). Steps come as a program: a list of operations, each
// with the functor that it calls, by number, and that functor's fields.
//
// The frontier is one of two queues, used in turn, or all vertices. What a push lets through
// enters a queue once: its functor sees to that, or a bitmap.
#pragma once

#include "operators/advance/ahead.cuh"
#include "operators/advance/flat_ahead.cuh"
#include "operators/advance/merge.cuh"
#include "operators/foreach/foreach.cuh"
#include "operators/pile/pile.cuh"
#include "operators/reduce/reduce.cuh"
#include "traverse/engine.cuh"
#include "traverse/functors.cuh"
#include "traverse/program.cuh"
#include "traverse/repeat_light.cuh"

namespace foray {

template <class Offset>
struct RepeatArgs {
  EngineArgs engine;
  Csr<Offset> out;
  Csr<Offset> in;        // targets null: absent
  u32* items[2];         // queues; the first holds the frontier
  Offset* prefix[2];
  u32* marks[2];         // bitmaps, zero before and after
  Hubs hubs;             // of a frontier
  Hubs all[2];           // of all vertices: of their out-edges, of their in-edges
  u64 edges;             // out of the frontier
  u32 count;             // of the frontier
  u32 all_vertices;      // not 0: it is all vertices
  u32 shift;
  u32 ops;
  u32 flat;              // not 0: no row is long (push_flat)
  u32 enter;             // a frontier of fewer vertices is for one cluster; 0: none is
  u32 limit;             // the cluster does no round after this one
  u32 trail;             // how many frontiers the program's trail has
  RepeatState* state;    // for that; or null
  Op program[kOps];
};

// Tuning: how many vertices of a trail are fetched a round ahead.
constexpr u32 kBackAhead = 1 << 14;

template <class Offset>
struct RepeatShared {
  EngineShared engine;
  Stage stage;
  MergeShared<Offset> merge;
  u64 totals[kWarps];
  RowsAhead own;
};

template <class Offset, class Fs>
struct Repeat {
  using Width = Offset;
  const RepeatArgs<Offset>& a;
  RepeatShared<Offset>& sh;
  In<Offset> in;
  u32 level = 0;
  u32 q = 0;            // the queue that holds the frontier, if it is in one
  u32 turn = 0;         // the bitmap that a push marks next, of two
  bool marked = false;  // the other one has the frontier
  u32 began = 0;        // the level that this kernel began behind
  u32 trail;            // how many frontiers the trail has
  u32 trail_end = 0;    // where the last of them ends
  bool trodden = false; // the frontier is in the trail
  bool known = false;   // where the one begins that would be taken off next
  u32 below = 0;        //   which is here
  Pile* pile = nullptr; // that was looked at
  PileState piled;

  __device__ Repeat(const RepeatArgs<Offset>& args, RepeatShared<Offset>& shared) : a(args), sh(shared), trail(args.trail) {
    in = a.all_vertices ? everything() : In<Offset>{a.items[0], a.prefix[0], nullptr, a.edges, a.count, a.shift};
    for (u32 i = 0; trail && i < a.ops; i++) {
      const Op& op = a.program[i];
      if (op.code == kOpRecord || op.code == kOpBack) trail_end = ((const u32*)op.bound)[trail - 1];
    }
  }

  __device__ __forceinline__ In<Offset> everything() const { return In<Offset>{nullptr, a.out.offsets, nullptr, u64(a.out.offsets[a.out.n]), a.out.n, a.shift}; }
  __device__ __forceinline__ bool flat() const { return Fs::Edges::kShort || Fs::Edges::flat(a.flat); }
  // If rows are short, the edges out of an entry aren't needed.
  __device__ __forceinline__ Queue<Offset> queue(u32 i) const {
    return Queue<Offset>{a.items[i], flat() ? nullptr : a.prefix[i], flat() ? nullptr : a.out.offsets, a.shift, 0};
  }

  // over is what an operation goes over.
  __device__ __forceinline__ In<Offset> over(const Op& op) const { return op.flags & kAllVertices ? everything() : in; }

  // unmark clears the bits of the frontier. They aren't needed any more.
  __device__ __forceinline__ void unmark() {
    if (!marked) return;
    u32* bits = a.marks[turn ^ 1];
    for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < in.count; i += u64(gridDim.x) * kBlock) bits[in.items[i] >> 5] = 0;
    marked = false;
  }

  // filled makes that queue the frontier.
  __device__ __forceinline__ void filled(Engine& e) {
    q ^= 1;
    in = In<Offset>{a.items[q], a.prefix[q], e.grid.filled(), 0, 0, a.shift}.sized();
    in.slot = nullptr;
  }

  // expand calls the functor at the frontier's edges.
  template <class At>
  __device__ __forceinline__ void expand(const In<Offset>& from, At& at, Emitter<Offset>& out) {
    typename At::Shared none;
    if (flat()) {
      push_flat(a.out, from, at, out, none);
    } else if (from.count <= kBlock) {
      const bool have = threadIdx.x < from.count;
      const u64 edges = list_rows(a.out, have, have ? from.item(threadIdx.x) : 0, sh.merge, sh.totals);
      push_listed(a.out, from.count, edges, at, out, none, sh.merge);
    } else {
      push_merge(a.out, from, at, out, none, sh.merge);
    }
  }

  __device__ __forceinline__ void push(Engine& e, const Op& op) {
    const In<Offset> from = over(op);
    unmark();
    const bool chained = op.number >> 16 != 0;  // no vertex is let through twice
    u32* seen = chained ? nullptr : op.flags & kDedupe ? a.marks[turn] : op.seen;
    if (op.flags & kDedupe && !chained) {
      turn ^= 1;
      marked = true;
    }
    Emitter<Offset> out(queue(q ^ 1), e.grid.filling(), sh.stage);
    Fs::Edges::call(op.functor, op.words, [&](auto& f) {
      using F = typename std::remove_reference<decltype(f)>::type;
      if constexpr (kSorts<F>) {
        AtPile<F> at;
        *(F*)at.words = f;
        const u32 rounds = op.number & 0xffff, most = op.number >> 16 << kAheadShift;
        at.ready((Pile*)op.seen, state_of(op), seen, most ? kAtStage : level);
        static_assert(sizeof(FlatAhead) <= sizeof sh.merge && sizeof(AheadShared<kAheadRoom>) <= sizeof sh.merge, "they take turns");
        if constexpr (Fs::Edges::kChains) {
          if (most || !Fs::Edges::kUnchained) {
            if (flat()) {
              push_ahead(a.out, from, at, seen, most ? rounds : 0, *(AheadShared<kAheadRoom>*)&sh.merge, out);
            } else {
              push_rows_ahead(a.out, from, at, seen, most ? rounds : 0, most, sh.own, sh.merge, sh.totals, out);
            }
          }
        }
        if constexpr (Fs::Edges::kUnchained) {
          if (Fs::Edges::kAhead && flat() && rounds && !most) {
            push_flat_ahead(a.out, from, at, seen, rounds, *(FlatAhead*)&sh.merge, sh.totals, out);
          } else if (!Fs::Edges::kChains || !most) {
            expand(from, at, out);
          }
        }
      } else if constexpr (!kVisits<F>) {
        AtEdge<F> at;
        *(F*)at.words = f;
        at.seen = seen;
        at.level = level;
        expand(from, at, out);
      }
    });
    out.flush();
    e.meet();
    filled(e);
  }

  // visit is a push that nothing comes of.
  __device__ __forceinline__ void visit(Engine& e, const Op& op) {
    const In<Offset> from = over(op);
    Emitter<Offset> none(queue(q ^ 1), e.grid.filling(), sh.stage);
    Fs::Edges::call(op.functor, op.words, [&](auto& f) {
      using F = typename std::remove_reference<decltype(f)>::type;
      if constexpr (kVisits<F>) {
        AtEdge<F> at;
        *(F*)at.words = f;
        at.seen = nullptr;
        at.level = level;
        expand(from, at, none);
      }
    });
    e.meet();
  }

  // state_of returns the state of a program's pile, which end writes back.
  __device__ __forceinline__ PileState& state_of(const Op& op) {
    if (!pile) {
      pile = (Pile*)op.seen;
      piled.load(pile);
    }
    return piled;
  }

  // refill makes what is due next of a pile the frontier, if that is empty: most often at the next stage.
  __device__ __forceinline__ void refill(Engine& e, const Op& op) {
    Pile* p = (Pile*)op.seen;
    PileState& is = state_of(op);
    if (in.count != 0 || *(volatile u32*)&p->count[is.turn] == 0) return;
    unmark();
    u32 at = is.stage + 1;
    for (;;) {
      const bool compact = 2 * u64(is.over) >= *(volatile u32*)&p->count[is.turn];
      Emitter<Offset> out(queue(q ^ 1), e.grid.filling(), sh.stage);
      Fs::Vertices::call(op.functor, op.words, [&](auto& f) { take_due(p, is, f, level, at, compact, out, sh.totals); });
      out.flush();
      e.meet();
      filled(e);
      const u32 next = *(volatile u32*)&p->next[is.phase];
      took(p, is, at, in.count != 0, compact);
      if (in.count != 0 || next == kNever || e.late()) return;
      at = next;
    }
  }

  __device__ __forceinline__ void keep(Engine& e, const Op& op) {
    unmark();
    Emitter<Offset> out(queue(q ^ 1), e.grid.filling(), sh.stage);
    Fs::Vertices::call(op.functor, op.words, [&](auto& f) { keep_some(in, f, level, out); });
    out.flush();
    e.meet();
    filled(e);
  }

  // record appends the frontier to the trail, if there is room: the queue isn't written before a barrier.
  __device__ __forceinline__ bool record(Engine& e, const Op& op) {
    if (u64(trail_end) + in.count > a.out.n || trail > a.out.n) return false;
    for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < in.count; i += u64(gridDim.x) * kBlock) op.seen[trail_end + i] = in.item(u32(i));
    trail_end += in.count;
    known = false;
    if (e.first()) ((u32*)op.bound)[trail] = trail_end;
    trail++;
    return true;
  }

  // back makes the trail's last frontier that of the traversal, where it lies. Where the one before it
  // begins is loaded a round ahead, and its vertices, which lie right below, are on their way.
  __device__ __forceinline__ void back(const Op& op) {
    const u32* ends = (const u32*)op.bound;
    const u32 from = known ? below : trail > 1 ? ends[trail - 2] : 0;
    below = trail > 2 ? ends[trail - 3] : 0;
    const u32 lines = (blockIdx.x * kBlock + threadIdx.x + 1) * 32;
    if (lines < kBackAhead && lines <= from) ptx::prefetch(op.seen + from - lines);
    in = In<Offset>{op.seen + from, nullptr, nullptr, 0, trail ? trail_end - from : 0, a.shift};
    trail_end = from;
    if (trail) trail--;
    known = trodden = true;
  }

  __device__ __forceinline__ void reduce(Engine& e, const Op& op) {
    const In<Offset> from = over(op);
    const bool reverse = op.flags & kInEdges;
    const Rows<Offset> rows{reverse ? a.in : a.out, reverse};
    const Hubs& hubs = from.items ? a.hubs : a.all[reverse];
    Fs::Gathers::call(op.functor, op.words, [&](auto& f) {
      using F = typename std::remove_reference<decltype(f)>::type;
      using V = typename F::Value;
      V sum = Fold<V, F::kReduce>::identity();
      if (hubs.any && hubs.fixed) sum = reduce_segments(rows, f, level, hubs);
      sum = Fold<V, F::kReduce>::join(sum, flat() && f.pure() ? reduce_flat(from, rows, f, level, hubs) : reduce_rows(from, rows, f, level, hubs));
      if (hubs.any) {
        e.sync();
        if (!hubs.fixed) {
          sum = Fold<V, F::kReduce>::join(sum, reduce_segments(rows, f, level, hubs));
          e.sync();
        }
        sum = Fold<V, F::kReduce>::join(sum, reduce_hubs(rows, f, level, hubs));
      }
      reduce_into<V, F::kReduce>(sum, op.scalar, sh.totals);
    });
    e.meet();
    if (hubs.any && !hubs.fixed) {
      if (e.first()) *hubs.count = 0;
      e.sync();
    }
  }

  // ends reports whether the scalar is below the bound, or above.
  __device__ __forceinline__ bool ends(const Op& op) const {
    const u64 bits = *(const volatile u64*)op.scalar.value, bound = op.bound;
    if (op.flags & kDoubleScalar) {
      const double x = *(const double*)&bits, y = *(const double*)&bound;
      return op.flags & kIfAbove ? x > y : x < y;
    }
    return op.flags & kIfAbove ? bits > bound : bits < bound;
  }

  __device__ u32 owner() const { return ((const volatile RepeatState*)a.state)->next; }
  __device__ void resume(Engine& e) {
    const volatile RepeatState* s = a.state;
    level = s->level, q = s->q, turn = s->turn;
    in = In<Offset>{a.items[q], a.prefix[q], e.grid.filled(), 0, 0, a.shift}.sized();
    in.slot = nullptr;
    began = level;
  }
  __device__ void late() {
    if (a.state) a.state->next = kNobody;
  }
  __device__ bool begin(Engine&) { return false; }

  __device__ u64 round(Engine& e) {
    if (in.count == 0) return kEnded;
    if (e.stopped()) return kStoppedBy;
    // A round at least, where the cluster gave it over.
    if (in.count < a.enter && level > began && level < a.limit) return kPaused;
    level++;
    e.note(level, 0, in.count, in.edges);
    if (e.a.levels && level > e.a.room && e.first()) {  // the last note has all rounds beyond
      e.a.levels[e.a.room - 1].frontier += in.count;
      e.a.levels[e.a.room - 1].edges += in.edges;
    }
#pragma unroll 1
    for (u32 i = 0; i < a.ops; i++) {
      const Op& op = a.program[i];
      u32 code = op.code;
      if constexpr (Fs::Edges::kShort) code = code == kOpPush ? kOpPush : kOpAtMost;  // the compiler drops all others
      switch (code) {
        case kOpPush:
          if constexpr (Fs::Edges::kAllElse) {
            if (Fs::Edges::has(kOpPush)) push(e, op);
          }
          break;
        case kOpEach:
          if (!Fs::Edges::has(kOpEach)) break;
          Fs::Vertices::call(op.functor, op.words, [&](auto& f) { each(over(op), f, level, op.scalar, sh.totals, (op.flags & kBeside) != 0); });
          if (!(op.flags & kBeside)) e.meet();
          break;
        case kOpReduce:
          if constexpr (Fs::Edges::kAllElse) {
            if (Fs::Edges::has(kOpReduce)) reduce(e, op);
          }
          break;
        case kOpKeep:
          if (Fs::Edges::has(kOpKeep)) keep(e, op);
          break;
        case kOpVisit:
          if constexpr (Fs::Edges::kAnyVisits) {
            if (Fs::Edges::has(kOpVisit)) visit(e, op);
          }
          break;
        case kOpRefill:
          if constexpr (Fs::Edges::kAnySorts) {
            if (Fs::Edges::has(kOpRefill)) refill(e, op);
          }
          break;
        case kOpRecord:
          if (Fs::Edges::has(kOpRecord) && !record(e, op)) return kNoRoom;
          break;
        case kOpBack:
          if (Fs::Edges::has(kOpBack)) back(op);
          break;
        case kOpBelow:
          if (Fs::Edges::has(kOpBelow) && ends(op)) return kEnded;
          break;
        case kOpLight:
          if constexpr (Fs::Edges::kAnyLight) {
            if (Fs::Edges::has(kOpLight)) light<Fs>(*this, e, op);
          }
          break;
        case kOpWindow:
          if constexpr (Fs::Edges::kAnyLight) {
            if (Fs::Edges::has(kOpWindow) && window(*this, e, op)) return kEnded;
          }
          break;
        case kOpLightest:
          if constexpr (Fs::Edges::kAnyLight) {
            if (Fs::Edges::has(kOpLightest)) lightest<Fs>(*this, e, op);
          }
          break;
        case kOpAtMost:
          if (level >= op.number) return in.count ? kLimited : kEnded;
          break;
        case kOpWide:
          if (in.count > op.number) return kLimited;
          break;
      }
      if (e.late()) return kEnded;
    }
    return kGoOn;
  }
  // end leaves what the next launch needs, and the frontier to the host.
  __device__ void end(Engine& e, u64 ended) {
    if (ended != kLate) unmark();
    if (trodden) {
      for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < in.count; i += u64(gridDim.x) * kBlock) a.items[q][i] = in.items[i];
    }
    if (!e.first()) return;
    if (pile) piled.store(pile);
    Slot* slot = e.a.post.slot;
    if (a.state) {
      a.state->level = level, a.state->q = q, a.state->turn = turn;
      a.state->next = ended == kPaused ? kOneCluster : kNobody;
    }
    slot->tail = (u64(in.count) << a.shift) + in.edges;
    slot->counts[0] = level;
    slot->counts[1] = ended;
    slot->counts[2] = q;
    slot->counts[3] = in.items == nullptr;
    slot->counts[4] = ptx::globaltimer();
    slot->counts[5] = trail;
  }
};

}  // namespace foray

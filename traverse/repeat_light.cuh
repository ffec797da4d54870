// This file holds the rounds of a traversal over rows by weight: pushes in windows, and
// reductions that stop. Policy is Repeat.
#pragma once

#include "operators/advance/within.cuh"
#include "operators/reduce/within.cuh"
#include "traverse/engine.cuh"
#include "traverse/functors.cuh"
#include "traverse/program.cuh"

namespace foray {

// plain is the queue to fill, from an entry on, without edge prefix.
template <class Policy>
__device__ __forceinline__ Queue<typename Policy::Width> plain(const Policy& p, u32 from) {
  return Queue<typename Policy::Width>{p.a.items[p.q ^ 1] + from, nullptr, nullptr, p.a.shift, 0};
}

// Tuning: a frontier of more than one vertex in kInOrder is put in order. What its vertices have then lies
// together: keys, ends of rows, notes, weights.
constexpr u32 kInOrder = 16;

// in_order makes the vertices of a bitmap the frontier, as the whole grid.
template <class Policy>
__device__ __forceinline__ void in_order(Policy& p, Engine& e, const u32* bits) {
  using Offset = typename Policy::Width;
  constexpr u32 kSeveral = 4;
  const u32 n = p.a.out.n;
  Emitter<Offset> out(plain(p, 0), e.grid.filling(), p.sh.stage);
  for (u64 base = u64(blockIdx.x) * kBlock * kSeveral; base < n; base += u64(gridDim.x) * kBlock * kSeveral) {
    bool in[kSeveral];
#pragma unroll
    for (u32 j = 0; j < kSeveral; j++) {
      const u64 v = base + j * kBlock + threadIdx.x;
      in[j] = v < n && (*(const volatile u32*)&bits[v >> 5] >> (v & 31) & 1);
    }
#pragma unroll
    for (u32 j = 0; j < kSeveral; j++) out.put(in[j], u32(base + j * kBlock + threadIdx.x));
    out.relieve();
  }
  out.flush();
  e.meet();
  p.filled(e);
}

// light pushes along the edges of the window under way.
template <class Fs, class Policy>
__device__ __forceinline__ void light(Policy& p, Engine& e, const Op& op) {
  using Offset = typename Policy::Width;
  p.unmark();
  u32* seen = p.a.marks[p.turn];
  p.turn ^= 1;
  p.marked = true;
  Window* w = (Window*)op.words[2];
  __shared__ LightPending<Offset> pending[kWarps];
  u32 count = 0;  // that the rows have brought when the parts of long ones begin
  Fs::Edges::call(op.functor, op.words, [&](auto& f) {
    using F = typename std::remove_reference<decltype(f)>::type;
    if constexpr (!kSorts<F> && !kVisits<F>) {
      AtEdge<F> at;
      *(F*)at.words = f;
      at.seen = seen;
      at.level = p.level;
      Emitter<Offset> out(plain(p, 0), e.grid.filling(), p.sh.stage);
      Light<Offset, AtEdge<F>> push(p.a.out, (const float*)op.words[0], (const float*)op.words[1], w, p.level & 1, at, out, pending[warp()]);
      push.rows(p.in);
      push.count(p.sh.totals);
      out.flush();
      if (w->aside) {
        e.sync();  // which turns to the next slot
        count = u32(*(const volatile u64*)&e.grid.filled()->tail >> p.a.shift);
        if (e.first()) w->parts[(p.level & 1) ^ 1] = 0;
        Emitter<Offset> more(plain(p, count), e.grid.filling(), p.sh.stage);
        Light<Offset, AtEdge<F>> rest(p.a.out, (const float*)op.words[0], (const float*)op.words[1], w, p.level & 1, at, more, pending[warp()]);
        if (!e.late()) rest.rest();
        more.flush();
      }
    }
  });
  e.meet();
  p.filled(e);
  p.in.count += count;
  if (p.in.count > p.a.out.n / kInOrder) in_order(p, e, seen);
}

// window moves on to the next window that has a vertex to visit, if the frontier is
// empty. It reports whether the traversal ends, because there is none, or because a pull costs less.
template <class Policy>
__device__ __forceinline__ bool window(Policy& p, Engine& e, const Op& op) {
  using Offset = typename Policy::Width;
  if (p.in.count != 0) return false;
  p.unmark();
  Window* w = (Window*)op.words[0];
  const volatile Window* is = w;
  const float over = is->high;  // what is nearer is certain; of the window to come all is farther
  float high = over;
  const float width = is->width, most = is->most, full = is->full, settled = float(is->settled);
  u32 t = is->turn & 3;
  const bool pull = float(is->all - is->settled) * min(high / full, 1.0f) * is->cost <= settled * min(width / full, 1.0f);
  if (pull || high >= most) {
    if (e.first()) w->low = pull && high < most ? high : Limits<float>::most();
    return true;
  }
  for (;;) {
    const float limit = min(high + width > high ? high + width : most, most);
    Emitter<Offset> out(plain(p, 0), e.grid.filling(), p.sh.stage);
    // The slot of the next look, which no block reads any more: all have met since.
    if (e.first()) w->least[(t + 1) & 3] = kExhausted;
    due_by(w, p.a.out.n, limit, &w->least[t], out, p.sh.totals);
    out.flush();
    e.meet();
    p.filled(e);
    if (p.in.count != 0) {
      if (e.first()) w->above = over, w->high = limit, w->turn = (t + 1) & 3;
      e.sync();
      return false;
    }
    const float least = __uint_as_float(*(volatile u32*)&w->least[t]);
    if (!(least <= most) || e.late()) {
      if (e.first()) w->low = Limits<float>::most();
      return true;
    }
    high = least;
    t = (t + 1) & 3;
  }
}

// lightest_of reduces over in-edges by rising weight, as the whole grid.
template <class Fs, class Offset>
__device__ __forceinline__ void lightest_of(const Op& op, const In<Offset>& from, const Rows<Offset>& rows, u32 level, u64* totals) {
  const u64 bits = op.words[2] ? *(const volatile u64*)op.words[2] : op.words[3];
  const float least = float(*(const double*)&bits);
  Fs::Gathers::call(op.functor, op.words, [&](auto& f) {
    using F = typename std::remove_reference<decltype(f)>::type;
    using V = typename F::Value;
    if constexpr (sizeof(typename F::Total) == 4) {
      const V sum = reduce_within(from, rows, f, level, (const float*)op.words[0], (const float*)op.words[1], least);
      reduce_into<V, F::kReduce>(sum, op.scalar, totals);
    }
  });
}

// lightest reduces over in-edges by rising weight.
template <class Fs, class Policy>
__device__ __forceinline__ void lightest(Policy& p, Engine& e, const Op& op) {
  const auto from = p.over(op);
  lightest_of<Fs>(op, from, Rows<typename Policy::Width>{p.a.in, true}, p.level, p.sh.totals);
  e.meet();
}

}  // namespace foray

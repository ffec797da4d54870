// This file holds a push along the edges that lead into a window of distance.
#pragma once

#include "algos/sssp/windows_block.cuh"

namespace foray {

// WindowsPush pushes rows; kSorted says that they ascend by weight, so that it stops where an edge leads too far.
template <class Offset, bool kSorted>
struct WindowsPush {
  using Block = WindowsBlock<Offset>;
  Block& b;
  u32* next = nullptr;  // the bitmap that is marked
  u64 settled = 0;      // edges of vertices that this thread pushed for the first time

  __device__ explicit WindowsPush(Block& block) : b(block) {}

  // visit lowers the distances of pending targets while there are so many edges.
  __device__ __forceinline__ void visit(u32 least) {
    bool low = false;
    b.take(least, [&](const auto& at, const auto& have) {
      constexpr u32 kSeveral = kWindowVisits / 32;
      const WindowPending<Offset>& p = b.own().pending;
      u32 t[kSeveral], x[kSeveral], is[kSeveral];
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        t[j] = have[j] ? b.a.out.targets[p.edge[at[j]]] : 0;
        x[j] = have[j] ? __float_as_uint(p.key[at[j]]) : kNoKey;
      }
      // Distances aren't negative: their bits are in the same order. What the multiprocessor's cache has is no less than the
      // distance.
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) is[j] = have[j] ? *(const u32*)&b.a.dist[t[j]] : 0;
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) is[j] = x[j] < is[j] ? atomicMin((u32*)&b.a.dist[t[j]], x[j]) : 0;
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        if (x[j] >= is[j]) continue;
        atomicOr(next + (t[j] >> 5), 1u << (t[j] & 31));
        low = true;
      }
    });
    b.lowered |= __any_sync(kAll, low);
  }

  // Bounds are where a push visits edges: what leads beyond above, and no farther than high.
  struct Bounds {
    float above, high;
    // The window's own vertices have all edges up to its end still to visit, others those that lead into it.
    __device__ __forceinline__ bool in(float key, float x) const { return x <= high && (key > above || x > above); }
  };

  // push_some makes those edges pending that lead into the window, and returns the least key beyond it.
  template <u32 kLanes>
  __device__ __forceinline__ float push_some(const float (&weight)[kWindowAhead], Offset edge, float key, const Bounds& w) {
    float beyond = Block::none();
#pragma unroll
    for (u32 j = 0; j < kWindowAhead; j++) {
      const float x = key + weight[j];
      b.pend(w.in(key, x), edge + kLanes * j, x);
      if (x > w.high) beyond = min(beyond, x);
    }
    if (b.waiting >= kWindowVisits) visit(kWindowVisits);
    return beyond;
  }

  // beyond returns the first edge of [begin, end) that leads farther than a limit, by each lane for a different row that
  // ascends: each step probes a quarter of the rest.
  __device__ __forceinline__ Offset beyond(float key, float limit, Offset begin, Offset end) const {
    while (begin < end) {
      const Offset step = (end - begin + 3) / 4;
      u32 n = 0;
#pragma unroll
      for (u32 j = 1; j < 4; j++) {  // all three loads are under way together
        const Offset i = begin + j * step - 1;
        n += i < end && key + b.a.weights[i] <= limit;
      }
      const Offset from = begin + n * step;
      if (n < 3) end = min(end, from + step - 1);
      begin = from;
    }
    return begin;
  }

  // cut leaves the part of a long row that ascends which leads into the window, and notes what lies beyond.
  __device__ __forceinline__ void cut(Row<Offset>& r, float key, const Bounds& w) const {
    const Offset end = r.end;
    if (!(key > w.above)) r.begin = beyond(key, w.above, r.begin, end);
    r.end = beyond(key, w.high, r.begin, end);
    b.a.notes[r.source] = r.end < end ? __float_as_uint(key + b.a.weights[r.end]) : kNoKey;
  }

  // push_short pushes the short rows of 32 lanes. noted are those that have their notes.
  __device__ __forceinline__ void push_short(bool is_short, bool noted, const Row<Offset>& r, float key, const Bounds& w) {
    u32* best = b.own().best;
    best[lane()] = kNoKey;
    b.together(is_short, r, [&](const bool (&have)[kWindowAhead], const u32 (&src)[kWindowAhead], const Offset (&edge)[kWindowAhead]) {
      float x[kWindowAhead];
#pragma unroll
      for (u32 j = 0; j < kWindowAhead; j++) x[j] = have[j] ? b.a.weights[edge[j]] : Block::none();
#pragma unroll
      for (u32 j = 0; j < kWindowAhead; j++) {
        const float is = __shfl_sync(kAll, key, src[j]);
        x[j] += is;
        b.pend(w.in(is, x[j]), edge[j], x[j]);
        if (have[j] && x[j] > w.high) atomicMin(&best[src[j]], __float_as_uint(x[j]));
      }
      if (b.waiting >= kWindowVisits) visit(kWindowVisits);
    });
    if (is_short && !noted) b.a.notes[r.source] = best[lane()];
    __syncwarp();
  }

  // push_groups pushes the rows of the lanes in a mask.
  __device__ __forceinline__ void push_groups(u32 rows, u32 noted, const Row<Offset>& r, float keys, const Bounds& w) {
    u32* best = b.own().best;
    best[lane()] = kNoKey;
    __syncwarp();
    b.by_groups(rows, r, b.a.weights, [&](const float (&x)[kWindowAhead], Offset edge, u32 src, bool) {
      const float key = __shfl_sync(kAll, keys, src), beyond = push_some<kWindowLanes>(x, edge, key, w);
      if (beyond < Block::none()) atomicMin(&best[src], __float_as_uint(beyond));
      return kSorted && Block::of_group(key + x[kWindowAhead - 1] > w.high);
    });
    __syncwarp();
    if ((rows & ~noted) >> lane() & 1) b.a.notes[r.source] = best[lane()];
    __syncwarp();
  }

  // push_rows pushes the vertices of a bitmap, and puts long rows aside.
  __device__ __forceinline__ void push_rows(u32* bits, const Bounds& w) {
    b.each(bits, [&](bool have, u32 v) {
      Row<Offset> r = row_of(b.a.out, have, v);
      const float key = have ? b.dist(v) : 0.0f;
      if (have && *(const volatile u32*)&b.a.notes[v] == kUnpushed) settled += r.size();
      const bool noted = r.size() > kWindowRow;
      if (noted && kSorted) cut(r, key, w);
      if (noted && !kSorted) b.a.notes[v] = kNoKey;
      const bool is_long = r.size() > (kSorted && noted ? kWindowCut : kWindowRow), is_short = have && r.size() <= kWindowShort;
      b.template put_aside<kSorted ? kWindowCutPart : kWindowPart>(is_long, r, key);
      if (__any_sync(kAll, is_short)) push_short(is_short, noted, r, key, w);
      const u32 rows = __ballot_sync(kAll, have && !is_long && !is_short);
      if (rows) push_groups(rows, __ballot_sync(kAll, noted), r, key, w);
    });
    visit(1);
  }

  // push_parts pushes the parts of rows that were put aside.
  __device__ __forceinline__ void push_parts(u32 parts, const Bounds& w) {
    b.each_part(parts, [&](const typename Block::Part& p) {
      constexpr u32 kStep = 32 * kWindowAhead;
      float beyond = Block::none(), x[kWindowAhead];
      Block::template weigh<32>(b.a.weights, p.begin + lane(), p.end, x);
#pragma unroll 1
      for (Offset i = p.begin; i < p.end; i += kStep) {
        float then[kWindowAhead];  // is under way meanwhile
        Block::template weigh<32>(b.a.weights, i + kStep + lane(), p.end, then);
        beyond = min(beyond, push_some<32>(x, i + lane(), p.key, w));
#pragma unroll
        for (u32 j = 0; j < kWindowAhead; j++) x[j] = then[j];
      }
      if (kSorted) return;  // it is noted
      beyond = fold_warp<float, kMin>(beyond);
      if (lane() == 0 && beyond < Block::none()) atomicMin(&b.a.notes[p.v], __float_as_uint(beyond));
    });
    visit(1);
  }
};

}  // namespace foray

// This file holds the search on one GPU over rows in any order, as one kernel.
//
// It settles distances in windows: if all distances up to a limit are certain, a push reads the weights of all edges of a
// vertex, and the targets of those edges only that lead into the window (delta-stepping by Meyer and Sanders, 2003, whose
// light edges are here those of the window). A vertex notes the least key beyond the window, so that a
// later window reads its row again only if it has an edge there. Once few edges are left that lead out of vertices
// without a certain distance, sweeps go over the in-edges of those (Chakaravarthy et al., IPDPS 2014, pull heavy edges
// likewise). A sweep reads the targets of light edges first, then of those that are lighter than the distance so found.
//
// The frontier is a bitmap. Each round reads it, and so has vertices in their order, each once.
#pragma once

#include "algos/sssp/windows_pull.cuh"
#include "algos/sssp/windows_push.cuh"

namespace foray {

// Windows is a block's view of the rounds.
template <class Offset, bool kSorted>
struct Windows : WindowsBlock<Offset> {
  using Block = WindowsBlock<Offset>;
  using Block::a;
  using Block::dist;
  using Block::e;
  using Block::ends;
  using Block::least;
  using Block::level;
  using Block::lowest;
  using Block::mark;
  using Block::meet;
  using Block::none;
  using Block::note;
  using Block::sh;
  using Block::words;
  using Sweep = typename WindowsPull<Offset, kSorted>::Sweep;
  using Bounds = typename WindowsPush<Offset, kSorted>::Bounds;

  __device__ Windows(const WindowsArgs<Offset>& args, WindowsShared<Offset>& shared) : Block(args, shared) {}

  // push pushes the vertices of marks[q] until there are no more, so many rounds at most. It reports whether there are more.
  __device__ __forceinline__ bool push(WindowsPush<Offset, kSorted>& by, u32& q, const Bounds& w, u32 rounds) {
    bool any = true;
    for (; any && rounds > 0 && !ends(); q ^= 1, rounds--) {
      level++;
      by.next = a.marks[q ^ 1];
      by.push_rows(a.marks[q], w);
      u32 parts;
      any = meet(parts);
      if (parts == 0 || ends()) continue;
      by.push_parts(parts, w);
      any |= meet();
    }
    return any;
  }

  // heavy pushes all edges of the vertices up to a distance that lead beyond the last window.
  __device__ __forceinline__ void heavy(WindowsPush<Offset, kSorted>& by, u32 q, float few, float high) {
    level++;
    mark(a.marks[q ^ 1], [&](u32 v) { return dist(v); }, [&](float d, u32) { return d <= few; });
    meet();
    if (ends()) return;
    const Bounds w{high, a.most};
    by.next = a.marks[q];  // what is marked there isn't looked at
    by.push_rows(a.marks[q ^ 1], w);
    u32 parts;
    meet(parts);
    if (parts == 0 || ends()) return;
    by.push_parts(parts, w);
    meet();
  }

  // sweep lowers the distances of the vertices that an in-edge from a vertex at distance bound or beyond may lower; of
  // all vertices beyond low in the first sweep. It returns the least distance that was lowered, kNoKey for
  // none; marks[q ^ 1] has the vertices that a later sweep changed.
  __device__ __forceinline__ u32 sweep(u32 q, float low, float bound, bool first) {
    level++;
    struct Hope {
      float dist, light;
    };
    struct Left {
      float dist;
      Offset begin, end;
    };
    if (first) {  // the notes of these vertices are kUnpushed, and those of others aren't looked at any more
      mark(a.marks[q], [&](u32 v) { return Left{dist(v), a.in.offsets[v], a.in.offsets[v + 1]}; }, [&](const Left& x, u32) { return x.dist > low && x.begin < x.end; });
    } else {
      mark(a.marks[q], [&](u32 v) { return Hope{dist(v), note(v)}; }, [&](const Hope& x, u32) { return x.light + bound < x.dist; });
    }
    if (!meet() || ends()) return kNoKey;
    Sweep s{bound, first, kNoKey, a.marks[q ^ 1]};
    WindowsPull<Offset, kSorted> by(*this);
    by.pull_rows(a.marks[q], s);
    lowest(s.least);
    u32 parts;
    meet(parts);
    const u32 all = least();
    if (parts == 0 || ends()) return all;
    s.least = kNoKey;
    by.pull_parts(parts, s);
    lowest(s.least);
    meet();
    return min(all, least());
  }

  // begin makes the sources the frontier.
  __device__ __forceinline__ void begin() {
    if (e.first()) {
      a.state->settled = 0;
      for (u32 i = 0; i < 4; i++) a.state->least[i] = kNoKey;
    }
    mark(a.marks[0], [&](u32 v) { return dist(v); }, [&](float d, u32 v) {
      a.notes[v] = kUnpushed;
      return d == 0;
    });
    for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < words(); i += gridDim.x * kBlock) a.marks[1][i] = 0;
    meet();
  }

  // run searches. It returns the least distance from which on distances may not be certain, kNoKey if all are.
  __device__ __forceinline__ u32 run() {
    begin();
    WindowsPush<Offset, kSorted> by(*this);
    u32 q = 0, changed = kNoKey;  // the least distance that the last sweep lowered
    Bounds w{-1.0f, min(a.width, a.most)};
    float few = -1.0f, from = 0.0f;  // vertices up to a distance have few edges, and all others are at from or beyond
    for (;;) {
      const bool swept = changed < kNoKey, more = push(by, q, w, swept ? a.rounds : ~0u);
      if (swept && more && !ends()) return changed;
      if (swept || ends()) return kNoKey;
      add_up(by.settled, sh.totals, &a.state->settled);
      by.settled = 0;
      if (w.high >= a.most) return kNoKey;
      // The frontier of the window to come, before it is known whether that costs less than a pull.
      bool pulls = false;
      for (float over = w.high;; over = __uint_as_float(least())) {
        const float limit = min(over + a.width > over ? over + a.width : a.most, a.most);
        u32 low = kNoKey;
        mark(a.marks[q], [&](u32 v) { return note(v); }, [&](float key, u32) {
          if (key < __uint_as_float(low)) low = __float_as_uint(key);  // no number is
          return key <= limit;
        });
        lowest(low);
        const bool any = meet();
        if (ends() || !(__uint_as_float(least()) <= a.most)) return kNoKey;
        const float pushed = float(*(const volatile u64*)&a.state->settled);
        pulls = (float(a.edges) - pushed) * a.cost <= pushed;
        if (pushed * kWindowFew <= float(a.edges)) few = w.high, from = __uint_as_float(least());
        if (!any && !pulls) continue;
        if (!pulls) w = Bounds{w.high, limit};
        break;
      }
      if (!pulls) continue;
      if (from > 0) heavy(by, q, few, w.high);
      changed = __float_as_uint(from);
#pragma unroll 1
      for (u32 i = 0; i < 2 && changed < kNoKey && !ends(); i++) changed = sweep(q, w.high, __uint_as_float(changed), i == 0);
      if (changed >= kNoKey || ends()) return kNoKey;
      // Vertices that the second sweep changed are pushed until nothing changes.
      q ^= 1;
      w = Bounds{-1.0f, a.most};
    }
  }

  // end counts the vertices that were reached, finds the largest distance, and makes integers of distances.
  __device__ __forceinline__ void end(u32 least) {
    constexpr u32 kSeveral = 4;
    Slot* slot = a.engine.post.slot;
    u64 reached = 0;
    u32 farthest = 0;
    if (!e.late()) {
      for (u64 base = u64(blockIdx.x) * kBlock * kSeveral; base < a.out.n; base += u64(gridDim.x) * kBlock * kSeveral) {
        float d[kSeveral];
#pragma unroll
        for (u32 j = 0; j < kSeveral; j++) {
          const u64 v = base + j * kBlock + threadIdx.x;
          d[j] = v < a.out.n ? dist(u32(v)) : none();
        }
#pragma unroll
        for (u32 j = 0; j < kSeveral; j++) {
          const u64 v = base + j * kBlock + threadIdx.x;
          if (v >= a.out.n) continue;
          const bool in = d[j] <= a.most;
          if (in) {
            reached++;
            farthest = max(farthest, __float_as_uint(d[j]));
          } else if (d[j] < none()) {
            a.dist[v] = none();
          }
          if (a.ints) a.ints[v] = in ? (long long)d[j] : -1;
        }
      }
    }
    add_up(reached, sh.totals, &slot->tail);
    farthest = fold_block<u32, kMax>(farthest, sh.totals);
    if (threadIdx.x != 0) return;
    atomicMax(&slot->counts[3], u64(farthest));
    if (blockIdx.x != 0) return;
    slot->counts[0] = level;
    slot->counts[1] = e.late() ? kLate : e.stopped() ? kStoppedBy : kEnded;
    slot->counts[2] = least;
  }
};

// windows searches, as the whole grid.
template <bool kSorted, class Offset>
__device__ __forceinline__ void windows(const WindowsArgs<Offset>& a, WindowsShared<Offset>& sh) {
  Windows<Offset, kSorted> s(a, sh);
  u32 least = kNoKey;
  if (!s.e.late()) least = s.run();
  s.e.grid.leave();
  s.end(least);
  report(a.engine.post);
}

// sums_of adds up hashes of all edges, a block a share of the edges at a time.
template <class Offset>
__device__ __forceinline__ void sums_of(const SumsArgs<Offset>& a) {
  constexpr u32 kShare = 1 << 14;
  const Offset m = a.rows.offsets[a.rows.n];
  Sums sums;
  for (Offset begin = Offset(blockIdx.x) * kShare; begin < m; begin += Offset(gridDim.x) * kShare) {
    const Offset end = min(begin + kShare, m);
    u32 v = 0;  // the last row that begins at or before the share
    for (u32 lo = 0, hi = a.rows.n; lo + 1 < hi; v = lo) {
      const u32 mid = lo + (hi - lo) / 2;
      if (a.rows.offsets[mid] <= begin) lo = mid;
      else hi = mid;
    }
    for (v += warp(); v < a.rows.n && a.rows.offsets[v] < end; v += kWarps) {
      const Offset last = min(a.rows.offsets[v + 1], end);
      for (Offset i = max(a.rows.offsets[v], begin) + lane(); i < last; i += 32) sums.add(v, key_of(a.rows.targets[i], a.weights[i]));
    }
  }
  sums.leave(a.sums);
}

}  // namespace foray

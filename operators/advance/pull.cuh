// This file holds Pull on a GPU: candidates probe their best neighbor, then their
// row, until one is found in the frontier. Beamer, Asanović, Patterson, SC 2012.
//
// A sink is a struct that is passed by value:
//
//   struct S {
//     __device__ void found(u32 vertex, u32 parent);  // a candidate and its in-neighbor
//     // found4 is optional: up to four vertices in a row, from v on, in one call. Bit i of
//     // hits says that v+i was found, bit i of candidates that it had no parent before.
//     __device__ void found4(u32 v, const uint4& parents, u32 hits, u32 candidates);
//   };
//
// A found with a third argument, u64 edge, is told the edge's index in the in-rows as well:
// that of the first in the row whose source is in the frontier. It needs no found4. If it
// returns bool, false rejects the edge, and the next one whose source is in the frontier
// follows. Calls for a vertex come one after another: what one writes the next one sees.
#pragma once

#include "operators/advance/chunk.cuh"

namespace foray {

// Rest is what a warp knows of the candidates that were left after a sweep, where they
// are few.
struct Rest {
  static constexpr u32 kMost = 32;
  static constexpr u32 kMany = ~u32(0);
  u32 v[kMost];
  u32 best[kMost];  // in-neighbor; kNoVertex: not looked up yet
  u32 n;            // or kMany
};

// Extras are what a sweep may be given beside.
struct Extras {
  static constexpr bool kCopies = false;  // true: has copy(at, words), which gets all words of out
  static constexpr u32 kRun = 1;          // groups of words side by side that a warp tells at once, at most
  u32* pushed = nullptr;  // bitmap: vertices found by a push before; zero afterwards
  bool rows = true;       // false: the pull itself finds no vertices
  Rest* rest = nullptr;   // of the warp; filled in
};

// Shares divides groups of words among warps: a warp takes chunks of up to 32 groups. A chunk consists of
// runs of contiguous groups, the next one as many runs further as there are chunks. A run has kRun groups, a power of
// two, or fewer if kRun would make chunks a quarter larger.
template <u32 kRun = 1>
struct Shares {
  u32 groups, most, chunks, warps, shift = 0;  // runs are of 1 << shift
  __device__ __forceinline__ Shares(u32 words) : groups((words + kWordsAtOnce - 1) / kWordsAtOnce), warps(gridDim.x * kWarps) {
    const u32 each = (groups + warps - 1) / warps, per = max((each + 31) / 32, 1u);
    most = max((each + per - 1) / per, 1u);
    if constexpr (kRun > 1) {
      const auto whole = [&](u32 s) { return ((most - 1) >> s) + 1 << s; };
      for (u32 s = 1; 1u << s <= kRun; s++) {
        if (4 * whole(s) <= 5 * most) shift = s;
      }
      most = whole(shift);
    }
    chunks = (groups + most - 1) / most;
  }
  __device__ __forceinline__ u32 first() const { return blockIdx.x * kWarps + warp(); }
  // group returns this lane's group, if there is one.
  __device__ __forceinline__ u64 group(u32 chunk) const {
    if constexpr (kRun > 1) return (chunk + u64(lane() >> shift) * chunks << shift) + (lane() & ((1u << shift) - 1));
    return chunk + u64(lane()) * chunks;
  }
  __device__ __forceinline__ bool mine(u64 group) const { return lane() < most && group < groups; }
};

__device__ __forceinline__ u32 bits(const uint4& x) { return __popc(x.x) + __popc(x.y) + __popc(x.z) + __popc(x.w); }

// remember adds the candidates of a chunk that are left to the rest.
__device__ __forceinline__ void remember(Rest& rest, u64 group, const uint4& open) {
  const u32 n = rest.n;
  if (n == Rest::kMany) return;
  const u32 mine = bits(open), all = warp_sum(mine);
  if (all == 0) return;
  __syncwarp();
  if (n + all > Rest::kMost) {
    if (lane() == 0) rest.n = Rest::kMany;
    __syncwarp();
    return;
  }
  const u32 words[4] = {open.x, open.y, open.z, open.w};
  u32 at = n + warp_inclusive(mine) - mine;
#pragma unroll 1
  for (u32 j = 0; j < 4 && mine; j++) {
    for (u32 w = words[j]; w; w &= w - 1, at++) {
      rest.v[at] = (u32(group) * 4 + j) * 32 + __ffs(w) - 1;
      rest.best[at] = kNoVertex;
    }
  }
  if (lane() == 0) rest.n = n + all;
  __syncwarp();
}

// sweep pulls over all words as the whole grid. A lane holds the bits of one group of
// words at a time. seen, none and out have room for whole steps of 16 bytes. It returns,
// in lane 0 of each warp, how many vertices were found.
template <class Offset, class S, class Tally, class X = Extras>
__device__ __forceinline__ u32 sweep(const PullArgs<Offset>& a, S& sink, Tally& tally, RefillShared<Offset>& sh, const X& x = X{}) {
  constexpr u32 W = kWordsAtOnce;
  static_assert(W == 4, "words are loaded 16 bytes at a time");
  const Shares<X::kRun> shares(a.words);
  u32 found = 0;
  const u32* frontier = ptx::kept(a.frontier);
  __syncwarp();  // all have seen what was there
  if (x.rest && lane() == 0) x.rest->n = 0;
  __syncwarp();
  for (u32 first = shares.first(); first < shares.chunks; first += shares.warps) {
    const u64 group = shares.group(first);
    const bool mine = shares.mine(group);
    const u32 base = u32(group) * W;
    uint4 s = make_uint4(0, 0, 0, 0), c = s, p = s;
    if (mine) {
      s = *(const uint4*)(a.seen + base);
      const uint4 no = *(const uint4*)(a.none + base);
      c = make_uint4(~(s.x | no.x), ~(s.y | no.y), ~(s.z | no.z), ~(s.w | no.w));
      if (base + 1 >= a.words) c.y = 0;
      if (base + 2 >= a.words) c.z = 0;
      if (base + 3 >= a.words) c.w = 0;
      if (x.pushed) {
        p = *(const uint4*)(x.pushed + base);
        *(uint4*)(x.pushed + base) = make_uint4(0, 0, 0, 0);
        p = make_uint4(p.x & c.x, p.y & c.y, p.z & c.z, p.w & c.w);
        c = make_uint4(c.x & ~p.x, c.y & ~p.y, c.z & ~p.z, c.w & ~p.w);
      }
    }
    if (!a.cumulative) s = make_uint4(0, 0, 0, 0);
    ((uint4*)sh.open)[lane()] = c;
    __syncwarp();
    const u32 size = x.rows ? bits(c) : 0;
    const u32 dense = __ballot_sync(kAll, size >= kDense), few = __ballot_sync(kAll, size > 0) & ~dense;
    if (dense | few) {
      Chunk<Offset, S, Tally, X::kRun> chunk{a, sink, tally, sh, frontier, first, shares.chunks | shares.shift << Chunk<Offset, S, Tally, X::kRun>::kShiftAt, dense, few};
      chunk.run();
      __syncwarp();
    }
    const uint4 o = ((const uint4*)sh.open)[lane()];
    const uint4 h = make_uint4((c.x & ~o.x) | p.x, (c.y & ~o.y) | p.y, (c.z & ~o.z) | p.z, (c.w & ~o.w) | p.w);
    const u32 sum = warp_sum(bits(h));
    if (lane() == 0) found += sum;
    if (mine) {
      const uint4 now = make_uint4(s.x | h.x, s.y | h.y, s.z | h.z, s.w | h.w);
      *(uint4*)(a.out + base) = now;
      if constexpr (X::kCopies) x.copy(base, now);
    }
    __syncwarp();
    if (x.rest) remember(*x.rest, group, o);
  }
  return found;
}

// sweep_rest is sweep where the warp knows its candidates, and out holds what was seen as
// well. Only this warp writes its words of out.
template <class Offset, class S, class X = Extras>
__device__ __forceinline__ u32 sweep_rest(const PullArgs<Offset>& a, S& sink, Rest& rest, const X& x = X{}) {
  constexpr u32 kCopies = 2;
  const Shares<X::kRun> shares(a.words);
  const u32 n = rest.n, v = lane() < n ? rest.v[lane()] : 0;
  u32 best = lane() < n ? rest.best[lane()] : 0;
  if (lane() < n && best == kNoVertex) best = a.first[v];
  Offset at = 0, end = 0;
  if (lane() < n && v < a.ones) {
    at = a.in.offsets[v] + 1;
    end = a.in.offsets[v + 1];
  }
  for (u32 first = shares.first(); first < shares.chunks; first += kCopies * shares.warps) {
    uint4 s[kCopies];
    u64 group[kCopies];
    bool mine[kCopies];
#pragma unroll
    for (u32 j = 0; j < kCopies; j++) {
      group[j] = shares.group(first + j * shares.warps);
      mine[j] = first + j * shares.warps < shares.chunks && shares.mine(group[j]);
      if (mine[j]) s[j] = ((const uint4*)a.seen)[group[j]];
    }
#pragma unroll
    for (u32 j = 0; j < kCopies; j++) {
      if (mine[j]) ((uint4*)a.out)[group[j]] = s[j];
    }
  }
  bool hit = lane() < n && has(a.frontier, best);
  u32 parent = best;
  // Short rows by their lanes, long ones by the warp.
  constexpr u32 kShort = 8;
  for (Offset e = at; !hit && e < end && end - at <= kShort; e++) {
    const u32 t = a.in.targets[e];
    if (has(a.frontier, t)) {
      hit = true;
      parent = t;
    }
  }
  for (u32 todo = __ballot_sync(kAll, !hit && at < end && end - at > kShort); todo; todo &= todo - 1) {
    const u32 src = __ffs(todo) - 1;
    const Offset b = __shfl_sync(kAll, at, src), e = __shfl_sync(kAll, end, src);
    for (Offset k = b; k < e; k += 32) {
      const u32 t = k + lane() < e ? a.in.targets[k + lane()] : 0;
      const u32 some = __ballot_sync(kAll, k + lane() < e && has(a.frontier, t));
      if (!some) continue;
      const u32 which = __shfl_sync(kAll, t, __ffs(some) - 1);
      if (lane() == src) {
        hit = true;
        parent = which;
      }
      break;
    }
  }
  __syncwarp();
  if (hit) {
    atomicOr(a.out + (v >> 5), 1u << (v & 31));
    sink.found(v, parent);
  }
  const u32 stay = __ballot_sync(kAll, lane() < n && !hit);
  if (stay >> lane() & 1) {
    const u32 to = __popc(stay & lanes_below());
    rest.v[to] = v;
    rest.best[to] = best;
  }
  if (lane() == 0) rest.n = __popc(stay);
  __syncwarp();
  if constexpr (X::kCopies) {
    for (u32 first = shares.first(); first < shares.chunks; first += shares.warps) {
      const u64 group = shares.group(first);
      if (shares.mine(group)) x.copy(u32(group) * kWordsAtOnce, ((const uint4*)a.out)[group]);
    }
  }
  return lane() == 0 ? n - __popc(stay) : 0;
}

template <class Offset>
struct PullShared {
  RefillShared<Offset> refill[kWarps];
  u64 totals[kWarps];
};

template <class Offset, class S>
__device__ void pull_words(const PullArgs<Offset>& a, S& sink, Slot* slot, PullShared<Offset>& sh) {
  PullTally<Offset> tally;
  sweep(a, sink, tally, sh.refill[warp()]);
  add_up(tally.tail, sh.totals, &slot->tail);
  add_up(tally.visited, sh.totals, &slot->visited);
}

}  // namespace foray

// This file holds the direction of a search in one kernel over rows in tiers (operators/advance/tiers.cuh).
// A pull has two passes: candidates look through their near rows as in any pull, and those that found
// nothing there look through the rest of their rows, in the host's memory.
//
// Reads of the host's memory at random addresses take ten times as long as reads that ascend, whatever their size up to 512 bytes
// (bench/notes/larger-than-gpu.md). So the second pass has its candidates in a list that ascends, and a warp
// reads a row, 512 bytes at a time. EMOGI (Min et al., VLDB 2020) reads rows in place by warps too; it has no near rows.
#pragma once

#include "algos/dobfs/direction.cuh"
#include "operators/advance/tiers.cuh"

namespace foray {

// Tuning: the rows that a warp reads at once.
constexpr u32 kFarRows = 4;

// list_far lists the candidates that out lacks and whose near rows aren't whole, as the whole grid. Each warp has a stretch
// of words, and lists its vertices one after the other. count is the length of the list. It reports whether
// this lane saw other candidates.
template <class Offset>
__device__ __forceinline__ bool list_far(const PullArgs<Offset>& a, const u32* whole, u32* items, u64* count, u64* totals) {
  const u32 warps = gridDim.x * kWarps, each = (a.words + 32 * warps - 1) / (32 * warps) * 32;
  const u32 first = min((blockIdx.x * kWarps + warp()) * each, a.words), last = min(first + each, a.words);
  const auto candidates = [&](u32 w, u32& near) {
    const u32 left = ~(a.out[w] | a.none[w]), far = left ? left & ~whole[w] : 0;
    near |= left & ~far;
    return far;
  };
  u32 mine = 0, near = 0;
#pragma unroll 4
  for (u32 w = first + lane(); w < last; w += 32) mine += __popc(candidates(w, near));
  __shared__ u64 begin;
  u64 total, at = block_exclusive(u64(warp_sum(mine)) * (lane() == 0), totals, total);
  __syncthreads();
  if (threadIdx.x == 0) begin = total ? atomicAdd(count, total) : 0;
  __syncthreads();
  at = begin + __shfl_sync(kAll, at, 0);
  for (u32 base = first; base < last; base += 32) {
    const u32 w = base + lane();
    u32 far = w < last ? candidates(w, near) : 0;
    const u32 n = __popc(far), through = warp_inclusive(n);
    for (u64 to = at + through - n; far; far &= far - 1) items[to++] = w * 32 + __ffs(far) - 1;
    at += __shfl_sync(kAll, through, 31);
  }
  return near != 0;
}

// sweep_far has listed candidates look through the rest of their rows, as the whole grid. Vertices that it finds enter a.out. It
// returns how many vertices this lane found, and sets open where this lane saw a candidate that found nothing.
template <class Offset, class S>
__device__ __forceinline__ u32 sweep_far(const PullArgs<Offset>& a, const Tiers& tiers, const u32* items, u64 count, S& sink, bool& open) {
  const Offset* offsets = (const Offset*)tiers.offsets;
  u32 found = 0;
  for (u64 base = u64(blockIdx.x * kWarps + warp()) * kFarRows; base < count; base += u64(gridDim.x) * kWarps * kFarRows) {
    u32 v = 0;
    Offset begin = 0, stop = 0;
    if (lane() < kFarRows && base + lane() < count) {
      v = items[base + lane()];
      begin = offsets[v] + (a.in.offsets[v + 1] - a.in.offsets[v]);
      stop = offsets[v + 1];
    }
    Offset at[kFarRows], end[kFarRows];
    u32 parent = kNoVertex;
#pragma unroll
    for (u32 j = 0; j < kFarRows; j++) {
      at[j] = __shfl_sync(kAll, begin, j);
      end[j] = __shfl_sync(kAll, stop, j);
    }
    for (bool more = true; more;) {
      more = false;
      uint4 q[kFarRows];
      Offset from[kFarRows];
#pragma unroll
      for (u32 j = 0; j < kFarRows; j++) {
        from[j] = (at[j] & ~Offset(3)) + 4 * lane();
        if (at[j] < end[j] && from[j] < end[j]) q[j] = *(const uint4*)(tiers.targets + from[j]);
      }
#pragma unroll
      for (u32 j = 0; j < kFarRows; j++) {
        if (at[j] >= end[j]) continue;
        const u32 t[4] = {q[j].x, q[j].y, q[j].z, q[j].w};
        u32 hit = kNoVertex;
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
          const Offset e = from[j] + i;
          if (hit == kNoVertex && e >= at[j] && e < end[j] && has(a.frontier, t[i])) hit = t[i];
        }
        const u32 some = __ballot_sync(kAll, hit != kNoVertex);
        if (some) {
          hit = __shfl_sync(kAll, hit, __ffs(some) - 1);
          if (lane() == j) parent = hit;
          at[j] = end[j];
        } else {
          at[j] = (at[j] & ~Offset(3)) + 128;
          more = more || at[j] < end[j];
        }
      }
    }
    if (parent != kNoVertex) {
      atomicOr(a.out + (v >> 5), 1u << (v & 31));
      sink.found(v, parent);
      found++;
    } else if (stop) {
      open = true;
    }
  }
  return found;
}

// Tiered is the direction of a search over rows in tiers.
struct Tiered : Optimising {
  // push is a heavy push. If degrees are alike, so that there are no hubs, rows are read in their order: the
  // frontier is a bitmap meanwhile.
  template <class S, class Offset, class Push>
  static __device__ __forceinline__ u64 push(S& s, Engine& e, const In<Offset>& in, u64 left, Push& do_push) {
    const FusedArgs<Offset>& a = s.a;
    if (!a.uniform_degree || in.count <= kBlock) return Optimising::push(s, e, in, left, do_push);
    for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < in.count; i += u64(gridDim.x) * kBlock) {
      const u32 v = in.item(u32(i));
      atomicOr(a.pushed + (v >> 5), 1u << (v & 31));
    }
    e.sync();
    if (e.late()) return kEnded;
    auto walk = [&](Heavy& f, Emitter<Offset>& out) {
      typename Light::Shared none;
      Visit<Offset, Heavy> body{a.out, f, none, out};
      for (u32 w = blockIdx.x * kWarps + warp(); w < a.stride; w += gridDim.x * kWarps) {
        const u32 fresh = a.pushed[w];
        __syncwarp();
        if (fresh && lane() == 0) a.pushed[w] = 0;
        walk_some(row_of(a.out, fresh >> lane() & 1, w * 32 + lane()), fresh, body);
      }
    };
    return Optimising::push(s, e, in, left, walk);
  }

  // pull is a level in which the candidates look for a neighbor in the frontier. Nothing is pushed before it, since
  // pushes read the host's memory.
  template <class S, class Offset>
  static __device__ __forceinline__ u64 pull(S& s, Engine& e, const In<Offset>& in) {
    const FusedArgs<Offset>& a = s.a;
    e.note(s.depth, 1, s.listed ? in.count : s.again ? 0 : s.found, 0);
    if (s.k + 1 == kPlanes) {  // none is left
      bool ignored = false;
      expand(a, s.k, false, s.sh.depth_of, ignored, false);
      e.sync();
      s.k = 0;
    }
    PullArgs<Offset> p{a.in, nullptr, s.plane(s.k), s.plane(s.k), a.none, a.first, s.plane(s.k + 1), a.words, a.shift, a.ones, 1};
    Labelled sink{a.parents};
    NoTally<Offset> tally;
    const Tiers& tiers = a.out.targets.tiers();
    u32 fresh = sweep(p, sink, tally, s.sh.refill[warp()]);
    e.sync();  // warps have other words now
    if (e.late()) return kEnded;
    u32* items = a.items[s.q];  // no queue holds the frontier
    bool open = list_far(p, tiers.whole, items, &e.grid.filling()->tail, s.sh.totals);
    e.sync();
    if (e.late()) return kEnded;
    fresh += sweep_far(p, tiers, items, e.grid.filled()->tail, sink, open);
    if (s.k == 0 && fills(a)) {
      fill_beyond(a);
      if (threadIdx.x == 0) s.sh.filled = true;
    }
    s.k++;
    if (threadIdx.x == 0) s.sh.depth_of[s.k] = i32(s.depth);
    u64 sum = total(fresh + (open ? kOpen : 0), s.sh.totals);
    if (sum >= kOpen) sum = sum % kOpen + kOpen;
    e.meet(sum);
    s.found = e.met & (kOpen - 1);
    if (s.k == 1 && a.mean_in_degree >= kLongRows) {  // as pulls of direction.cuh
      const u64 left = a.candidates > s.visited ? a.candidates - s.visited : 0;
      if (left > a.candidates / 8 && s.found < left / 8) {
        s.sh.local = true;  // all threads write it
        if (e.first()) e.a.post.slot->counts[7] = 1;  // for later searches
        recount(s, e);
      }
    }
    s.visited += s.found;
    s.listed = s.again = false;
    return kGoOn;
  }
};

}  // namespace foray

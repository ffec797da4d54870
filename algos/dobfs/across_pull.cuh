// This file holds the pull of a search over several GPUs: that of operators/advance/pull.cuh, but that warps take chunks as
// they come, know the second and third neighbors of a vertex, and look through the rows at a chunk's end at once. It stands
// apart, so that the kernels of one GPU stay as they are.
#pragma once

#include "operators/advance/pull.cuh"

namespace foray {
namespace shared_out {

// Next are a vertex' second and third in-neighbors.
struct alignas(8) Next {
  u32 x, y;
};

// look_through looks through the rests of up to 32 rows, which are listed in sh, at once: each row has as many lanes as there
// are for it, with eight targets each. It returns how many have a neighbor in the frontier: their ids and such a neighbor
// follow in the list, from kFound on.
constexpr u32 kFound = 32;
template <class Offset>
__device__ __noinline__ u32 look_through(const u32* targets, const u32* frontier, RefillShared<Offset>& sh, u32 n) {
  constexpr u32 kPieces = 2;
  u32 found = 0;
  __syncwarp();
  while (n) {
    const u32 shift = __clz(n - 1) - 27, r = lane() >> shift, k = lane() & ((1u << shift) - 1);  // 1 << shift lanes a row
    const bool in = r < n;
    const Offset begin = in ? sh.begin(r) : 0;
    const u32 size = in ? sh.left[r] : 0, id = in ? sh.id[r] : 0, skip = u32(begin) & 3, end = skip + size;
    uint4 q[kPieces];
#pragma unroll
    for (u32 i = 0; i < kPieces; i++) {
      const u32 at = 4 * (k + (i << shift));
      if (at < end) q[i] = *(const uint4*)(targets + (begin - skip) + at);
    }
    u32 parent = kNoVertex;
#pragma unroll
    for (u32 i = 0; i < kPieces; i++) {
      const u32 at = 4 * (k + (i << shift)), t[4] = {q[i].x, q[i].y, q[i].z, q[i].w};
      u32 bits[4];
#pragma unroll
      for (u32 m = 0; m < 4; m++) bits[m] = at + m >= skip && at + m < end ? frontier[t[m] >> 5] : 0;
#pragma unroll
      for (u32 m = 0; m < 4; m++) {
        if (bits[m] >> (t[m] & 31) & 1) parent = t[m];
      }
    }
    const u32 hits = __ballot_sync(kAll, parent != kNoVertex) & (shift < 5 ? ((1u << (1u << shift)) - 1) << (r << shift) : kAll);
    const bool first = hits && lane() == __ffs(hits) - 1;
    const u32 some = __ballot_sync(kAll, first);
    if (first) {
      const u32 to = kFound + found + __popc(some & lanes_below());
      sh.id[to] = uint16_t(id);
      sh.at[to] = parent;
    }
    found += __popc(some);
    const u32 seen = (4 * kPieces << shift) - skip;
    const bool stays = in && k == 0 && !hits && size > seen;
    const u32 stay = __ballot_sync(kAll, stays);  // and all have read the list
    if (stays) sh.put(__popc(stay & lanes_below()), id, begin + seen, size - seen);
    n = __popc(stay);
    __syncwarp();
  }
  return found;
}

// Chunk is a warp at work on up to 32 groups of words. With kNext it may have the Next of each
// vertex in an array: most rows that are looked at end there, and to look at a row itself costs 64 bytes of memory.
template <class Offset, class S, class Tally, u32 kRun = 1, bool kNext = false>
struct Chunk {
  static constexpr u32 W = kWordsAtOnce;
  static constexpr u32 kFree = 0xffffffff;  // no id; no group
  static constexpr u32 kFetch = 2;          // rows that a lane looks up at once
  static constexpr u32 kShiftAt = 28;       // there are fewer chunks: a group has 1 << 7 vertices
  const PullArgs<Offset>& a;
  S& sink;
  Tally& tally;
  RefillShared<Offset>& sh;
  const u32* frontier;       // that of a
  u32 first, chunks;         // group k of the chunk is first + k * chunks; with runs see Shares
  u32 dense, few;            // groups to come: worth a step, not worth it
  u32 missed, rows, sparse;  // what is listed
  u32 group[kAhead];         // groups whose best neighbors are under way
  uint4 best[kAhead];
  const Next* next = nullptr;

  __device__ __forceinline__ u32 vertex(u32 id) const {
    if constexpr (kRun > 1) {
      const u32 shift = chunks >> kShiftAt, far = chunks & ((1u << kShiftAt) - 1), at = id / kGroup;
      return ((first + (at >> shift) * far << shift) + (at & ((1u << shift) - 1))) * kGroup + id % kGroup;
    }
    return (first + id / kGroup * chunks) * kGroup + id % kGroup;
  }

  // mine returns this lane's candidates of a group: four vertices in a row, a bit each.
  __device__ __forceinline__ u32 mine(u32 group) const { return sh.open[group * W + lane() / 8] >> (lane() % 8 * 4) & 15; }

  // fetch has the best neighbors of the next group under way, in place i.
  __device__ __forceinline__ void fetch(u32 i) {
    group[i] = kFree;
    if (!dense) return;
    group[i] = __ffs(dense) - 1;
    dense &= dense - 1;
    if (mine(group[i])) best[i] = ptx::load_once((const uint4*)(a.first + vertex(group[i] * kGroup)) + lane());
  }

  // miss lists candidates that have more neighbors than the best one.
  __device__ __forceinline__ void miss(bool is, u32 id) {
    const u32 all = __ballot_sync(kAll, is);
    if (is) sh.missed[missed + __popc(all & lanes_below())] = uint16_t(id);
    missed += __popc(all);
  }

  // miss4 lists some of four in a row, in the order of vertices: what lies side by side
  // is read together.
  __device__ __forceinline__ void miss4(u32 which, u32 id) {
    u32 at = missed;
#pragma unroll
    for (u32 j = 0; j < 4; j++) {
      const u32 all = __ballot_sync(kAll, which >> j & 1);
      at += __popc(all & lanes_below());
      missed += __popc(all);
    }
#pragma unroll
    for (u32 j = 0; j < 4; j++) {
      if (which >> j & 1) sh.missed[at++] = uint16_t(id + j);
    }
  }

  // stream probes the best neighbors of a group, which have come.
  __device__ __forceinline__ void stream() {
    const u32 at = group[0], in = mine(at), v = vertex(at * kGroup) + lane() * 4;
    const uint4 q = best[0];
#pragma unroll
    for (u32 i = 1; i < kAhead; i++) {
      group[i - 1] = group[i];
      best[i - 1] = best[i];
    }
    fetch(kAhead - 1);
    const u32 p[4] = {q.x, q.y, q.z, q.w};
    u32 bits[4], hits = 0;
#pragma unroll
    for (u32 j = 0; j < 4; j++) bits[j] = in >> j & 1 ? frontier[p[j] >> 5] : 0;
#pragma unroll
    for (u32 j = 0; j < 4; j++) hits |= (bits[j] >> (p[j] & 31) & 1) << j;
    if constexpr (Rejects<S>::value) hits = accepted_some(a, sink, v, q, hits);
    const u32 left = in & ~hits, beside = __shfl_xor_sync(kAll, left, 1);
    if (lane() % 2 == 0) ((u8*)sh.open)[at * (kGroup / 8) + lane() / 2] = u8(left | beside << 4);
    tally.probed(__popc(in));
    if (hits) {
      if constexpr (!Rejects<S>::value) tell_some(a, sink, v, q, hits, in);
      tally.hits(a, v, hits);
    }
    const u32 more = v + 4 <= a.ones ? left : v < a.ones ? left & ((1u << (a.ones - v)) - 1) : 0;
    if (__any_sync(kAll, more != 0)) miss4(more, at * kGroup + lane() * 4);
    __syncwarp();
  }

  // list lists candidates of groups that have few, until there are enough.
  __device__ __forceinline__ void list() {
    while (few && sparse < kGroup) {
      const u32 at = __ffs(few) - 1;
      few &= few - 1;
      const uint4 c = ((const uint4*)sh.open)[at];
      const u32 some[W] = {c.x, c.y, c.z, c.w};
#pragma unroll
      for (u32 j = 0; j < W; j++) {
        if (some[j] >> lane() & 1) sh.sparse[sparse + __popc(some[j] & lanes_below())] = uint16_t(at * kGroup + j * 32 + lane());
        sparse += __popc(some[j]);
      }
    }
    __syncwarp();
  }

  // probe probes the best neighbors of those that are listed.
  __device__ __forceinline__ void probe() {
    bool want[W];
    u32 id[W], parent[W], bits[W];
    const u32 taken = min(sparse, kGroup);
    sparse -= taken;
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      want[j] = j * 32 + lane() < taken;
      id[j] = want[j] ? sh.sparse[sparse + j * 32 + lane()] : 0;
      parent[j] = want[j] ? ptx::load_once(a.first + vertex(id[j])) : 0;
    }
#pragma unroll
    for (u32 j = 0; j < W; j++) bits[j] = want[j] ? frontier[parent[j] >> 5] : 0;
#pragma unroll
    for (u32 j = 0; j < W; j++) {
      const bool hit = bits[j] >> (parent[j] & 31) & 1;
      if (want[j]) tally.probed(1);
      if constexpr (Rejects<S>::value) {
        const bool taken = hit && offer(id[j], parent[j], best_edge<S>(a, vertex(id[j])));
        miss(want[j] && !taken && vertex(id[j]) < a.ones, id[j]);
        continue;
      }
      if (hit) take(id[j], parent[j], best_edge<S>(a, vertex(id[j])));
      miss(want[j] && !hit && vertex(id[j]) < a.ones, id[j]);
    }
    __syncwarp();
  }

  // run goes over the chunk's groups. sh.open has the candidates; those that find a
  // parent are taken out of it.
  __device__ __forceinline__ void run() {
    Offset at[kSlots];
    u32 left[kSlots], id[kSlots];
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) id[j] = kFree;
    missed = rows = sparse = 0;
#pragma unroll
    for (u32 i = 0; i < kAhead; i++) fetch(i);
    for (;;) {
      while (missed < kLowMissed) {
        if (group[0] != kFree) {
          stream();
        } else if (few || sparse) {
          list();
          probe();
        } else {
          break;
        }
      }
      // Rows to probe, from the list.
      bool busy = false;
#pragma unroll
      for (u32 j = 0; j < kSlots; j++) {
        const u32 idle = __ballot_sync(kAll, id[j] == kFree), rank = __popc(idle & lanes_below());
        if (id[j] == kFree && rank < rows) {
          const u32 from = rows - 1 - rank;
          at[j] = sh.begin(from);
          left[j] = sh.left[from];
          id[j] = sh.id[from];
        }
        rows -= min(u32(__popc(idle)), rows);
        busy = busy || id[j] != kFree;
      }
      // Rows to come: where they begin is under way while others are probed.
      u32 who[kFetch];
      Offset begin[kFetch], end[kFetch];
      Next next_of[kFetch];
      const u32 fetched = rows <= kLowRows ? min(missed, 32 * kFetch) : 0;
      missed -= fetched;
#pragma unroll
      for (u32 j = 0; j < kFetch; j++) {
        who[j] = kFree;
        if (j * 32 + lane() < fetched) {
          who[j] = sh.missed[missed + j * 32 + lane()];
          begin[j] = ptx::load_once(a.in.offsets + vertex(who[j]));
          end[j] = ptx::load_once(a.in.offsets + vertex(who[j]) + 1);
          if constexpr (kNext) {
            if (next) next_of[j] = next[vertex(who[j])];
          }
        }
      }
      __syncwarp();  // lists are read before they are written again
      if (__any_sync(kAll, busy)) {
        const bool last = fetched == 0 && group[0] == kFree && !few && !sparse && !missed && !rows;
        if (last && finish_some(at, left, id)) break;
        step(at, left, id);
      } else if (fetched == 0) {
        break;  // there is nothing to do
      }
#pragma unroll
      for (u32 j = 0; j < kFetch; j++) {
        bool is = who[j] != kFree && begin[j] + 1 < end[j];
        if constexpr (kNext) {
          if (next && is) is = probe_next(who[j], next_of[j], begin[j], end[j]);
        }
        const u32 all = __ballot_sync(kAll, is);
        if (is) sh.put(rows + __popc(all & lanes_below()), who[j], begin[j] + 1, u32(end[j] - begin[j] - 1));
        rows += __popc(all);
      }
      __syncwarp();
    }
  }

  // probe_next probes a candidate's second and third neighbors. It reports whether there are more and leaves begin before them.
  __device__ __forceinline__ bool probe_next(u32 who, const Next& t, Offset& begin, Offset end) {
    const u32 size = u32(end - begin);
    const u32 x = frontier[t.x >> 5] >> (t.x & 31) & 1, y = size > 2 ? frontier[t.y >> 5] >> (t.y & 31) & 1 : 0;
    tally.probed(size > 2 ? 2 : 1);
    if (x | y) {
      take(who, x ? t.x : t.y, u64(begin) + (x ? 1 : 2));
      return false;
    }
    begin += 2;
    return size > 3;
  }

  // step takes every slot 16 bytes along its row.
  __device__ __forceinline__ void step(Offset* at, u32* left, u32* id) {
    uint4 q[kSlots];
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) {
      if (id[j] != kFree) q[j] = *(const uint4*)(a.in.targets + (at[j] & ~Offset(3)));
    }
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) {
      if (id[j] == kFree) continue;
      const u32 skip = u32(at[j]) & 3, stop = min(4u, skip + left[j]);
      const u32 t[4] = {q[j].x, q[j].y, q[j].z, q[j].w};
      u32 bits[4];
      bool hit = false;
      u32 parent = 0, place = 0;
#pragma unroll
      for (u32 i = 0; i < 4; i++) bits[i] = i >= skip && i < stop ? frontier[t[i] >> 5] : 0;
#pragma unroll
      for (u32 i = 0; i < 4; i++) {
        if (!hit && bits[i] >> (t[i] & 31) & 1) {
          if constexpr (Rejects<S>::value) {
            hit = offer(id[j], t[i], u64(at[j] - skip) + i);
          } else {
            hit = true;
            parent = t[i];
            place = i;
          }
        }
      }
      const u64 edge = u64(at[j] - skip) + place;
      tally.probed(stop - skip);
      at[j] += stop - skip;
      left[j] -= stop - skip;
      if constexpr (!Rejects<S>::value) {
        if (hit) take(id[j], parent, edge);
      }
      if (hit || left[j] == 0) id[j] = kFree;
    }
  }

  __device__ __forceinline__ void take(u32 id, u32 parent, u64 edge) {
    atomicAnd(&sh.open[id >> 5], ~(1u << (id & 31)));
    tell(sink, vertex(id), parent, edge);
    tally.hits(a, vertex(id), 1);
  }

  // offer is take by a sink that may reject the edge. It reports whether it didn't.
  __device__ __forceinline__ bool offer(u32 id, u32 parent, u64 edge) {
    if (!sink.found(vertex(id), parent, edge)) return false;
    atomicAnd(&sh.open[id >> 5], ~(1u << (id & 31)));
    tally.hits(a, vertex(id), 1);
    return true;
  }

  // finish_some looks through the rest of the rows, if they are no more than 32.
  __device__ __forceinline__ bool finish_some(const Offset* at, const u32* left, const u32* id) {
    u32 all[kSlots], n = 0;
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) {
      all[j] = __ballot_sync(kAll, id[j] != kFree);
      n += __popc(all[j]);
    }
    if (n > 32) return false;
    n = 0;
#pragma unroll
    for (u32 j = 0; j < kSlots; j++) {
      if (id[j] != kFree) sh.put(n + __popc(all[j] & lanes_below()), id[j], at[j], left[j]);
      n += __popc(all[j]);
    }
    const u32 found = look_through(a.in.targets, frontier, sh, n);
    if (lane() < found) take(sh.id[kFound + lane()], sh.at[kFound + lane()], 0);
    return true;
  }

};

// Shares divides groups of words among warps: a warp takes chunks of up to 32 groups. A chunk consists of
// runs of contiguous groups, the next one as many runs further as there are chunks. A run has kRun groups, a power of
// two, or fewer if kRun would make chunks a quarter larger.
template <u32 kRun = 1>
struct Shares {
  u32 groups, most, chunks, warps, shift = 0;  // runs are of 1 << shift
  __device__ __forceinline__ Shares(u32 words, u32 grain = 32) : groups((words + kWordsAtOnce - 1) / kWordsAtOnce), warps(gridDim.x * kWarps) {
    const u32 each = (groups + warps - 1) / warps, per = max((each + grain - 1) / grain, 1u);
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

// take returns the chunk after a chunk. The first ones are the warps'; with x.deal the others are dealt, so that warps that are
// done early take more of them.
template <class X, class Shares>
__device__ __forceinline__ u32 take(const X& x, const Shares& shares, u32 last) {
  if constexpr (X::kDeals) {
    if (x.deal) {
      u32 next = 0;
      if (lane() == 0) next = shares.warps + atomicAdd(x.deal, 1u);
      return __shfl_sync(kAll, next, 0);
    }
  }
  return last + shares.warps;
}

// grain_of returns how many groups a chunk may have.
template <class X>
__device__ __forceinline__ u32 grain_of(const X& x) {
  if constexpr (X::kDeals) return x.deal ? x.grain : 32;
  return 32;
}

// sweep pulls over all words as the whole grid. A lane holds the bits of one group of
// words at a time. seen, none and out have room for whole steps of 16 bytes. It returns,
// in lane 0 of each warp, how many vertices were found.
template <class Offset, class S, class Tally, class X = Extras>
__device__ __forceinline__ u32 sweep(const PullArgs<Offset>& a, S& sink, Tally& tally, RefillShared<Offset>& sh, const X& x = X{}) {
  constexpr u32 W = kWordsAtOnce;
  static_assert(W == 4, "words are loaded 16 bytes at a time");
  const Shares<X::kRun> shares(a.words, grain_of(x));
  u32 found = 0;
  const u32* frontier = ptx::kept(a.frontier);
  __syncwarp();  // all have seen what was there
  if (x.rest && lane() == 0) x.rest->n = 0;
  __syncwarp();
  for (u32 first = shares.first(); first < shares.chunks; first = take(x, shares, first)) {
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
      using Work = Chunk<Offset, S, Tally, X::kRun, X::kNext>;
      Work chunk{a, sink, tally, sh, frontier, first, shares.chunks | shares.shift << Work::kShiftAt, dense, few};
      if constexpr (X::kNext) chunk.next = x.next;
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
  if constexpr (X::kNext) {
    const bool looks = !hit && at < end && end - at > kShort;
    const u32 todo = __ballot_sync(kAll, looks);
    x.rows->open[lane()] = kNoVertex;
    if (looks) x.rows->put(__popc(todo & lanes_below()), lane(), at, u32(end - at));
    const u32 found = look_through(a.in.targets, a.frontier, *x.rows, __popc(todo));
    if (lane() < found) x.rows->open[x.rows->id[kFound + lane()]] = x.rows->at[kFound + lane()];
    __syncwarp();
    if (x.rows->open[lane()] != kNoVertex) {
      hit = true;
      parent = x.rows->open[lane()];
    }
  }
  for (u32 todo = X::kNext ? 0 : __ballot_sync(kAll, !hit && at < end && end - at > kShort); todo; todo &= todo - 1) {
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

}  // namespace shared_out
}  // namespace foray

// This file holds a warp at work on a pull. It streams through the best neighbors
// of candidates, 128 vertices a step; candidates that miss are listed, and what
// probing their rows needs is fetched while other rows are probed. Lanes don't wait
// for one another: a slot of a lane that is done with a row takes the next one.
#pragma once

#include "frontier/ptx.cuh"
#include "operators/advance/pull_args.cuh"
#include "operators/filter/cull.cuh"

namespace foray {

constexpr u32 kWordsAtOnce = 4;              // a group: what is loaded 16 bytes at a time
constexpr u32 kGroup = 32 * kWordsAtOnce;  // its vertices

// Tuning: how many rows a lane has under way, how many groups ahead best neighbors
// are fetched, how many steps the rows that remain at the end take
// before the warp takes over, and how many candidates make a group worth a separate
// step.
constexpr u32 kSlots = 2;
constexpr u32 kAhead = 2;
constexpr u32 kAlone = 8;
constexpr u32 kDense = 16;

// What is listed: candidates of groups that aren't worth a step, those that missed,
// and the rows of some of these. A list is filled up by so much when there is less.
constexpr u32 kSparse = kGroup + kDense;
constexpr u32 kLowMissed = 64;
constexpr u32 kMissed = kGroup + kLowMissed;
constexpr u32 kLowRows = 64;
constexpr u32 kRows = 64 + kLowRows;

// RefillShared is a warp's part of shared memory. A candidate is 12 bits: which of
// the chunk's groups, which of its vertices.
template <class Offset>
struct RefillShared {
  static constexpr bool kWide = sizeof(Offset) > 4;
  alignas(16) u32 open[32 * kWordsAtOnce];  // bitmap: candidates without a parent
  u32 at[kRows];                            // where the rest of the row begins
  u32 left[kRows];
  uint16_t above[kWide ? kRows : 2];  // of at: 48 bits are enough for any memory
  uint16_t id[kRows];
  uint16_t missed[kMissed];
  uint16_t sparse[kSparse];

  __device__ __forceinline__ void put(u32 i, u32 who, Offset begin, u32 size) {
    at[i] = u32(begin);
    if (kWide) above[i] = uint16_t(u64(begin) >> 32);
    left[i] = size;
    id[i] = uint16_t(who);
  }
  __device__ __forceinline__ Offset begin(u32 i) const { return kWide ? Offset(u64(above[i]) << 32 | at[i]) : Offset(at[i]); }
};

// Chunk is a warp at work on up to 32 groups of words.
template <class Offset, class S, class Tally, u32 kRun = 1>
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
    for (u32 alone = 0;;) {
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
      const u32 fetched = rows <= kLowRows ? min(missed, 32 * kFetch) : 0;
      missed -= fetched;
#pragma unroll
      for (u32 j = 0; j < kFetch; j++) {
        who[j] = kFree;
        if (j * 32 + lane() < fetched) {
          who[j] = sh.missed[missed + j * 32 + lane()];
          begin[j] = ptx::load_once(a.in.offsets + vertex(who[j]));
          end[j] = ptx::load_once(a.in.offsets + vertex(who[j]) + 1);
        }
      }
      __syncwarp();  // lists are read before they are written again
      if (__any_sync(kAll, busy)) {
        if (fetched == 0 && group[0] == kFree && !few && !sparse && !missed && !rows && ++alone > kAlone) {
          finish(at, left, id);
          break;
        }
        step(at, left, id);
      } else if (fetched == 0) {
        break;  // there is nothing to do
      }
#pragma unroll
      for (u32 j = 0; j < kFetch; j++) {
        const bool is = who[j] != kFree && begin[j] + 1 < end[j];
        const u32 all = __ballot_sync(kAll, is);
        if (is) sh.put(rows + __popc(all & lanes_below()), who[j], begin[j] + 1, u32(end[j] - begin[j] - 1));
        rows += __popc(all);
      }
      __syncwarp();
    }
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

  // Those of finish.cuh.
  __device__ __forceinline__ bool first_of(u32 who, Offset b, const u32* u, const bool* on);
  __device__ __forceinline__ void finish(const Offset* at, const u32* left, const u32* id);
};

}  // namespace foray

#include "operators/advance/finish.cuh"

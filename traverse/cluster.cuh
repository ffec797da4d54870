// This file holds the persistent engine's kernel of one cluster of blocks, which takes a
// traversal over while its frontier is small: a level costs a barrier of the cluster and the
// latency of a load or two (operators/advance/inbox.cuh has how a frontier is pushed). What
// happens at an edge is a functor's:
//
//   struct F {
//     static constexpr u32 kOthers, kOwn;      // entries of an inbox from another block, from the block itself
//     static constexpr u32 kLongRow;           // rows that a thread walks alone
//     static constexpr bool kOnce;             // visit is called once for each edge, else at least once
//     static constexpr bool kSkipsSource;      // not for the vertex that the source was reached from
//     static constexpr bool kEdges;            // visit needs the edge's index
//     static constexpr bool kHits;             // the traversal may end by the count of hits
//     static constexpr bool kSums;             // the last note has all levels beyond
//     void begin(u32 level);                   // of a level
//     bool visit(u32 v, u32 source, u64 edge); // v is this block's: it is let through
//     void found(u32 v, u32 source);           // then
//     u32 hit(u32 v);                          // and this is counted
//     bool enough(u32 hits);                   // hits since the last time
//     bool forgets();                          // behind a level forget is called, by
//     void forget(u32 v);                      // v's block, for all vertices that were let through
//     void end();                              // while the cluster meets
//   };
#pragma once

#include "operators/advance/inbox.cuh"
#include "traverse/engine.cuh"

namespace foray {

// ClusterArgs are the arguments of the loop, in addition to the graph.
template <class Offset>
struct ClusterArgs {
  Queue<Offset> queue;  // holds the frontier, and takes the one that the cluster leaves
  Slot* slot;           // the queue's
  u32 leave;            // a frontier of more vertices is for the whole grid
  u32 sends;            // so is one that will send more, by its growth
  u32 limit;            // the level that the cluster doesn't begin any more
};

// stay runs levels until they are for the whole grid. level is the level of the frontier that was
// expanded last, before and after; visited counts the vertices let through.
template <class Offset, class F>
__device__ __forceinline__ void stay(const EngineArgs& engine, const ClusterArgs<Offset>& a, Inboxes<Offset, F>& x, F& f, u32& level, u64& visited) {
  auto& sh = x.sh;
  const u32 rank = x.rank, size = x.size, shift = a.queue.shift;
  x.clear();
  Slot* slot = a.slot;
  const u64 tail = *(volatile u64*)&slot->tail, edges = tail & ((u64(1) << shift) - 1);
  const u32 count = u32(tail >> shift);
  __threadfence();
  cluster_meet();  // all can receive, and have read the count
  if (rank == 0 && threadIdx.x == 0) *(volatile u64*)&slot->tail = 0;
  __threadfence();

  for (u32 i = rank * kBlock + threadIdx.x; i < count; i += size * kBlock) {
    const u32 v = a.queue.items[i];
    x.expand(v, kNoVertex, x.heads[v], F::kEdges ? u64(x.g.offsets[v]) : 0);
  }
  if (rank == 0 && threadIdx.x == 0) sh.accepted[0] = count;
  if (engine.levels && rank == 0 && threadIdx.x == 0 && level < engine.room) {
    engine.levels[level] = LevelNote{count, edges, ptx::globaltimer(), 0, 0};
  }
  if (F::kSums && engine.levels && rank == 0 && threadIdx.x == 0 && level >= engine.room) {
    atomicAdd(&engine.levels[engine.room - 1].frontier, u64(count));
  }
  x.end([] {}, [] {});

  Emitter<Offset> out(a.queue, slot, sh.stage);
  bool leaving = false;
  u32 last = count;  // let through in the level before
  u64 looked = clock64();
  visited -= count;
  for (;;) {
    // The counts that arrived, by sender: the same in every warp.
    const u64 mail = lane() < size ? sh.mail[x.box ^ 1][lane()] : 0;
    const u32 came = F::kHits ? u32(mail) & 0xffff : u32(mail), note = u32(mail >> 32);
    // The part of the arrivals before each block's, and the total.
    const u32 before = warp_inclusive(came) - came, total = warp_sum(came);
    if (threadIdx.x == 0) sh.accepted[x.box ^ 1] = sh.flags[x.box ^ 1] = 0;  // told; of the step to come after this one
    if (F::kHits && threadIdx.x == 0) sh.hits[x.box ^ 1] = 0;
    const u32 accepted = warp_sum(note & (kAside - 1));
    const u32 flags = warp_or(note & (kAside | kStop));
    visited += accepted;
    if (accepted == 0 || leaving) break;
    if (F::kHits && f.enough(warp_sum(u32(mail) >> 16))) {
      // The whole grid ends the traversal: the frontier isn't expanded, so it needn't be listed.
      if (rank == 0 && threadIdx.x == 0) *(volatile u64*)&slot->tail = u64(accepted) << shift;
      break;
    }
    // Leave while the next level's sends have room.
    leaving = accepted > a.leave || level + 1 >= a.limit || (flags & kStop) ||
              u64(accepted) * accepted > u64(last) * a.sends;
    last = accepted;
    level++;
    f.begin(level);
    u32 mine = 0;
    u64 degrees = 0;
    auto take = [&](bool have, u32 v, u32 source, u64 edge) {
      uint4 h;
      u64 first = 0;
      if (have) h = x.heads[v];  // on its way while the visit is
      if (F::kEdges && have) first = u64(x.g.offsets[v]);
      const bool fresh = have && f.visit(v, source, edge);
      if (fresh) {
        f.found(v, source);
        mine++;
        if (F::kHits) {
          const u32 hits = f.hit(v);
          if (hits) atomicAdd(&sh.hits[x.box], hits);
        }
        if (engine.levels) degrees += x.g.offsets[v + 1] - x.g.offsets[v];
        if (!leaving) x.expand(v, source, h, first);
      }
      if (leaving) out.put(fresh, v);
    };
    // place is where the entry is that a thread takes in a round, of those that came.
    auto place = [&](u32 i) {
      u32 from = 0;  // the last block whose entries begin at or before i
#pragma unroll
      for (u32 s = kClusterBlocks / 2; s > 0; s /= 2) {
        if (__shfl_sync(kAll, before, from + s) <= i) from += s;
      }
      const u32 at = i - __shfl_sync(kAll, before, from);
      return (from == rank ? kClusterBlocks * F::kOthers : from * F::kOthers) + at;
    };
    for (u32 base = 0; base < total; base += kBlock) {
      const u32 i = base + threadIdx.x, at = place(i);
      bool have = i < total;
      const u64 entry = have ? sh.inbox[x.box ^ 1][at] : 0;
      u64 edge = 0;
      if constexpr (F::kEdges) edge = have ? sh.edge[x.box ^ 1][at] : 0;
      if (F::kOnce) have = have && u32(entry) != kNoVertex;
      take(have, u32(entry), u32(entry >> 32), edge);
      if (leaving) out.relieve();
    }
    // walk calls what for all edges out of the vertices that were set aside, by whole warps:
    // rows of middling length by warps, then long ones by the block.
    auto walk = [&](auto&& what) {
      const u32 asides = *(volatile u32*)&x.asides[(x.step - 1) % 3];
      const volatile u32* list = x.step & 1 ? x.even : x.odd;
#pragma unroll 1
      for (u32 pass = 0; pass < 2; pass++) {
        const u32 step = pass ? kBlock : 32, from = pass ? threadIdx.x : lane();
#pragma unroll 1
        for (u32 h = pass ? 0 : warp(); h < asides; h += pass ? 1 : kWarps) {
          const u32 v = list[h];
          const u64 b = x.g.offsets[v], e = x.g.offsets[v + 1];
          if ((e - b >= kBlock) != (pass != 0)) continue;
#pragma unroll 1
          for (u64 base = b; base < e; base += step) {
            const u64 i = base + from;
            const u32 u = i < e ? x.g.targets[i] : 0;
            what(i < e && x.owner(u) == rank, u, v, i);
          }
        }
        __syncwarp();
      }
    };
    if (flags & kAside) walk(take);
    if (rank == 0 && threadIdx.x == 0) *(volatile u32*)&x.asides[(x.step + 1) % 3] = 0;
    if (leaving) out.flush();
    mine = warp_sum(mine);
    if (lane() == 0 && mine) atomicAdd(&sh.accepted[x.box], mine);
    if (engine.levels && level < engine.room) {
      if (lane() == 0 && mine) atomicAdd(&engine.levels[level].frontier, u64(mine));
      if (degrees) atomicAdd(&engine.levels[level].edges, degrees);
      if (rank == 0 && threadIdx.x == 0) engine.levels[level].began = ptx::globaltimer();
    }
    if (F::kSums && engine.levels && level >= engine.room && !leaving) {  // else the grid adds it
      if (lane() == 0 && mine) atomicAdd(&engine.levels[engine.room - 1].frontier, u64(mine));
      if (degrees) atomicAdd(&engine.levels[engine.room - 1].edges, degrees);
    }
    // One thread looks, and tells it with the rest: were several to look, one block
    // might be told and another one not.
    if (rank == 0 && threadIdx.x == 0) {
      const u64 now = clock64();
      if (now - looked > kLookEvery) {
        looked = now;
        if (*engine.stop) atomicOr(&sh.flags[x.box], kStop);
      }
    }
    x.end(
        [&] {
          if (f.forgets()) {
            for (u32 base = 0; base < total; base += kBlock) {
              const u32 i = base + threadIdx.x, at = place(i);
              const u32 v = i < total ? u32(sh.inbox[x.box ^ 1][at]) : kNoVertex;
              if (v != kNoVertex) f.forget(v);
            }
            if (flags & kAside) {
              walk([&](bool have, u32 v, u32, u64) {
                if (have) f.forget(v);
              });
            }
          }
        },
        [&] { f.end(); });
  }
}

}  // namespace foray

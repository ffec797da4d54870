// This file holds Push by inboxes, for frontiers that are so small that a level takes the
// time of a few loads, one after the other: one cluster of blocks expands them.
//
// Every vertex belongs to a block. A block that expands a vertex sends its neighbors to
// their owners, each with the vertex that it is reached from, into inboxes in shared memory;
// after the barrier the owners visit them and expand those that they let through. Vertices of
// long rows, and those whose neighbors found an inbox full, are set aside: they are listed, and
// all blocks go through the list after the barrier, each for its own neighbors.
//
// The functor decides what happens at an edge (traverse/cluster.cuh has the loop and documents
// functors).
#pragma once

#include "frontier/cluster.cuh"
#include "frontier/ptx.cuh"
#include "operators/advance/heads.cuh"

namespace foray {

// What comes with the number of vertices that a block let through.
constexpr u32 kAside = 1u << 30;  // the list isn't empty
constexpr u32 kStop = 1u << 31;   // the host wants an end

// InboxEdges are the edges of the entries in the inboxes, for functors that take them.
template <u32 Entries, bool Edges>
struct InboxEdges {
  u64 edge[2][Entries];
};
template <u32 Entries>
struct InboxEdges<Entries, false> {};

// InboxShared has inboxes of so many entries from another block, and of so many from the
// block itself, which sends more to itself where neighbors have numbers nearby.
template <u32 Others, u32 Own, bool Edges>
struct InboxShared : InboxEdges<kClusterBlocks * Others + Own, Edges> {
  u64 inbox[2][kClusterBlocks * Others + Own];  // source above, target below
  u64 mail[2][kClusterBlocks];  // from each block: entries in 16 bits, hits in 16, the rest above
  u32 sent[2][kClusterBlocks];
  u32 accepted[2];
  u32 flags[2];
  u32 hits[2];
  u32 pad[2];
  Stage stage;
};

// owner_of is the block that a word of the bitmap, and so its 32 vertices, belongs to: one word of each size words,
// size being 1 << log, in an order that a hash of the group's number changes. With the same order everywhere, all rows
// of a lattice sent to the row above by the inbox of one block, which overflowed (5,000 columns: 19 times the time). A
// product alone, which is linear, does the same to other numbers of columns (4,096).
__device__ __forceinline__ u32 owner_of(u32 w, u32 size, u32 log) {
  u32 h = (w >> log) * 0x9e3779b1u;
  h = (h ^ h >> 16) * 0x85ebca6bu;
  return (w ^ h >> 28) & (size - 1);
}

// OwnedBits are the bits of a bitmap that belong to a block's vertices: in its shared memory,
// if there is room, or where they are. A word belongs to one block.
struct OwnedBits {
  u32* all;    // the bitmap
  u32* local;  // the block's part, if here
  u32 here;
  u32 words, rank, size, log;

  __device__ __forceinline__ OwnedBits(u32* bitmap, u32* shared, u32 is_here, u32 n)
      : all(bitmap), local(shared), here(is_here), words((n + 31) / 32), rank(cluster_rank()), size(cluster_size()), log(u32(__ffs(int(cluster_size()))) - 1) {}

  // load copies what is owned; reset begins without a bit.
  __device__ __forceinline__ void load() const {
    if (!here) return;
    each([&](u32 g, u32 w) { local[g] = all[w]; });
  }
  __device__ __forceinline__ void reset() const {
    if (!here) return;
    each([&](u32 g, u32) { local[g] = 0; });
  }

  // set sets the bit of a vertex and reports whether it wasn't set. Then it calls if_local, or
  // if_global if the bits are not in shared memory, with the word and the bit. Each branch
  // has its own return: if they joined, a thread would wait for the loads of both, which took
  // 7% of a search of a road network.
  template <class Local, class Global>
  __device__ __forceinline__ bool set(u32 v, Local&& if_local, Global&& if_global) const {
    const u32 bit = 1u << (v & 31);
    if (here) {
      if (atomicOr(local + (v >> 5 >> log), bit) & bit) return false;
      if_local(v >> 5, bit);
      return true;
    }
    if (atomicOr(all + (v >> 5), bit) & bit) return false;
    if_global(v >> 5, bit);
    return true;
  }

  // zero clears the bit of a vertex, and those beside it.
  __device__ __forceinline__ void zero(u32 v) const {
    if (here) {
      local[v >> 5 >> log] = 0;
    } else {
      *(volatile u32*)(all + (v >> 5)) = 0;
    }
  }

  // store copies what was set back, and calls fresh with it, word by word.
  template <class Fresh>
  __device__ __forceinline__ void store(Fresh&& fresh) const {
    if (!here) return;
    each([&](u32 g, u32 w) {
      const u32 now = local[g], more = now & ~all[w];
      if (more) {
        all[w] = now;
        fresh(w, more);
      }
    });
  }

 private:
  // each calls f with the words that the block owns, and the groups that they are of.
  template <class F>
  __device__ __forceinline__ void each(F&& f) const {
    for (u32 g = threadIdx.x; g << log < words; g += kBlock) {
      const u32 w = (g << log) + owner_of(g << log | rank, size, log);  // applied twice, it is the rank again
      if (w < words) f(g, w);
    }
  }
};

// Inboxes is a block's view of the strategy.
template <class Offset, class F>
struct Inboxes {
  using Shared = InboxShared<F::kOthers, F::kOwn, F::kEdges>;

  const Csr<Offset>& g;
  const uint4* heads;
  Shared& sh;
  u32* even;    // lists of vertices set aside in such steps
  u32* odd;
  u32* asides;  // how many; three counters, used in turn
  u32 rank, size;
  u32 box = 0;   // which inboxes are written
  u32 step = 0;  // since the kernel began
  u32 log = u32(__ffs(int(size))) - 1;

  __device__ __forceinline__ u32 owner(u32 v) const { return owner_of(v >> 5, size, log); }

  // clear readies the shared memory, before all blocks meet.
  __device__ __forceinline__ void clear() {
    if (threadIdx.x < kClusterBlocks) sh.sent[0][threadIdx.x] = sh.sent[1][threadIdx.x] = 0;
    if (threadIdx.x < 2) sh.accepted[threadIdx.x] = sh.flags[threadIdx.x] = sh.hits[threadIdx.x] = 0;
    if (rank == 0 && threadIdx.x < 3) asides[threadIdx.x] = 0;
  }

  // send sends up to N neighbors of v, the edges from first on, to their owners and says
  // whether all found room. The places are asked for together: they take as long as one. A
  // functor that is to be called once for each edge has none sent where one found no room.
  template <u32 N>
  __device__ __forceinline__ bool send(const u32 (&t)[N], const bool (&want)[N], u32 v, u64 first) const {
    u32 at[N];
#pragma unroll
    for (u32 j = 0; j < N; j++) {
      at[j] = ptx::count_if(want[j], &sh.sent[box][owner(t[j])]);
      fetch(want[j] ? t[j] : v);
    }
    bool all = true;
    if constexpr (F::kOnce) {
#pragma unroll
      for (u32 j = 0; j < N; j++) all = all && (at[j] < room(owner(t[j])) || !want[j]);
    }
    const bool whole = all;
#pragma unroll
    for (u32 j = 0; j < N; j++) {
      put(want[j], at[j], v, t[j], first + j, whole);
      all = all && (at[j] < room(owner(t[j])) || !want[j]);
    }
    return all;
  }

  // room is how many entries from this block an inbox takes.
  __device__ __forceinline__ u32 room(u32 to) const { return to == rank ? F::kOwn : F::kOthers; }

  // fetch brings what its owner reads of a vertex into the second-level cache.
  __device__ __forceinline__ void fetch(u32 v) const {
    ptx::prefetch(heads + v);
    if constexpr (F::kEdges) ptx::prefetch(g.offsets + v);
  }

  // put puts an entry at a place that was asked for, if it is one. It is read, whatever
  // becomes of it.
  __device__ __forceinline__ void put(bool want, u32 at, u32 v, u32 t, u64 edge, bool whole) const {
    const u32 to = owner(t), place = (to == rank ? kClusterBlocks * F::kOthers : rank * F::kOthers) + at;
    const bool is = want && at < room(to);
    cluster_put_if(is, &sh.inbox[box][place], to, u64(v) << 32 | (F::kOnce && !whole ? kNoVertex : t));
    if constexpr (F::kEdges) cluster_put_if(is, &sh.edge[box][place], to, edge);
  }

  // send_row is send for a row that is longer than that.
  __device__ bool send_row(const u32* row, u32 size, u32 v, u64 first) const {
    u32 at[F::kLongRow];
    bool all = true;
#pragma unroll 1
    for (u32 j = 0; j < size; j++) {
      const u32 to = owner(row[j]);
      at[j] = ptx::count_if(true, &sh.sent[box][to]);
      fetch(row[j]);
      all = all && at[j] < room(to);
    }
#pragma unroll 1
    for (u32 j = 0; j < size; j++) put(true, at[j], v, row[j], first + j, all);
    return all;
  }

  // aside sets a vertex aside.
  __device__ __forceinline__ void aside(u32 v) const {
    (step & 1 ? odd : even)[atomicAdd(&asides[step % 3], 1u)] = v;
    atomicOr(&sh.flags[box], kAside);
    __threadfence();
  }

  // expand sends the neighbors of a vertex to their owners. It was reached from source.
  // first is where its row is, for functors that ask for edges.
  __device__ __forceinline__ void expand(u32 v, u32 source, const uint4& h, u64 first) const {
    bool all;
    if (h.w != kElsewhere) {
      const u32 t[4] = {h.x, h.y, h.z, h.w};
      bool want[4];
#pragma unroll
      for (u32 j = 0; j < 4; j++) want[j] = t[j] != kNoVertex && !(F::kSkipsSource && t[j] == source);
      all = send(t, want, v, first);
    } else if constexpr (F::kOnce) {
      all = h.z <= F::kLongRow && send_row(g.targets + first, h.z, v, first);
    } else {
      all = h.z <= F::kLongRow;
      const u32* row = g.targets + (u64(h.y) << 32 | h.x);
#pragma unroll 1
      for (u32 j = 0; all && j < h.z; j++) {
        const u32 t[1] = {row[j]};
        const bool want[1] = {!(F::kSkipsSource && t[0] == source)};
        all = send(t, want, v, 0);
      }
    }
    if (!all) aside(v);
  }

  // end ends a step: every block tells every other one how much it sent, and how many
  // vertices it let through. What between does is seen in the next step, what meanwhile
  // does in the one after it.
  template <class Between, class Meanwhile>
  __device__ __forceinline__ void end(Between&& between, Meanwhile&& meanwhile) {
    __syncthreads();
    if (threadIdx.x < size) {
      const u32 to = threadIdx.x, n = min(sh.sent[box][to], to == rank ? F::kOwn : F::kOthers);
      cluster_put(&sh.mail[box][rank], to, u64(sh.accepted[box] | sh.flags[box]) << 32 | (F::kHits ? sh.hits[box] << 16 : 0) | n);
      sh.sent[box][to] = 0;  // for the step after the next one
    }
    between();
    cluster_arrive();
    meanwhile();
    cluster_wait();
    box ^= 1;
    step++;
  }
};

}  // namespace foray

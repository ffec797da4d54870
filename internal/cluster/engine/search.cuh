// This file holds a rank's part of a level on its GPU: pushes along the four subgraphs, the handling of found
// vertices, and of vertices from other ranks. Pulls are in operators/advance. The host runs the loop and
// NCCL (gpu_level.go). Compare Pan, Pearce, Owens, IPDPS 2018.
//
// Each delegate and each of the rank's own normal vertices has a bit in two bitmaps: base, the state of the search
// before the level, which pulls probe, and seen, in which the level marks what it finds. A third one, known, has the
// normal vertices of all ranks: pulls along nn probe it after it was gathered, and pushes mark the vertices there
// that were sent to their owner, so that each is sent once.
#pragma once

#include "operators/advance/merge.cuh"

namespace foray {

// The subgraphs: from normal vertices or delegates, to these or those.
constexpr u32 kND = 0, kDD = 1, kDN = 2, kNN = 3;

// Counters of a header's slot. Its visited counts edges looked at, its tail the list of normal vertices of the next
// frontier that were found here.
constexpr u32 kFoundNormals = 0;
constexpr u32 kFoundDelegates = 1;  // by this rank, perhaps by others too
constexpr u32 kFoundDegrees = 2;    // of these, over all ranks
constexpr u32 kFrontNormals = 3;    // of this rank in the level's own frontier
constexpr u32 kFrontDelegates = 4;  // the same on all ranks
constexpr u32 kMissing = 5;         // targets of the search that weren't visited before the level
constexpr u32 kNews = 6;            // normal vertices of this rank in its message, where it has what is new there

constexpr u32 kHeader = sizeof(Slot) / sizeof(u64);  // words of it before the numbers of vertices sent
constexpr u64 kUnknown = ~u64(0);                    // a parent on another rank
constexpr u64 kIsDelegate = u64(1) << 63;
constexpr u32 kQueueShift = 32;

// ClusterArgs are the common arguments of all kernels of a search.
struct ClusterArgs {
  const u32* off[4];
  const u32* to[4];       // those of nn number the normal vertices of all ranks, stride of each
  const u32* rows[2];     // sums of two offsets: of nd and nn, by normal vertex; of dd and dn, by delegate
  const u32* degrees;     // of delegates, over all ranks
  u32* base;              // delegates, then normal vertices
  u32* seen;
  u32* known;
  i32* depths[2];         // of normal vertices, of delegates
  u64* parents[2];        // or null
  u32* items[2];          // the frontier, where it is a list
  u32* prefix[2];
  Slot* front;            // of the list of normal vertices; the next header
  Slot* front_delegates;
  Slot* next;             // the level's header: the slot of the next list, and numbers of vertices sent
  Slot* next_delegates;
  u32* bins;              // of normal vertices for each rank
  u32* brief;             // message: delegates, then normal vertices of any rank
  u32 vertices[2];        // of this rank; delegates
  u32 words[2];           // of bitmaps, whole steps of 16 bytes
  u32 stride;             // normal vertices of a rank
  u32 rank, ranks;
  u32 bin;                // room of a bin
  u32 room[2];            // of the message: delegates, normal vertices
  i32 depth;              // of the vertices that the level finds
  u32 push;               // a bit for each subgraph that is pushed
  u32 list;               // what is found is listed
  u32 news;               // messages have the normal vertices that their owners found

  __device__ __forceinline__ u64* header(Slot* s) const { return (u64*)s; }
  __device__ __forceinline__ u64* sent() const { return (u64*)next + kHeader; }
  __device__ __forceinline__ Queue<u32> queue(u32 which) const { return Queue<u32>{items[which], prefix[which], rows[which], kQueueShift, 0}; }
  __device__ __forceinline__ u32* normals(u32* bitmap) const { return bitmap + words[1]; }
};

struct ClusterShared {
  MergeShared<u32> merge;
  u64 totals[kWarps];
};

// Marks is the body of a push that marks the vertices that it finds.
struct Marks {
  const ClusterArgs& a;
  u32 kind;  // of the sources: 0 normal vertices, 1 delegates

  __device__ __forceinline__ void mark(u32* words, u64* parents, u32 t, u64 parent) const {
    u32* at = words + (t >> 5);
    const u32 bit = 1u << (t & 31);
    if (*(volatile u32*)at & bit) return;
    if (parents) parents[t] = parent;  // all threads that get here are in the same level
    atomicOr(at, bit);
  }

  // send puts normal vertices of other ranks into bins, unless they were sent before.
  __device__ __forceinline__ void send(bool want, u32 t) const {
    if (want) want = claim(a.known, t);
    const u32 owner = want ? t / a.stride : 0;
    for (u32 todo = __ballot_sync(kAll, want); todo;) {
      const u32 src = __ffs(todo) - 1, to = __shfl_sync(kAll, owner, src);
      const u32 alike = __ballot_sync(kAll, want && owner == to);
      u64 at = 0;
      if (lane() == src) at = atomicAdd(a.sent() + to, u64(__popc(alike)));
      at = __shfl_sync(kAll, at, src) + __popc(alike & lanes_below());
      if ((alike >> lane() & 1) && at < a.bin) a.bins[u64(to) * a.bin + at] = t;
      todo &= ~alike;
    }
  }

  __device__ __forceinline__ void several(const bool* active, const u32* sources, const u32* at, u64) const {
    const u32 to_d = kind ? kDD : kND, to_n = kind ? kDN : kNN;
    const u32 *off_d = a.off[to_d], *off_n = a.off[to_n];
    u32 t[kAtOnce];
    bool go[kAtOnce], d[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      go[j] = active[j];
      d[j] = false;
      t[j] = 0;
      if (!go[j]) continue;
      const u32 v = sources[j], begin = off_d[v], size = off_d[v + 1] - begin, other = off_n[v], at_row = at[j] - (begin + other);
      d[j] = at_row < size;
      go[j] = a.push >> (d[j] ? to_d : to_n) & 1;
      if (go[j]) t[j] = d[j] ? a.to[to_d][begin + at_row] : a.to[to_n][other + at_row - size];
    }
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      const u64 parent = kind ? kIsDelegate | sources[j] : u64(a.rank) << 32 | sources[j];
      bool far = false;
      if (go[j]) {
        u32 v = t[j];
        if (d[j]) {
          mark(a.seen, a.parents[1], v, parent);
        } else {
          if (!kind) {
            far = v / a.stride != a.rank;
            v -= a.rank * a.stride;
          }
          if (!far) mark(a.normals(a.seen), a.parents[0], v, parent);
        }
      }
      if (!kind && __any_sync(kAll, far)) send(far, t[j]);
    }
  }
};

struct RowsOf {
  const u32* offsets;
};

// push expands the frontier's normal vertices or delegates.
__device__ __forceinline__ u64 push(const ClusterArgs& a, u32 kind, const Slot* slot, ClusterShared& sh) {
  const In<u32> in = In<u32>{a.items[kind], a.prefix[kind], slot, 0, 0, kQueueShift}.sized();
  if (in.count == 0) return 0;
  Marks body{a, kind};
  if (in.count <= kBlock) {
    u32 v = 0, begin = 0, end = 0;
    if (threadIdx.x < in.count) {
      v = in.items[threadIdx.x];
      begin = a.rows[kind][v];
      end = a.rows[kind][v + 1];
    }
    list_row(v, begin, end, sh.merge, sh.totals);
    walk_rows(in.count, in.edges, sh.merge, body, [] {});
  } else {
    walk_shares(RowsOf{a.rows[kind]}, in, sh.merge, body, [] {});
  }
  return in.edges;
}

// settle goes over the words of normal vertices or delegates; fresh returns the new bits of a word. It labels these
// vertices, counts them and, if they are listed, puts them into the queue. word is called with each word that has some.
template <class Fresh, class Word>
__device__ __forceinline__ u64 settle(const ClusterArgs& a, u32 kind, Emitter<u32>& out, Fresh&& fresh, Word&& word) {
  const u32 step = gridDim.x * kWarps * 32;
  u64 found = 0;
  for (u32 base = blockIdx.x * kWarps * 32; base < a.words[kind]; base += step) {  // the same for the block
    const u32 first = base + warp() * 32, w = first + lane();
    const u32 x = w < a.words[kind] ? fresh(w) : 0;
    found += __popc(x);
    for (u32 some = __ballot_sync(kAll, x != 0); some; some &= some - 1) {
      const u32 src = __ffs(some) - 1, bits = __shfl_sync(kAll, x, src), v = (first + src) * 32 + lane();
      const bool is = bits >> lane() & 1;
      if (is) a.depths[kind][v] = a.depth;
      if (a.list) out.put(is, v);
      word(is, v);
    }
    if (a.list) out.relieve();
  }
  out.flush();
  return found;
}

// arrived claims a normal vertex of this rank that another rank found.
__device__ __forceinline__ bool arrived(const ClusterArgs& a, u32 v) {
  if (!claim(a.normals(a.seen), v)) return false;
  atomicOr(a.normals(a.base) + (v >> 5), 1u << (v & 31));
  a.depths[0][v] = a.depth;
  if (a.parents[0]) a.parents[0][v] = kUnknown;
  return true;
}

}  // namespace foray

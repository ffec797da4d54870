// This file holds a rank's part of a level on its GPU: pushes along the four subgraphs, the handling of found
// vertices, and of vertices from other ranks. Pulls are in operators/advance. The host runs the loop and
// NCCL (gpu_level.go). Compare Pan, Pearce, Owens, IPDPS 2018.
//
// Each delegate and each of the rank's own normal vertices has a bit in several bitmaps: base, the state of the search
// before the level, which pulls probe; seen, in which the level marks what it finds; and after, what base is for the next
// level. Each level has its own of these, so that depths are written once, in the end (cluster_label). Another bitmap,
// known, has the normal vertices of all ranks: pulls along nn probe it after it was gathered, and pushes mark the vertices
// there that were sent to their owner, so that each is sent once.
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

// What a level's message lists.
constexpr u32 kTellNews = 1;       // the normal vertices that their owners found
constexpr u32 kTellDelegates = 2;  // delegates

// ClusterArgs are the common arguments of all kernels of a search.
struct ClusterArgs {
  const u32* off[4];
  const u32* to[4];       // those of nn number the normal vertices of all ranks, stride of each
  const u32* rows[2];     // sums of two offsets: of nd and nn, by normal vertex; of dd and dn, by delegate
  const u32* degrees;     // of delegates, over all ranks
  const u32* base;        // delegates, then normal vertices
  u32* after;
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
  u32 push;               // a bit for each subgraph that is pushed
  u32 list;               // what is found is listed
  u32 tells;              // what messages list
  u32 pad;

  __device__ __forceinline__ u64* header(Slot* s) const { return (u64*)s; }
  __device__ __forceinline__ u64* sent() const { return (u64*)next + kHeader; }
  __device__ __forceinline__ Queue<u32> queue(u32 which) const { return Queue<u32>{items[which], prefix[which], rows[which], kQueueShift, 0}; }
  template <class T>
  __device__ __forceinline__ T* normals(T* bitmap) const { return bitmap + words[1]; }
};

struct ClusterShared {
  MergeShared<u32> merge;
  u64 totals[kWarps];
};

// Marks is the body of a push that marks the vertices that it finds.
struct Marks {
  const ClusterArgs& a;
  u32 kind;  // of the sources: 0 normal vertices, 1 delegates

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
    // First all bits are loaded, and then those set that aren't: a load needn't wait for the operation before.
    u32 had[kAtOnce], v[kAtOnce];
    bool far[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      v[j] = t[j];
      far[j] = false;
      had[j] = ~0u;
      if (!go[j]) continue;
      if (!d[j] && !kind) {
        far[j] = v[j] / a.stride != a.rank;
        v[j] -= a.rank * a.stride;
      }
      if (!far[j]) had[j] = *(const volatile u32*)((d[j] ? a.seen : a.normals(a.seen)) + (v[j] >> 5));
    }
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) {
      const u32 bit = 1u << (v[j] & 31);
      if (!(had[j] & bit)) {
        u64* parents = d[j] ? a.parents[1] : a.parents[0];
        if (parents) parents[v[j]] = kind ? kIsDelegate | sources[j] : u64(a.rank) << 32 | sources[j];  // all threads that get here are in the same level
        atomicOr((d[j] ? a.seen : a.normals(a.seen)) + (v[j] >> 5), bit);
      }
      if (!kind && __any_sync(kAll, far[j])) send(far[j], t[j]);
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

// settle goes over the words of normal vertices or delegates; fresh returns the new bits of a word. It counts these
// vertices and, if they are listed, puts them into the queue. chunk is called by each warp with the number of bits that a lane
// has found in some words, then each with the vertices of these words: a word's bits, the lane's own, and its vertex.
template <class Fresh, class Chunk, class Each>
__device__ __forceinline__ u64 settle(const ClusterArgs& a, u32 kind, Emitter<u32>& out, Fresh&& fresh, Chunk&& chunk, Each&& each) {
  constexpr u32 W = 4;  // words of a thread that are loaded at once: neighbors belong to different warps, since many bits may be in few words
  u64 found = 0;
  for (u32 base = blockIdx.x * kBlock * W; base < a.words[kind]; base += gridDim.x * kBlock * W) {  // the same for the block
    u32 x[W], mine = 0;
#pragma unroll
    for (u32 k = 0; k < W; k++) {
      const u32 w = base + k * kBlock + threadIdx.x;
      x[k] = w < a.words[kind] ? fresh(w) : 0;
      mine += __popc(x[k]);
    }
    found += mine;
    if (__any_sync(kAll, mine != 0)) {
      chunk(mine);
#pragma unroll 1
      for (u32 k = 0; k < W; k++) {
        const u32 word = k < 2 ? (k ? x[1] : x[0]) : (k == 2 ? x[2] : x[3]);
        for (u32 some = __ballot_sync(kAll, word != 0); some; some &= some - 1) {
          const u32 src = __ffs(some) - 1, bits = __shfl_sync(kAll, word, src), v = (base + k * kBlock + warp() * 32 + src) * 32 + lane();
          const bool is = bits >> lane() & 1;
          if (a.list) out.put(is, v);
          each(bits, is, v);
        }
      }
    }
    if (a.list) out.relieve();
  }
  out.flush();
  return found;
}

// Places are a warp's places in a message's list. It takes places for all vertices that it has found in some words at once.
struct Places {
  u64* count;  // the length of the list, which may exceed its room
  u32 room;
  u64 at = 0;

  __device__ __forceinline__ void take(u32 mine) {
    const u32 all = warp_sum(mine);
    // A list that is full by far isn't counted any more. Lanes may read different numbers: the first one's counts.
    if (lane() == 0) at = *(volatile u64*)count > room ? u64(room) : atomicAdd(count, u64(all));
    at = __shfl_sync(kAll, at, 0);
  }
  template <class Put>
  __device__ __forceinline__ void put(u32 bits, bool is, Put&& put) {
    const u64 i = at + __popc(bits & lanes_below());
    if (is && i < room) put(i);
    at += __popc(bits);
  }
};

__device__ __forceinline__ uint4 without(const uint4& x, const uint4& y) { return uint4{x.x & ~y.x, x.y & ~y.y, x.z & ~y.z, x.w & ~y.w}; }
__device__ __forceinline__ uint4 both(const uint4& x, const uint4& y) { return uint4{x.x | y.x, x.y | y.y, x.z | y.z, x.w | y.w}; }

// renew is settle where nothing is done with single vertices: bits returns four words as they are after the level.
template <class Bits>
__device__ __forceinline__ u64 renew(const u32* base, u32* after, u32 words, Bits&& bits) {
  u64 found = 0;
  for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < words / 4; i += gridDim.x * kBlock) {
    const uint4 b = ((const uint4*)base)[i], s = bits(i), x = without(s, b);
    ((uint4*)after)[i] = s;
    found += __popc(x.x) + __popc(x.y) + __popc(x.z) + __popc(x.w);
  }
  return found;
}

// arrived claims a normal vertex of this rank that another rank found.
__device__ __forceinline__ bool arrived(const ClusterArgs& a, u32 v) {
  if (!claim(a.normals(a.seen), v)) return false;
  atomicOr(a.normals(a.after) + (v >> 5), 1u << (v & 31));
  if (a.parents[0]) a.parents[0][v] = kUnknown;
  return true;
}

}  // namespace foray

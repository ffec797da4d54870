// This file holds the arguments of the kernels (search.cu, gpu_args.go) but for those that all of a search have.
#pragma once

#include "frontier/bitmap.cuh"
#include "frontier/peers.cuh"
#include "internal/cluster/engine/search.cuh"
#include "operators/advance/pull.cuh"

namespace foray {

// kLooksPerHalt is how often a rank that waits looks for the flags of others until it looks whether its host wants an
// end, which is a load over the bus.
constexpr u32 kLooksPerHalt = 256;

// HeadsArgs: the first target of each row of a subgraph, and a bitmap of empty rows.
struct HeadsArgs {
  const u32* off;
  const u32* to;
  u32* first;
  u32* none;
  u32 n, words;
};

// ClusterSink takes the vertices that a pull finds.
struct ClusterSink {
  u64* parents;  // or null
  u64 mark;      // is added to a parent's number
  u32 own;       // the number of the rank's first normal vertex, where parents may be on other ranks
  u32 count;     // of these; 0: all parents are here
  __device__ __forceinline__ void found(u32 v, u32 parent) const {
    if (parents) parents[v] = count && parent - own >= count ? kUnknown : mark | (parent - own);
  }
};

// PullsArgs: count pulls.
struct PullsArgs {
  PullArgs<u32> of[4];
  ClusterSink sinks[4];
  Slot* slot;
  u32 count, pad;
};

// TellArgs: headers are copied to the host's memory.
struct TellArgs {
  const u64* from;
  u64* to;  // null: they aren't
  u64* stamp;
  u64 value;
  u32 ranks;
  u32 words;  // of each
  u32 pitch;  // from one to the next
  u32 pad;

  // tell is the work of a block.
  __device__ __forceinline__ void tell() const {
    for (u32 i = threadIdx.x; i < ranks * words; i += kBlock) {
      const u32 r = i / words;
      ((volatile u64*)to)[i] = ((const volatile u64*)from)[u64(r) * pitch + (i - r * words)];
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) {
      *(volatile u64*)stamp = value;
      __threadfence_system();
    }
  }
};

// SendArgs: an exchange in which kernels store to all ranks' memory. Each rank has an inbox, of the same layout:
//
//   flags     a word of each rank: the number of its last exchange
//   headers   of each rank, with the short lists of its message behind, twice
//   united    each rank's bitmap of delegates, twice
//   known     the bitmap of all ranks' normal vertices, twice
//
// The kernel that a rank sends with ends once all ranks' flags have the exchange's number. So what came is complete for
// later kernels of the stream, and no message overwrites what a slow rank still reads:
//
//   - Exchanges that fill memory of one kind use its two pieces in turn, but for a known bitmap that no kernel used, because
//     messages weren't complete: it is filled again. In a rank's stream, kernels that use what came are before the next
//     exchange that fills memory of that kind: a level's messages are taken before the next level's are sent, and a known
//     bitmap isn't used any more once the other one was filled.
//   - Let exchange n fill a piece again, which m filled before, and l between them filled the other piece: m < l < n. A
//     rank stores for n after the end of its kernel of n-1, which has seen flags of l or later from all ranks. A rank
//     sets its flag of l after its kernels that use what came by m.
//   - A search begins once the streams of all ranks are empty. It fills the second known bitmap first, and clears
//     the first one.
struct SendArgs {
  char* at[kMostPeers];        // the inbox of each rank
  u64 headers, united, known;  // in an inbox, of this exchange: the first rank's
  u64 number;                  // of the exchange
  u32* ticket;                 // of blocks that are done
  u32* late;                   // not 0: a wait was given up, and nothing more is sent
  const volatile u64* halt;    // in the host's memory: not 0 ends the wait
  u32 what;                    // is sent: 1 bitmaps of delegates, 2 of normal vertices, 4 headers
  u32 words;                   // of a header
  u32 pitch;                   // from one header to the next
  u32 pad;
  u64 patience;                // of the wait, in ns
  TellArgs tell;

  __device__ __forceinline__ u64* header(u32 to, u32 from) const { return (u64*)(at[to] + headers) + u64(from) * pitch; }
};

// Kept is where a level's message stays, for NCCL to send it.
struct Kept {
  const ClusterArgs& a;
  __device__ __forceinline__ void put(u64 at, u32 v) const { a.brief[at] = v; }
  template <class T>
  __device__ __forceinline__ void normals(u32, const T&) const {}
  template <class T>
  __device__ __forceinline__ void delegates(u32, const T&) const {}
};

// Posted stores it to all ranks, this one included: words of bitmaps, or four at a time. A warp stores at least 128 bytes
// to a rank at once.
struct Posted {
  const ClusterArgs& a;
  const SendArgs& x;
  __device__ __forceinline__ void put(u64 at, u32 v) const {
#pragma unroll 1
    for (u32 j = 0; j < a.ranks; j++) ((u32*)(x.header(j, a.rank) + x.words))[at] = v;
  }
  template <class T>
  __device__ __forceinline__ void normals(u32 w, const T& s) const {
    if (!(x.what & 2)) return;
    for (u32 j = 0; j < a.ranks; j++) ((T*)(x.at[j] + x.known + u64(a.rank) * (a.stride / 8)))[w] = s;
  }
  template <class T>
  __device__ __forceinline__ void delegates(u32 w, const T& s) const {
    if (!(x.what & 1)) return;
    for (u32 j = 0; j < a.ranks; j++) {
      if (j != a.rank) ((T*)(x.at[j] + x.united + u64(a.rank) * a.words[1] * 4))[w] = s;
    }
  }
};

struct DeliverShared {
  u32 last, gone;
};

// deliver ends an exchange: the block that is the last to call it sends the header, says that all is there, waits for
// the other ranks, and tells the host.
__device__ __forceinline__ void deliver(const ClusterArgs& a, const SendArgs& x, DeliverShared& sh) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    sh.last = atomicAdd(x.ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!sh.last) return;
  __threadfence();  // the other blocks' counts
  const u64 began = ptx::globaltimer();
  if (x.what & 4) {
    for (u32 i = threadIdx.x; i < a.ranks * x.words; i += kBlock) {
      const u32 j = i / x.words, w = i - j * x.words;
      x.header(j, a.rank)[w] = ((const volatile u64*)a.next)[w];
    }
  }
  __threadfence_system();
  __syncthreads();
  if (warp() == 0) {
    const bool mine = lane() < a.ranks;
    bool gone = *(volatile u32*)x.late != 0;
    if (mine && !gone) ((volatile u64*)x.at[lane()])[a.rank] = x.number;
    const volatile u64* flag = (const volatile u64*)x.at[a.rank] + (mine ? lane() : 0);
    for (u32 looks = 1; !gone; looks++) {
      const bool there = !mine || *flag >= x.number;
      if (__all_sync(kAll, there)) break;
      if (looks % kLooksPerHalt == 0) gone = __any_sync(kAll, lane() == 0 && (*x.halt != 0 || ptx::globaltimer() - began > x.patience));
    }
    __threadfence_system();
    if (lane() == 0) {
      *x.ticket = 0;
      sh.gone = gone;
      if (gone) *(volatile u32*)x.late = 1;
    }
  }
  __syncthreads();
  if (sh.gone || !x.tell.to) return;
  if (threadIdx.x == 0) {
    ((volatile u64*)x.tell.stamp)[1] = began;
    ((volatile u64*)x.tell.stamp)[2] = ptx::globaltimer();
  }
  x.tell.tell();
}

// TakeArgs: what came from other ranks.
struct TakeArgs {
  const u64* headers;  // of all ranks, pitch words from one to the next
  const u32* briefs;   // their messages, as far from one another
  const u32* lists;    // normal vertices of this rank, from each other one, or null
  const u32* bitmaps;  // likewise as bitmaps
  const u32* united;   // bitmaps of delegates of all ranks, or null
  u32 pitch;
  u32 take;   // of messages: 1 delegates, 2 normal vertices sent, 4 the others' new ones; 8: both are marked as known
  u32 early;  // the host hasn't seen the headers: do nothing unless all findings of the ranks are here
  u32 pad;
  const u32* late;  // not 0: they aren't, since a wait was given up; or null
  TellArgs tell;

  // here reports whether all findings are here. All threads of a block call it together.
  __device__ __forceinline__ bool here(const ClusterArgs& a) const {
    bool all = !late || !*(const volatile u32*)late;
    for (u32 r = threadIdx.x; r < a.ranks; r += kBlock) {
      const u64* h = headers + u64(r) * pitch;
      if (!united) all = all && ((const Slot*)h)->counts[kFoundDelegates] <= (take & 1 ? a.room[0] : 0);
      u64 sent = 0;
      for (u32 k = 0; k < a.ranks; k++) {
        sent += h[kHeader + k];
        all = all && h[kHeader + k] <= a.bin;
      }
      all = all && sent <= (take & 2 ? a.room[1] : 0);
      if (take & 4) all = all && ((const Slot*)h)->counts[kNews] <= a.room[1];
    }
    return __syncthreads_and(all);
  }
};

// LabelArgs: the bitmaps of levels, by which vertices get their depths.
struct LabelArgs {
  const u32* first;  // of delegates and normal vertices; that of the next level is each words before it
  u64 each;
  u32 count;         // of these bitmaps
  u32 labeled;       // vertices of so many of them have their depths
  i32 depth;         // of vertices in the first one, or less
  u32 all;           // all other vertices get -1
};

// StartArgs: vertices that a search begins with, or looks for; and its initial state.
struct StartArgs {
  const u32* normals;
  const u32* delegates;
  u32 count[2];
  u32 alone;  // sources without edges, which aren't here
  u32 pad;
  uint4* zeros;         // become zero
  u64 zero_count;
  uint4* known;
  u64 known_count;
  u64* parents;         // of delegates, become unknown
  u64 parent_count;
  u32* ticket;          // of blocks that are done
};

}  // namespace foray

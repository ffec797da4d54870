// This file holds the arguments of the kernels (search.cu, gpu_args.go) but for those that all of a search have.
#pragma once

#include "frontier/bitmap.cuh"
#include "internal/cluster/engine/search.cuh"
#include "operators/advance/pull.cuh"

namespace foray {

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
      ((volatile u64*)to)[i] = from[u64(r) * pitch + (i - r * words)];
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) {
      *(volatile u64*)stamp = value;
      __threadfence_system();
    }
  }
};

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
  TellArgs tell;

  // here reports whether all findings are here. All threads of a block call it together.
  __device__ __forceinline__ bool here(const ClusterArgs& a) const {
    bool all = true;
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

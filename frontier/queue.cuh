// This file holds the queue form of a frontier on a GPU: the slot that counts
// what operators put into it, the staging buffer of a block, and the flush that
// reserves room for all of it with one atomic operation.
#pragma once

#include <cstdint>

#include "frontier/ptx.cuh"

namespace foray {

using u8 = uint8_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = unsigned long long;

// Tuning: the threads of a block in every kernel, and what a block stages
// before it flushes. 256 threads at up to 32 registers each leave eight blocks
// on a multiprocessor; 2,048 entries are eight a thread.
#ifndef FORAY_BLOCK
#define FORAY_BLOCK 256
#endif
constexpr u32 kBlock = FORAY_BLOCK;  // kernels that stay have their own
constexpr u32 kWarps = kBlock / 32;
#ifndef FORAY_STAGE
#define FORAY_STAGE 2048
#endif
constexpr u32 kStage = FORAY_STAGE;

constexpr u32 kAll = 0xffffffffu;
constexpr u32 kNoVertex = 0xffffffffu;

// kCounts is the number of additional counters that an operator has in a slot.
constexpr u32 kCounts = 8;

// Slot is what an operator leaves behind about its output. tail packs the
// number of entries (from bit shift on) and the edges out of them (below), so
// that one atomic addition reserves room and yields the edge prefix as well.
// The host zeroes slots in advance, a ring at a time.
struct Slot {
  u64 tail;
  u64 visited;  // edges looked at, where only the device knows
  u64 counts[kCounts];
  u32 done;  // blocks that are done
  u32 pad[11];
};
static_assert(sizeof(Slot) == 128, "the host has the same layout");

// Mail is the copy of a slot in the host's memory. stamp is written last.
struct Mail {
  u64 tail;
  u64 visited;
  u64 counts[kCounts];
  u64 stamp;
  u64 pad[5];
};
static_assert(sizeof(Mail) == 128, "the host has the same layout");

// Post is where an operator reports to. Without a mail it only counts.
struct Post {
  Slot* slot;
  Mail* mail;
  u64 stamp;
};

// Queue is a list of vertices that a kernel fills. prefix[i] is the number of
// edges out of the entries before the i-th, for a load-balancing search; it may
// be null.
//
// In a set the edges out of all entries are no more than the graph has, so that
// they fit below bit shift of a slot's tail. A list that may hold a vertex more
// than once has shift 0: its tail counts entries, its edges are added up in the
// slot's visited, and it has no prefix.
template <class Offset>
struct Queue {
  u32* items;
  Offset* prefix;
  const Offset* offsets;  // of the graph, for degrees; null: none are counted
  u32 shift;
  u32 pad;

  __device__ __forceinline__ u64 degree(u32 v) const {
    return offsets ? u64(offsets[v + 1] - offsets[v]) : 0;
  }

  // packed is one entry's share of a slot's tail.
  __device__ __forceinline__ u64 packed(u32 v) const { return shift ? (u64(1) << shift) + degree(v) : 1; }

  // write puts v where the packed sum of the entries before it says.
  __device__ __forceinline__ void write(u64 at, u32 v) const {
    const u64 i = at >> shift;
    items[i] = v;
    if (prefix) prefix[i] = Offset(at & ((u64(1) << shift) - 1));
  }
};

__device__ __forceinline__ u32 lane() { return threadIdx.x & 31; }
__device__ __forceinline__ u32 warp() { return threadIdx.x >> 5; }
__device__ __forceinline__ u32 lanes_below() { return (1u << lane()) - 1; }

// warp_inclusive returns the sum of x over this lane and those below.
template <class T>
__device__ __forceinline__ T warp_inclusive(T x) {
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
    T y = __shfl_up_sync(kAll, x, d);
    if (lane() >= d) x += y;
  }
  return x;
}

// warp_sum and warp_or return the sum and the union over all lanes.
__device__ __forceinline__ u32 warp_sum(u32 x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kAll, x);
#else
#pragma unroll
  for (u32 d = 16; d > 0; d /= 2) x += __shfl_xor_sync(kAll, x, d);
  return x;
#endif
}
__device__ __forceinline__ u32 warp_or(u32 x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(kAll, x);
#else
#pragma unroll
  for (u32 d = 16; d > 0; d /= 2) x |= __shfl_xor_sync(kAll, x, d);
  return x;
#endif
}

// block_exclusive returns the sum of x over the threads below, and in total
// that over all. totals is shared memory of kWarps entries, which may be used
// again after the next barrier.
template <class T>
__device__ __forceinline__ T block_exclusive(T x, T* totals, T& total) {
  T inclusive = warp_inclusive(x);
  if (lane() == 31) totals[warp()] = inclusive;
  __syncthreads();
  T before = 0, sum = 0;
#pragma unroll
  for (u32 w = 0; w < kWarps; w++) {
    T t = totals[w];
    if (w < warp()) before += t;
    sum += t;
  }
  total = sum;
  return before + inclusive - x;
}

// Stage is a block's own part of the output, in shared memory.
struct Stage {
  u32 items[kStage];
  u64 totals[kWarps];
  u64 base;
  u32 n;      // entries asked for
  u32 valid;  // entries that are there, where fewer than asked for
};

// Emitter puts vertices into a queue by way of the block's stage.
template <class Offset>
struct Emitter {
  Queue<Offset> out;
  Slot* slot;
  Stage& sh;

  __device__ Emitter(const Queue<Offset>& q, Slot* s, Stage& stage) : out(q), slot(s), sh(stage) {
    if (threadIdx.x == 0) {
      sh.n = 0;
      sh.valid = kStage;
    }
    __syncthreads();
  }

  // put stages v where keep is set. All lanes of a warp call it together.
  __device__ __forceinline__ void put(bool keep, u32 v) {
    u32 mask = __ballot_sync(kAll, keep);
    if (mask == 0) return;
    u32 count = __popc(mask), at = 0;
    if (lane() == 0) {
      at = atomicAdd(&sh.n, count);
      if (at + count > kStage) atomicMin(&sh.valid, at);
    }
    at = __shfl_sync(kAll, at, 0);
    if (at + count <= kStage) {
      if (keep) sh.items[at + __popc(mask & lanes_below())] = v;
    } else {
      spill(keep, v);
    }
  }

  // spill passes the stage by when it is full: an atomic operation per warp.
  __device__ __noinline__ void spill(bool keep, u32 v) {
    const u64 x = keep ? out.packed(v) : 0;
    u64 inclusive = warp_inclusive(x), base = 0;
    if (!out.shift && keep && out.offsets) atomicAdd(&slot->visited, out.degree(v));
    if (lane() == 31) base = atomicAdd(&slot->tail, inclusive);
    base = __shfl_sync(kAll, base, 31);
    if (keep) out.write(base + inclusive - x, v);
  }

  // relieve flushes when less than half of the stage is left. All threads of
  // the block call it together; the answer is the same for all.
  __device__ __forceinline__ void relieve() {
    if (__syncthreads_or(sh.n > kStage / 2)) flush();
  }

  // edges adds up the edges out of a list's entries.
  __device__ __noinline__ void edges(u32 first, u32 last) {
    u64 sum = 0;
    for (u32 i = first; i < last; i++) sum += out.degree(sh.items[i]);
    __syncthreads();
    u64 total;
    block_exclusive(sum, sh.totals, total);
    if (threadIdx.x == 0) atomicAdd(&slot->visited, total);
  }

  // flush empties the stage: block-wide prefix sums and one atomic operation.
  // All threads of the block call it together.
  __device__ void flush() {
    __syncthreads();
    const u32 n = min(sh.n, sh.valid);
    if (n == 0) return;  // the same for all; nothing to reset either
    const u32 per = (n + kBlock - 1) / kBlock;
    const u32 first = threadIdx.x * per, last = min(first + per, n);
    u64 sum = 0;
    for (u32 i = first; i < last; i++) sum += out.packed(sh.items[i]);
    u64 total, at = block_exclusive(sum, sh.totals, total);
    if (!out.shift && out.offsets) edges(first, last);
    if (threadIdx.x == 0) sh.base = atomicAdd(&slot->tail, total);
    __syncthreads();
    at += sh.base;
    for (u32 i = first; i < last; i++) {
      u32 v = sh.items[i];
      out.write(at, v);
      at += out.packed(v);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      sh.n = 0;
      sh.valid = kStage;
    }
    __syncthreads();
  }
};

// report ends an operator: the last block to get here copies the slot to the
// host. All threads of the block call it together.
__device__ __forceinline__ void report(const Post& post) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (ptx::count_acq_rel(&post.slot->done) != gridDim.x - 1) return;
  volatile Slot* s = post.slot;
  s->done = 0;  // a second kernel may continue in the same slot
  if (!post.mail) return;
  volatile Mail* m = post.mail;
  m->tail = s->tail;
  m->visited = s->visited;
#pragma unroll
  for (u32 i = 0; i < kCounts; i++) m->counts[i] = s->counts[i];
  __threadfence_system();
  m->stamp = post.stamp;
}

// count adds up x over the block into one counter of the slot.
__device__ __forceinline__ void add_up(u64 x, u64* totals, u64* into) {
  u64 total;
  __syncthreads();
  block_exclusive(x, totals, total);
  if (threadIdx.x == 0 && total != 0) atomicAdd(into, total);
}

}  // namespace foray

// This file holds the reduction by key on a GPU: totals per key over the edges of each vertex. Short rows are compared
// all with all by as many lanes as they need; rows up to kKeyedRow are totaled in a table in shared memory, by a warp
// each. A longer row has a table in global memory with more slots than the row has edges. There each warp takes a part
// of the keys, by their hash, and goes through the keys of all edges.
//
// The values of a key are always folded in the order of the row's edges, as on the host: sums of floats have the same
// bits. The key kNoKey marks both an edge without a key and a free slot.
#pragma once

#include "operators/reduce/reduce.cuh"

namespace foray {

constexpr u32 kNoKey = 0xffffffffu;

// Tuning (keyed_gpu.go has the same numbers): the longest row that is compared all with all, and that has a table in
// shared memory; edges and slots of a long row that a warp handles at a time.
constexpr u32 kKeyedBrief = 32;
constexpr u32 kKeyedRow = 192;
constexpr u32 kKeyedSlots = 2 * kKeyedRow;
constexpr u32 kKeyedSegment = 1024;

// KeyedHub is a long row. Edges, slots, segments of edges, parts of keys and chunks of slots are numbered through all
// long rows; these are the first ones.
struct KeyedHub {
  u64 edge, slot;
  u32 v, position;  // in the frontier
  u32 segment, part, chunk;
  u32 slots;
};

// KeyedPick is the key that is chosen of some, by score, or what Apply returned for them.
struct KeyedPick {
  double score;
  u64 value;
  u32 key;
  u32 pad;
};

template <class Offset>
struct KeyedArgs {
  Csr<Offset> rows;
  const u32* items;    // null: all vertices
  u64* values;         // that Apply returned, by position in the frontier; null: no scalar
  u32* middle;         // positions of rows that have a table in shared memory
  u32* middles;        // how many there are
  const KeyedHub* hubs;
  u32* keys;           // of the hubs' edges
  u32* slots;          // keys of tables
  u64* totals;         // of slots, of the functor's type
  KeyedPick* picks;    // of chunks
  Scalar scalar;
  u32 count;           // vertices
  u32 level;
  u32 in;              // not 0: rows of in-edges
  u32 hub_count;
  u32 segments, parts, chunks;  // of all hubs
  u32 phase;           // of the kernel for hubs

  __device__ __forceinline__ u32 vertex(u32 i) const { return items ? items[i] : i; }
  __device__ __forceinline__ Edge edge(u32 v, Offset e) const { return Rows<Offset>{rows, in != 0}.edge(v, e, level); }
  __device__ __forceinline__ u32 size(u32 v) const { return u32(rows.offsets[v + 1] - rows.offsets[v]); }
};

// keyed_slot is where the search for a key begins in a table, and keyed_part the part that a key belongs to.
__device__ __forceinline__ u32 keyed_slot(u32 key, u32 slots) {
  key *= 0x9e3779b1u;
  key = (key ^ key >> 15) * 0x2c1b3c6du;
  return u32(u64(key) * slots >> 32);
}
__device__ __forceinline__ u32 keyed_part(u32 key, u32 parts) {
  key = (key ^ key >> 16) * 0x85ebca6bu;
  key = (key ^ key >> 13) * 0xc2b2ae35u;
  return u32(u64(key ^ key >> 16) * parts >> 32);
}

// keyed_fold folds to start the values of the lanes in mask, in the order of lanes. All lanes call it.
template <class F, class T = typename F::Total>
__device__ __forceinline__ T keyed_fold(u32 mask, T start, T value, u32 lanes) {
#pragma unroll 1
  for (u32 j = 0; j < lanes; j++) {
    const T x = __shfl_sync(kAll, value, j);
    if (mask >> j & 1) start = Fold<T, F::kGather>::join(start, x);
  }
  return start;
}

// keyed_add folds the values of the warp's lanes into the totals of their keys in a table. No other warp has keys in
// common with it.
template <class F, class T = typename F::Total>
__device__ __forceinline__ void keyed_add(u32* keys, T* totals, u32 slots, u32 key, T value) {
  const u32 active = __ballot_sync(kAll, key != kNoKey);
  if (!active) return;
  const u32 mask = __match_any_sync(kAll, key);
  const bool lead = key != kNoKey && lane() == u32(__ffs(mask) - 1);
  u32 at = 0;
  T total = Fold<T, F::kGather>::identity();
  if (lead) {
    for (at = keyed_slot(key, slots);; at = at + 1 == slots ? 0 : at + 1) {
      u32 was = *(volatile u32*)&keys[at];
      if (was == kNoKey) was = atomicCAS(&keys[at], kNoKey, key);
      if (was == key) total = *(volatile T*)&totals[at];
      if (was == key || was == kNoKey) break;
    }
  }
  total = keyed_fold<F>(lead ? mask : 0, total, value, 32 - __clz(active));
  if (lead) *(volatile T*)&totals[at] = total;
  __syncwarp();
}

// KeyedChoice is what becomes of pairs of a vertex and a key, on a lane.
template <class F>
struct KeyedChoice {
  using T = typename F::Total;
  const F& f;
  u32 level;
  KeyedPick pick;

  __device__ __forceinline__ KeyedChoice(const F& functor, u32 at) : f(functor), level(at) { begin(); }
  __device__ __forceinline__ void begin() { pick = KeyedPick{-__builtin_huge_val(), Fold<u64, F::kReduce>::identity(), kNoKey, 0}; }
  // take takes a pair.
  __device__ __forceinline__ void take(u32 v, u32 key, T total) {
    if (f.scored()) {
      join(KeyedPick{f.score(v, key, total, level), pick.value, key, 0}, false);
    } else {
      pick.value = Fold<u64, F::kReduce>::join(pick.value, f.apply(v, key, total, level));
    }
  }
  // join takes what another lane or warp has.
  __device__ __forceinline__ void join(const KeyedPick& o, bool values) {
    if (o.key != kNoKey && (o.score > pick.score || (o.score == o.score && (pick.key == kNoKey || (o.score == pick.score && o.key < pick.key))))) {
      pick.score = o.score;
      pick.key = o.key;
    }
    if (values) pick.value = Fold<u64, F::kReduce>::join(pick.value, o.value);
  }
  // meet joins what groups of so many lanes have. All lanes call it.
  __device__ __forceinline__ void meet(u32 lanes) {
#pragma unroll 1
    for (u32 d = lanes / 2; d > 0; d /= 2) {
      KeyedPick o;
      o.score = __shfl_xor_sync(kAll, pick.score, d);
      o.value = __shfl_xor_sync(kAll, pick.value, d);
      o.key = __shfl_xor_sync(kAll, pick.key, d);
      join(o, true);
    }
  }
  // settle ends a vertex.
  __device__ __forceinline__ void settle(u32 v, u64* value) {
    if (f.scored()) pick.value = f.choose(v, pick.key, pick.score, level);
    if (value) *value = pick.value;
  }
};

// enter_keyed_rows does short rows, and lists those for tables in shared memory.
template <class Offset, class F>
__device__ __forceinline__ void enter_keyed_rows(const KeyedArgs<Offset>& a, const F& f) {
  using T = typename F::Total;
  KeyedChoice<F> c(f, a.level);
  const u64 warps = u64(gridDim.x) * kWarps;
  for (u64 w = u64(warp()) * gridDim.x + blockIdx.x; w * 32 < a.count; w += warps) {
    const u64 i = w * 32 + lane();
    const bool have = i < a.count;
    const u32 v = have ? a.vertex(u32(i)) : 0, size = have ? a.size(v) : 0;
    const bool brief = have && size <= kKeyedBrief, middle = size > kKeyedBrief && size <= kKeyedRow;
    const u32 middles = __ballot_sync(kAll, middle);
    if (middles) {
      u32 at = 0;
      if (lane() == 0) at = atomicAdd(a.middles, u32(__popc(middles)));
      at = __shfl_sync(kAll, at, 0) + __popc(middles & ((1u << lane()) - 1));
      if (middle) a.middle[at] = u32(i);
    }
    if (!__any_sync(kAll, brief)) continue;
    u32 lanes = 1;
    while (__any_sync(kAll, brief && size > lanes)) lanes *= 2;
    const u32 bits = 31 - __clz(lanes), at = lane() & (lanes - 1);
#pragma unroll 1
    for (u32 first = 0; first < 32; first += 32 >> bits) {
      const u32 src = first + (lane() >> bits);
      const u32 x = __shfl_sync(kAll, v, src), length = __shfl_sync(kAll, size, src);
      const bool go = __shfl_sync(kAll, u32(brief), src);
      u32 key = kNoKey;
      T value = Fold<T, F::kGather>::identity();
      if (go && at < length) {
        const Edge e = a.edge(x, a.rows.offsets[x] + at);
        key = f.key(e);
        if (key != kNoKey) value = f.gather(e);
      }
      u32 lead = at;  // the first lane of the row with this key
      T total = Fold<T, F::kGather>::identity();
#pragma unroll 1
      for (u32 j = 0; j < lanes; j++) {
        const u32 k = __shfl_sync(kAll, key, (lane() & ~(lanes - 1)) + j);
        const T y = __shfl_sync(kAll, value, (lane() & ~(lanes - 1)) + j);
        if (k == key) {
          if (j < lead) lead = j;
          total = Fold<T, F::kGather>::join(total, y);
        }
      }
      c.begin();
      if (key != kNoKey && lead == at) c.take(x, key, total);
      c.meet(lanes);
      if (go && at == 0) c.settle(x, a.values ? a.values + (w * 32 + src) : nullptr);
    }
  }
}

// enter_keyed_tables does the rows that have a table in shared memory.
template <class Offset, class F>
__device__ __forceinline__ void enter_keyed_tables(const KeyedArgs<Offset>& a, const F& f) {
  using T = typename F::Total;
  __shared__ u32 all_keys[kWarps * kKeyedSlots];
  __shared__ T all_totals[kWarps * kKeyedSlots];
  u32* const keys = all_keys + warp() * kKeyedSlots;
  T* const totals = all_totals + warp() * kKeyedSlots;
  KeyedChoice<F> c(f, a.level);
  const u32 rows = *(volatile u32*)a.middles;
  for (u32 i = warp() * gridDim.x + blockIdx.x; i < rows; i += gridDim.x * kWarps) {
    const u32 position = a.middle[i], v = a.vertex(position), size = a.size(v);
    const u32 slots = 2 * size;
    for (u32 s = lane(); s < slots; s += 32) keys[s] = kNoKey;
    __syncwarp();
#pragma unroll 1
    for (u32 base = 0; base < size; base += 32) {
      u32 key = kNoKey;
      T value = Fold<T, F::kGather>::identity();
      if (base + lane() < size) {
        const Edge e = a.edge(v, a.rows.offsets[v] + base + lane());
        key = f.key(e);
        if (key != kNoKey) value = f.gather(e);
      }
      keyed_add<F>(keys, totals, slots, key, value);
    }
    c.begin();
    for (u32 s = lane(); s < slots; s += 32) {
      const u32 key = *(volatile u32*)&keys[s];
      if (key != kNoKey) c.take(v, key, *(volatile T*)&totals[s]);
    }
    c.meet(32);
    if (lane() == 0) c.settle(v, a.values ? a.values + position : nullptr);
    __syncwarp();
  }
}

// keyed_hub returns the hub that a number belongs to: the last one whose first is at most that.
template <class Offset, class First>
__device__ __forceinline__ u32 keyed_hub(const KeyedArgs<Offset>& a, u32 number, First&& first) {
  u32 low = 0, high = a.hub_count;
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    if (first(a.hubs[middle]) <= number) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// keyed_keys stores the keys of a segment of a hub's edges.
template <class Offset, class F>
__device__ __forceinline__ void keyed_keys(const KeyedArgs<Offset>& a, const F& f, u32 number) {
  const KeyedHub h = a.hubs[keyed_hub(a, number, [](const KeyedHub& h) { return h.segment; })];
  const u32 begin = (number - h.segment) * kKeyedSegment, end = min(begin + kKeyedSegment, a.size(h.v));
  for (u32 i = begin + lane(); i < end; i += 32) a.keys[h.edge + i] = f.key(a.edge(h.v, a.rows.offsets[h.v] + i));
}

// keyed_part_of totals the keys of a hub that belong to a part. Edges of the part are collected until a warp has one
// for each lane.
template <class Offset, class F>
__device__ __forceinline__ void keyed_part_of(const KeyedArgs<Offset>& a, const F& f, u32 number, u32* held_keys, u32* held_edges) {
  using T = typename F::Total;
  const u32 which = keyed_hub(a, number, [](const KeyedHub& h) { return h.part; });
  const KeyedHub h = a.hubs[which];
  const u32 parts = (which + 1 < a.hub_count ? a.hubs[which + 1].part : a.parts) - h.part, part = number - h.part;
  const u32 size = a.size(h.v);
  const Offset first = a.rows.offsets[h.v];
  const u32* const keys = a.keys + h.edge;
  u32 held = 0;
  auto add = [&](u32 n) {
    u32 key = kNoKey;
    T value = Fold<T, F::kGather>::identity();
    if (lane() < n) {
      key = held_keys[lane()];
      value = f.gather(a.edge(h.v, first + held_edges[lane()]));
    }
    keyed_add<F>(a.slots + h.slot, (T*)a.totals + h.slot, h.slots, key, value);
  };
#pragma unroll 1
  for (u32 base = 0; base < size; base += 32) {
    const u32 i = base + lane();
    const u32 key = i < size ? keys[i] : kNoKey;
    const bool mine = key != kNoKey && keyed_part(key, parts) == part;
    const u32 mask = __ballot_sync(kAll, mine);
    if (mine) {
      const u32 at = held + __popc(mask & ((1u << lane()) - 1));
      held_keys[at] = key;
      held_edges[at] = i;
    }
    held += __popc(mask);
    __syncwarp();
    if (held < 32) continue;
    add(32);
    held -= 32;
    const u32 key_left = held_keys[32 + lane()], edge_left = held_edges[32 + lane()];
    __syncwarp();
    held_keys[lane()] = key_left;
    held_edges[lane()] = edge_left;
    __syncwarp();
  }
  if (held) add(held);
  __syncwarp();
}

// keyed_chunk takes the pairs in a chunk of a hub's slots.
template <class Offset, class F>
__device__ __forceinline__ void keyed_chunk(const KeyedArgs<Offset>& a, KeyedChoice<F>& c, u32 number) {
  using T = typename F::Total;
  const KeyedHub h = a.hubs[keyed_hub(a, number, [](const KeyedHub& h) { return h.chunk; })];
  const u32 begin = (number - h.chunk) * kKeyedSegment, end = min(begin + kKeyedSegment, h.slots);
  c.begin();
  for (u32 s = begin + lane(); s < end; s += 32) {
    const u32 key = a.slots[h.slot + s];
    if (key != kNoKey) c.take(h.v, key, ((T*)a.totals)[h.slot + s]);
  }
  c.meet(32);
  if (lane() == 0) a.picks[number] = c.pick;
}

// keyed_settle ends a hub.
template <class Offset, class F>
__device__ __forceinline__ void keyed_settle(const KeyedArgs<Offset>& a, KeyedChoice<F>& c, u32 number) {
  const KeyedHub h = a.hubs[number];
  const u32 end = number + 1 < a.hub_count ? a.hubs[number + 1].chunk : a.chunks;
  c.begin();
  for (u32 k = h.chunk + lane(); k < end; k += 32) c.join(a.picks[k], true);
  c.meet(32);
  if (lane() == 0) c.settle(h.v, a.values ? a.values + h.position : nullptr);
}

// Phases of the kernel for hubs. The last one reduces what Apply returned for all vertices.
constexpr u32 kKeyedKeys = 0, kKeyedParts = 1, kKeyedChunks = 2, kKeyedSettle = 3, kKeyedScalar = 4;

template <class Offset, class F>
__device__ __forceinline__ void enter_keyed_hubs(const KeyedArgs<Offset>& a, const F& f) {
  __shared__ u64 held[64 * kWarps];
  if (a.phase == kKeyedScalar) {
    u64 sum = Fold<u64, F::kReduce>::identity();
    for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
      sum = Fold<u64, F::kReduce>::join(sum, a.values[i]);
    }
    reduce_into<u64, F::kReduce>(sum, a.scalar, held);
    return;
  }
  KeyedChoice<F> c(f, a.level);
  const u32 items = a.phase == kKeyedKeys ? a.segments : a.phase == kKeyedParts ? a.parts : a.phase == kKeyedChunks ? a.chunks : a.hub_count;
  for (u32 i = warp() * gridDim.x + blockIdx.x; i < items; i += gridDim.x * kWarps) {
    switch (a.phase) {
      case kKeyedKeys: keyed_keys(a, f, i); break;
      case kKeyedParts: keyed_part_of(a, f, i, (u32*)(held + 64 * warp()), (u32*)(held + 64 * warp() + 32)); break;
      case kKeyedChunks: keyed_chunk(a, c, i); break;
      default: keyed_settle(a, c, i);
    }
  }
}

}  // namespace foray

// This file holds the search for the most frequent value among neighbors, on a GPU. Rows of up
// to 32 neighbors are compared all with all, by as many lanes as there are neighbors. Longer ones
// are counted in a table in shared memory, by a warp each; the longest by blocks, each of which
// counts a part of the values, by their hash.
#pragma once

#include "operators/functor.cuh"

namespace foray {

// Tuning (see tuning.go, which has the same numbers). A warp's table has twice as many slots as the row
// that it is for has neighbors.
constexpr u32 kModeBrief = 32;     // neighbors that are compared all with all
constexpr u32 kModeWarpRow = 512;
constexpr u32 kModeSlots = 2 * kModeWarpRow;
constexpr u32 kModeTable = 6 * kModeSlots;  // bytes
constexpr u32 kModeThreads = 1024;  // of a block that counts a long row
constexpr u32 kModeLoads = 4;       // of values a thread has under way

// ModeCounts counts the rows that were put aside.
struct ModeCounts {
  u32 warps;
  u32 longs;
  u32 parts;
  u32 pad;
};

// ModeLong is a row that blocks count in parts.
struct ModeLong {
  u64 best;  // how often, and the value's complement
  u32 v;
  u32 parts;
  u32 done;
  u32 pad;
};

constexpr u32 kModeCountsBytes = sizeof(ModeCounts), kModeLongBytes = sizeof(ModeLong);

template <class Offset>
struct ModeArgs {
  Csr<Offset> out;
  Csr<Offset> in;  // targets null: in-edges don't count
  const u32* items;  // null: all vertices
  const u32* values;
  u32* to;
  u64* changed;  // or null
  ModeCounts* counts;
  u32* warps;       // vertices whose rows a warp counts
  ModeLong* longs;
  u32* parts;       // of long rows: which row, and which part of it
  u32 count;
  u32 slots;        // of a block's table
  u32 part;         // how many neighbors one is for
  u32 warp_row;     // the longest row that a warp counts: kModeWarpRow, or less
};

// ModeRow is the neighbors of a vertex.
template <class Offset>
struct ModeRow {
  const u32* out;
  const u32* in;
  u32 outs;
  u32 size;
  __device__ __forceinline__ u32 operator[](u32 i) const { return i < outs ? out[i] : in[i - outs]; }
};

template <class Offset>
__device__ __forceinline__ ModeRow<Offset> mode_row(const ModeArgs<Offset>& a, u32 v) {
  ModeRow<Offset> r{a.out.targets + a.out.offsets[v], nullptr, u32(a.out.offsets[v + 1] - a.out.offsets[v]), 0};
  r.size = r.outs;
  if (a.in.targets) {
    r.in = a.in.targets + a.in.offsets[v];
    r.size += u32(a.in.offsets[v + 1] - a.in.offsets[v]);
  }
  return r;
}

// of_warp appends what some lanes have to a list, and returns where a lane's begins.
__device__ __forceinline__ u32 of_warp(u32* count, u32 items) {
  u32 end = items;
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
    const u32 x = __shfl_up_sync(kAll, end, d);
    if (lane() >= d) end += x;
  }
  u32 at = 0;
  if (lane() == 31 && end) at = atomicAdd(count, end);
  return __shfl_sync(kAll, at, 31) + end - items;
}

__device__ __forceinline__ u64 more_often(u64 a, u64 b) { return a < b ? b : a; }
__device__ __forceinline__ u64 counted(u32 times, u32 value) { return u64(times) << 32 | u32(~value); }

template <class Offset>
struct Moder {
  const ModeArgs<Offset>& a;
  u32 changed = 0;
  __device__ Moder(const ModeArgs<Offset>& args) : a(args) {}
  __device__ __forceinline__ void set(u32 v, u32 value) {
    a.to[v] = value;
    changed += value != a.values[v];
  }
  // finish adds up what a block changed.
  __device__ __forceinline__ void finish() {
    if (!a.changed) return;
    u32 all = changed;
#pragma unroll
    for (u32 d = 16; d > 0; d /= 2) all += __shfl_xor_sync(kAll, all, d);
    if (lane() == 0 && all) atomicAdd(a.changed, u64(all));
  }
};

// enter_mode_rows does short rows, and lists the others.
template <class Offset>
__device__ __forceinline__ void enter_mode_rows(const ModeArgs<Offset>& a) {
  Moder<Offset> m(a);
  const u64 warps = u64(gridDim.x) * kWarps;
  for (u64 w = u64(warp()) * gridDim.x + blockIdx.x; w * 32 < a.count; w += warps) {
    const u64 i = w * 32 + lane();
    const bool have = i < a.count;
    const u32 v = !have ? 0 : a.items ? a.items[i] : u32(i);
    ModeRow<Offset> r{nullptr, nullptr, 0, 0};
    if (have) r = mode_row(a, v);
    const bool brief = r.size <= kModeBrief;
    if (__any_sync(kAll, !brief)) {
      const bool is_long = r.size > a.warp_row;
      const u32 at = of_warp(&a.counts->warps, !brief && !is_long);
      if (!brief && !is_long) a.warps[at] = v;
      if (__any_sync(kAll, is_long)) {
        const u32 parts = is_long ? (r.size + a.part - 1) / a.part : 0;
        const u32 row = of_warp(&a.counts->longs, is_long), first = of_warp(&a.counts->parts, parts);
        if (is_long) a.longs[row] = ModeLong{0, v, parts, 0, 0};
#pragma unroll 1
        for (u32 p = 0; p < parts; p++) {
          a.parts[2 * (first + p)] = row;
          a.parts[2 * (first + p) + 1] = p;
        }
      }
    }
    if (have && r.size == 0) m.set(v, a.values[v]);
    const bool go = brief && r.size > 0;
    if (!__any_sync(kAll, go)) continue;
    u32 lanes = 1;
    while (__any_sync(kAll, brief && r.size > lanes)) lanes *= 2;
    const u32 bits = 31 - __clz(lanes), at = lane() & (lanes - 1);
#pragma unroll 1
    for (u32 first = 0; first < 32; first += 32 >> bits) {
      const u32 src = first + (lane() >> bits);
      ModeRow<Offset> row;
      row.out = (const u32*)__shfl_sync(kAll, u64(r.out), src);
      row.in = (const u32*)__shfl_sync(kAll, u64(r.in), src);
      row.outs = __shfl_sync(kAll, r.outs, src);
      row.size = __shfl_sync(kAll, r.size, src);
      const u32 x = __shfl_sync(kAll, v, src);
      const bool of_it = __shfl_sync(kAll, u32(go), src);
      const bool mine = of_it && at < row.size;
      const u32 value = mine ? a.values[row[at]] : 0;
      const u32 there = __ballot_sync(kAll, mine);
      u32 times = 0;
#pragma unroll 4
      for (u32 j = 0; j < lanes; j++) {
        const u32 from = (lane() & ~(lanes - 1)) + j;
        times += __shfl_sync(kAll, value, from) == value && (there >> from & 1);
      }
      u64 best = mine ? counted(times, value) : 0;
#pragma unroll 1
      for (u32 d = lanes / 2; d > 0; d /= 2) best = more_often(best, __shfl_xor_sync(kAll, best, d));
      if (of_it && at == 0) m.set(x, ~u32(best));
    }
  }
  m.finish();
}

// A slot of a table is free while its key is kFree; how often that is met among the values is
// counted apart.
constexpr u32 kFree = 0xffffffffu;

// mode_times joins what a warp's lanes have to one count where it is the same: after some
// rounds of label propagation it mostly is. It returns how often a lane is to count its value.
__device__ __forceinline__ u32 mode_times(bool active, u32 value) {
  const u32 who = __ballot_sync(kAll, active);
  if (!who) return 0;
  const u32 first = __ffs(who) - 1;
  const u32 common = __shfl_sync(kAll, value, first);
  const u32 same = __ballot_sync(kAll, active && value == common);
  return !active ? 0 : lane() == first ? __popc(same) : same >> lane() & 1 ? 0 : 1;
}

__device__ __forceinline__ u32 mode_hash(u32 x) {
  x *= 0x9e3779b1u;
  return x ^ x >> 15;
}

// enter_mode_warps counts the rows that a warp has to itself.
template <class Offset>
__device__ __forceinline__ void enter_mode_warps(const ModeArgs<Offset>& a) {
  extern __shared__ __align__(16) unsigned char shared[];
  u32* const keys = (u32*)(shared + warp() * kModeTable);
  u32* const halves = keys + kModeSlots;  // counts, of 16 bits each
  Moder<Offset> m(a);
  const u32 rows = *(volatile u32*)&a.counts->warps;
  for (u32 i = warp() * gridDim.x + blockIdx.x; i < rows; i += gridDim.x * kWarps) {
    const u32 v = a.warps[i];
    const ModeRow<Offset> row = mode_row(a, v);
    const u32 bits = 33 - __clz(row.size - 1), slots = 1u << bits;
    for (u32 s = lane(); s < slots; s += 32) keys[s] = kFree;
    for (u32 s = lane(); s < slots / 2; s += 32) halves[s] = 0;
    __syncwarp();
    u64 best = 0;
    u32 free = 0;  // how often kFree was met
    for (u32 base = 0; base < row.size; base += 32 * kModeLoads) {
      u32 value[kModeLoads];
#pragma unroll
      for (u32 j = 0; j < kModeLoads; j++) {
        const u32 k = base + j * 32 + lane();
        value[j] = a.values[row[k < row.size ? k : 0]];
      }
#pragma unroll 1
      for (u32 j = 0; j < kModeLoads; j++) {
        u32 x = value[0];
#pragma unroll
        for (u32 l = 1; l < kModeLoads; l++) x = j == l ? value[l] : x;
        const bool active = base + j * 32 + lane() < row.size;
        free += __popc(__ballot_sync(kAll, active && x == kFree));
        const u32 times = mode_times(active && x != kFree, x);
        if (!times) continue;
        u32 at = mode_hash(x) >> (32 - bits);
        for (;;) {  // there are more slots than neighbors
          u32 key = *(volatile u32*)&keys[at];
          if (key == kFree) {
            key = atomicCAS(&keys[at], kFree, x);
            if (key == kFree) key = x;
          }
          if (key == x) break;
          at = (at + 1) & (slots - 1);
        }
        const u32 shift = (at & 1) * 16;
        best = more_often(best, counted((atomicAdd(&halves[at / 2], times << shift) >> shift & 0xffffu) + times, x));
      }
      __syncwarp();
    }
    if (free) best = more_often(best, counted(free, kFree));
#pragma unroll
    for (u32 d = 16; d > 0; d /= 2) best = more_often(best, __shfl_xor_sync(kAll, best, d));
    if (lane() == 0) m.set(v, ~u32(best));
    __syncwarp();
  }
  m.finish();
}

}  // namespace foray

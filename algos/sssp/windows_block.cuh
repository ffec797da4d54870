// This file holds what a search in windows does with rows in any order: it goes over the vertices of a bitmap, and over their
// edges. windows_push.cuh and windows_pull.cuh do so, windows.cuh has the rounds.
#pragma once

#include "algos/sssp/windows_args.cuh"

namespace foray {

// WindowsBlock is a block's view of the search. All blocks decide alike.
template <class Offset>
struct WindowsBlock {
  const WindowsArgs<Offset>& a;
  WindowsShared<Offset>& sh;
  Engine e;
  bool lowered = false;  // the warp has marked a vertex since the last barrier
  u32 level = 0;         // rounds and sweeps
  u32 waiting = 0;       // pending edges of the warp

  static constexpr u32 kGroups = 32 / kWindowLanes;
  static constexpr u32 kMarked = 15;  // bits of a barrier's sum that count blocks which have marked a vertex; parts are above

  __device__ WindowsBlock(const WindowsArgs<Offset>& args, WindowsShared<Offset>& shared) : a(args), sh(shared), e(args.engine, shared.engine) {
    if (threadIdx.x == 0) sh.parts = 0;
  }

  __device__ __forceinline__ u32 warps() const { return gridDim.x * kWarps; }
  __device__ __forceinline__ u32 this_warp() const { return warp() * gridDim.x + blockIdx.x; }
  __device__ __forceinline__ u32 words() const { return (a.out.n + 31) / 32; }
  __device__ __forceinline__ WindowWarp<Offset>& own() const { return sh.warps[warp()]; }
  __device__ __forceinline__ static float none() { return __uint_as_float(kNoKey); }
  __device__ __forceinline__ float dist(u32 v) const { return *(const volatile float*)&a.dist[v]; }
  __device__ __forceinline__ float note(u32 v) const { return __uint_as_float(*(const volatile u32*)&a.notes[v]); }

  // meet waits for all blocks. It reports whether a vertex was marked, and in parts how many parts of rows were put aside.
  __device__ __forceinline__ bool meet(u32& parts) {
    const bool any = __syncthreads_or(lowered);
    lowered = false;
    u64 brought = 0;
    if (threadIdx.x == 0) {
      brought = u64(sh.parts) << kMarked | any;
      sh.parts = 0;
    }
    // The slot of the pass after the next: all blocks have read it, and none writes it before this barrier.
    if (e.first()) a.state->least[(e.grid.round + 2) & 3] = kNoKey;
    e.meet(brought);
    parts = u32((e.met & (kStopped - 1)) >> kMarked);
    return (e.met & ((u64(1) << kMarked) - 1)) != 0;
  }
  __device__ __forceinline__ bool meet() {
    u32 parts;
    return meet(parts);
  }

  // ends reports whether all blocks have to end.
  __device__ __forceinline__ bool ends() const { return e.late() || e.stopped(); }

  // lowest makes x the least key of the pass under way if it is less. The whole block calls it before a barrier.
  __device__ __forceinline__ void lowest(u32 x) {
    x = fold_block<u32, kMin>(x, sh.totals);
    if (threadIdx.x == 0 && x < kNoKey) atomicMin(&a.state->least[e.grid.round & 3], x);
  }
  __device__ __forceinline__ u32 least() const { return *(const volatile u32*)&a.state->least[(e.grid.round - 1) & 3]; }

  // each calls f for the vertices of a bitmap, 32 at a time by a warp, and clears it. The words of a warp are far apart,
  // since neighboring ones may be of long rows.
  template <class F>
  __device__ __forceinline__ void each(u32* bits, F f) {
    const u32 n = words(), apart = warps();
    unsigned short* list = own().list;
    for (u32 base = this_warp(); base < n; base += 32 * apart) {  // n is 2^27 at most
      const u32 at = base + lane() * apart;
      const u32 word = at < n ? *(const volatile u32*)&bits[at] : 0;
      if (word) bits[at] = 0;
      const u32 count = __popc(word), through = warp_inclusive(count), total = __shfl_sync(kAll, through, 31);
#pragma unroll 1
      for (u32 from = 0; from < total; from += kWindowList) {
        u32 i = through - count - from;  // less than 0 is large
        for (u32 rest = word; rest; rest &= rest - 1, i++) {
          if (i < kWindowList) list[i] = (unsigned short)(lane() * 32 + __ffs(rest) - 1);
        }
        __syncwarp();
        const u32 some = min(total - from, kWindowList);
#pragma unroll 1
        for (u32 k = 0; k < some; k += 32) {
          const bool have = k + lane() < some;
          const u32 x = have ? list[k + lane()] : 0;
          f(have, have ? (base + (x >> 5) * apart) * 32 + (x & 31) : 0);
        }
        __syncwarp();
      }
    }
  }

  // mark makes a bitmap of the vertices that keep holds for. It gets what load returns of a vertex; all loads of a thread are
  // under way together.
  template <class Load, class Keep>
  __device__ __forceinline__ void mark(u32* bits, Load load, Keep keep) {
    constexpr u32 kSeveral = 8;
    const u32 n = words();
    bool some = false;
    for (u32 base = this_warp() * kSeveral; base < n; base += warps() * kSeveral) {
      decltype(load(0)) x[kSeveral];
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        const u32 word = min(base + j, n - 1);
        x[j] = load(min(word * 32 + lane(), a.out.n - 1));
      }
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        const u32 v = (base + j) * 32 + lane();
        const u32 word = __ballot_sync(kAll, base + j < n && v < a.out.n && keep(x[j], v));
        if (lane() == 0 && base + j < n) bits[base + j] = word;
        some |= word != 0;
      }
    }
    lowered |= some;
  }

  // put_aside puts the rows of the lanes that are long aside in parts of so many edges.
  template <u32 kPart = kWindowPart>
  __device__ __forceinline__ void put_aside(bool is_long, const Row<Offset>& r, float key) {
    if (!__any_sync(kAll, is_long)) return;
    const u32 n = is_long ? u32((r.size() + kPart - 1) / kPart) : 0;
    const u32 through = warp_inclusive(n), before = through - n, total = __shfl_sync(kAll, through, 31);
    u32 at = 0;
    if (lane() == 0) {
      at = u32(atomicAdd(&e.grid.filling()->tail, u64(total)));
      atomicAdd(&sh.parts, total);
    }
    at = __shfl_sync(kAll, at, 0);
    for (u32 i = 0; i < total; i += 32) {
      const u32 k = i + lane();
      u32 src = 0;  // the last lane whose parts begin at or before k
#pragma unroll
      for (u32 d = 16; d > 0; d /= 2) {
        if (__shfl_sync(kAll, before, src + d) <= k) src += d;
      }
      const Row<Offset> of = from_lane(r, src);
      const Offset begin = of.begin + Offset(k - __shfl_sync(kAll, before, src)) * kPart;
      const float is = __shfl_sync(kAll, key, src);
      if (k < total) a.aside[at + k] = WindowPart{u64(begin) | u64(min(Offset(kPart), of.end - begin)) << 48, of.source, is};
    }
  }

  // Part is a part that was put aside.
  struct Part {
    Offset begin, end;
    u32 v;
    float key;
  };
  __device__ __forceinline__ Part part(u32 i, u32 parts) const {
    Part p{0, 0, 0, 0.0f};
    if (i >= parts) return p;
    const uint4 x = *(const uint4*)&a.aside[i];
    p.begin = Offset(u64(x.y & 0xffff) << 32 | x.x);
    p.end = p.begin + (x.y >> 16);
    p.v = x.z;
    p.key = __uint_as_float(x.w);
    return p;
  }

  // each_part calls f for the parts that were put aside. The next one is under way meanwhile.
  template <class F>
  __device__ __forceinline__ void each_part(u32 parts, F f) {
    Part is = part(this_warp(), parts);
    for (u32 i = this_warp(); i < parts; i += warps()) {
      const Part then = part(i + warps(), parts);
      f(is);
      is = then;
    }
  }

  // weigh loads weights, so many lanes together from an edge on; +Inf past the end.
  template <u32 kLanes>
  __device__ __forceinline__ static void weigh(const float* weights, Offset edge, Offset end, float (&x)[kWindowAhead]) {
#pragma unroll
    for (u32 j = 0; j < kWindowAhead; j++) {
      const Offset i = edge + kLanes * j;
      x[j] = i < end ? weights[i] : none();
    }
  }

  // by_groups calls f for the rows of the lanes in a mask: a group of lanes goes over two rows at once, so many edges of each at
  // a time, with their weights, the first of these edges, and which lane has the row. f reports whether the row ends there.
  template <class F>
  __device__ __forceinline__ void by_groups(u32 rows, const Row<Offset>& all, const float* weights, F f) {
    constexpr u32 kSeveral = 2;
    const u32 group = lane() / kWindowLanes, at = lane() % kWindowLanes;
#pragma unroll 1
    for (u32 i = 0; i < 32; i += kSeveral * kGroups) {
      if (!(rows >> i & ((1u << kSeveral * kGroups) - 1))) continue;
      Offset edge[kSeveral], end[kSeveral];
      bool more = false;
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        const u32 src = i + j * kGroups + group;
        edge[j] = __shfl_sync(kAll, all.begin, src);
        end[j] = __shfl_sync(kAll, all.end, src);
        if (!(rows >> src & 1)) end[j] = edge[j];
        more |= edge[j] < end[j];
      }
      while (__any_sync(kAll, more)) {
        float x[kSeveral][kWindowAhead];
        more = false;
#pragma unroll
        for (u32 j = 0; j < kSeveral; j++) weigh<kWindowLanes>(weights, edge[j] + at, end[j], x[j]);
#pragma unroll
        for (u32 j = 0; j < kSeveral; j++) {
          const bool ends = f(x[j], edge[j] + at, i + j * kGroups + group, edge[j] < end[j]);
          edge[j] += kWindowLanes * kWindowAhead;
          if (ends) end[j] = edge[j];
          more |= edge[j] < end[j];
        }
      }
    }
  }

  // of_group reports whether a condition holds for a lane of the group.
  __device__ __forceinline__ static bool of_group(bool is) {
    return __ballot_sync(kAll, is) >> (lane() / kWindowLanes * kWindowLanes) & ((1u << kWindowLanes) - 1);
  }

  // pend makes an edge pending.
  __device__ __forceinline__ void pend(bool has, Offset edge, float key, u32 row = 0) {
    const u32 who = __ballot_sync(kAll, has);
    if (has) {
      const u32 i = waiting + __popc(who & lanes_below());
      WindowPending<Offset>& p = own().pending;
      p.edge[i] = edge;
      p.key[i] = key;
      p.row[i] = u8(row);
    }
    waiting += __popc(who);
  }

  // take calls f for pending edges while there are so many: with the places of two, and which of them there are.
  template <class F>
  __device__ __forceinline__ void take(u32 least, F f) {
    constexpr u32 kSeveral = kWindowVisits / 32;
    __syncwarp();
    while (waiting >= least && waiting > 0) {
      const u32 n = min(waiting, kWindowVisits);
      waiting -= n;
      u32 at[kSeveral];
      bool have[kSeveral];
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        have[j] = 32 * j + lane() < n;
        at[j] = have[j] ? waiting + 32 * j + lane() : 0;
      }
      f(at, have);
    }
    __syncwarp();
  }

  // together calls f for the edges of the short rows of 32 lanes, 32 * kWindowAhead at a time: with the lane that has the
  // row, and the edge.
  template <class F>
  __device__ __forceinline__ void together(bool is_short, const Row<Offset>& r, F f) {
    const u32 n = is_short ? u32(r.size()) : 0, through = warp_inclusive(n), before = through - n, total = __shfl_sync(kAll, through, 31);
    u8* owner = own().owner;
#pragma unroll 1
    for (u32 j = 0; j < n; j++) owner[before + j] = u8(lane());
    __syncwarp();
    const Offset from = r.begin - before;
#pragma unroll 1
    for (u32 i = 0; i < total; i += 32 * kWindowAhead) {
      u32 src[kWindowAhead];
      Offset edge[kWindowAhead];
      bool have[kWindowAhead];
#pragma unroll
      for (u32 j = 0; j < kWindowAhead; j++) {
        const u32 k = i + 32 * j + lane();
        have[j] = k < total;
        src[j] = have[j] ? owner[k] : 0;
        edge[j] = __shfl_sync(kAll, from, src[j]) + k;
      }
      f(have, src, edge);
    }
    __syncwarp();
  }
};

}  // namespace foray

// This file holds a push along the light edges of rows that ascend by weight, in windows of
// distance: while all keys up to a limit are certain, it visits the edges by which a key of the
// window may come, and leaves the others alone until their window. Keys are distances, which
// functors only lower.
//
// Each vertex that was pushed has a note: the key that the next edge of its row would lead to, and
// a cursor, how many edges of it have been visited. So a window begins with one look at the former,
// of all vertices.
#pragma once

#include "operators/advance/window.cuh"
#include "operators/functor.cuh"

namespace foray {

// LightPending are edges that a warp has yet to visit, in shared memory. Of those that it looks at few lower a
// key, and visits take some loads and atomic operations that wait for one another: so that it visits 32
// at a time.
constexpr u32 kLightAhead = 2;  // edges that each lane looks at, all of them under way together
template <class Offset>
struct LightPending {
  static constexpr u32 kRoom = 32 * (kLightAhead + 1);
  Offset edge[kRoom];
  u32 source[kRoom], target[kRoom];
};

// Light is a push of one round.
template <class Offset, class At>
struct Light {
  const Csr<Offset>& g;
  const float* weights;
  const float* keys;
  Window* w;
  float above, most;
  u32* parts;  // counter
  At& at;
  Emitter<Offset>& out;
  LightPending<Offset>& pending;
  u32 waiting = 0;  // pending edges
  u64 settled = 0;

  __device__ Light(const Csr<Offset>& rows, const float* ws, const float* ks, Window* window, u32 parity, At& a, Emitter<Offset>& o, LightPending<Offset>& p)
      : g(rows), weights(ws), keys(ks), w(window), above(*(volatile float*)&window->above), most(*(volatile float*)&window->high),
        parts(&window->parts[parity]), at(a), out(o), pending(p) {}

  // visit visits pending edges while there are so many.
  __device__ __forceinline__ void visit(u32 least) {
    __syncwarp();
    while (waiting >= least && waiting > 0) {
      const u32 n = min(waiting, 32u), i = waiting - n + lane();
      waiting -= n;
      const bool active = lane() < n;
      const u32 target = active ? pending.target[i] : 0;
      out.put(active && at.let(pending.source[active ? i : 0], target, pending.edge[active ? i : 0]), target);
    }
    __syncwarp();
  }

  // consider makes edges pending, those alone that lower the key of their target, as far as is known; all
  // where they are few, which is sooner.
  __device__ __forceinline__ void consider(bool few, const bool (&have)[kLightAhead], const u32 (&source)[kLightAhead], const float (&key)[kLightAhead], const Offset (&edge)[kLightAhead]) {
    u32 t[kLightAhead];
    float weight[kLightAhead], is[kLightAhead];
#pragma unroll
    for (u32 j = 0; j < kLightAhead; j++) {
      t[j] = have[j] ? g.targets[edge[j]] : 0;
      weight[j] = have[j] && !few ? weights[edge[j]] : 0.0f;
    }
#pragma unroll
    for (u32 j = 0; j < kLightAhead; j++) is[j] = have[j] && !few ? keys[t[j]] : 0.0f;
#pragma unroll
    for (u32 j = 0; j < kLightAhead; j++) {
      const bool lowers = have[j] && (few || key[j] + weight[j] < is[j]);
      const u32 who = __ballot_sync(kAll, lowers);
      if (lowers) {
        const u32 i = waiting + __popc(who & lanes_below());
        pending.source[i] = source[j];
        pending.target[i] = t[j];
        pending.edge[i] = edge[j];
      }
      waiting += __popc(who);
    }
    visit(32);
  }

  // walk visits a part of a row by the whole warp.
  __device__ __forceinline__ void walk(u32 source, Offset b, Offset e) {
    const float is = *(const volatile float*)&keys[source];
#pragma unroll 1
    for (; b < e; b += 32 * kLightAhead) {
      bool have[kLightAhead];
      u32 from[kLightAhead];
      float key[kLightAhead];
      Offset edge[kLightAhead];
#pragma unroll
      for (u32 j = 0; j < kLightAhead; j++) {
        edge[j] = b + 32 * j + lane();
        have[j] = edge[j] < e;
        from[j] = source;
        key[j] = is;
      }
      consider(false, have, from, key, edge);
    }
  }

  // beyond finds the first edge of [b, e) that leads past the window, by each lane for a different row: each
  // step probes a quarter of the rest.
  __device__ __forceinline__ Offset beyond(float key, Offset b, Offset e) const {
    while (b < e) {
      const Offset step = (e - b + 3) / 4;
      bool in[3];
#pragma unroll
      for (u32 j = 0; j < 3; j++) {  // all three loads are under way together
        const Offset i = b + (j + 1) * step - 1;
        in[j] = i < e && key + weights[i] <= most;
      }
      const u32 n = u32(in[0]) + u32(in[1]) + u32(in[2]);
      const Offset from = b + n * step;
      if (n < 3) e = min(e, from + step - 1);
      b = from;
    }
    return b;
  }

  // stop notes how far a row was visited.
  __device__ __forceinline__ void stop(const LightRow<Offset>& r, Offset i, float weight) const {
    w->notes[r.v] = u64(i - r.first) << 32 | (i < r.end ? __float_as_uint(r.key + weight) : kExhausted);
  }

  // row returns the row of a frontier's vertex.
  __device__ __forceinline__ LightRow<Offset> row(bool have, u32 v) {
    LightRow<Offset> r{0, 0, 0, 0.0f, v};
    if (!have) return r;
    r.key = *(const volatile float*)&keys[v];
    r.first = r.begin = g.offsets[v];
    r.end = g.offsets[v + 1];
    const u64 note = *(const volatile u64*)&w->notes[v];
    if (u32(note) == kUntouched) {
      settled += r.end - r.begin;
    } else if (!(r.key > above)) {
      r.begin += u32(note >> 32);
    }
    return r;
  }

  // put_aside puts the rest of long rows for the window aside in parts, the rows of all lanes that have
  // one at once. The whole warp calls it.
  __device__ __forceinline__ void put_aside(bool is_long, const LightRow<Offset>& r) {
    Offset end = r.begin;
    if (is_long) {
      end = beyond(r.key, r.begin, r.end);
      stop(r, end, end < r.end ? weights[end] : 0.0f);
    }
    const u32 n = u32((end - r.begin + kLightPart - 1) / kLightPart), through = warp_inclusive(n), before = through - n;
    const u32 total = __shfl_sync(kAll, through, 31);
    u32 at = 0;
    if (lane() == 0 && total) at = atomicAdd(parts, total);
    at = __shfl_sync(kAll, at, 0);
#pragma unroll 1
    for (u32 i = 0; i < total; i += 32) {
      const u32 k = i + lane(), src = row_of(before, k);
      const Offset b = __shfl_sync(kAll, r.begin, src) + Offset(k - __shfl_sync(kAll, before, src)) * kLightPart;
      const Offset e = __shfl_sync(kAll, end, src);
      const u32 v = __shfl_sync(kAll, r.v, src);
      if (k < total) w->aside[at + k] = LightPart{b, v, u32(min(Offset(kLightPart), e - b))};
    }
  }

  // row_of is the last lane whose row begins at or before k.
  __device__ __forceinline__ static u32 row_of(u32 before, u32 k) {
    u32 src = 0;
#pragma unroll
    for (u32 d = 16; d > 0; d /= 2) {
      if (__shfl_sync(kAll, before, src + d) <= k) src += d;
    }
    return src;
  }

  // rows visits the rows of a frontier, as the whole grid, except those that it puts aside. A warp takes as
  // many vertices as leave all warps some work. A few lanes look at the weights of a
  // row; then all lanes visit the edges of all rows that are light enough.
  __device__ __forceinline__ void rows(const In<Offset>& in) {
    constexpr u32 kGroups = 32 / kLightLanes;
    const u32 warps = gridDim.x * kWarps;
    u32 per = (in.count + warps - 1) / warps;
    per = per >= 32 ? 32 : (per + kGroups - 1) / kGroups * kGroups;
    const u32 group = lane() / kLightLanes, lane_at = lane() % kLightLanes;
    for (u64 base = u64(warp() * gridDim.x + blockIdx.x) * per; base < in.count; base += u64(warps) * per) {
      const bool have = lane() < per && base + lane() < in.count;
      LightRow<Offset> own = row(have, have ? in.item(u32(base + lane())) : 0);
      bool more = have;
#pragma unroll 1
      for (u32 round = 0;; round++) {
        u32 going = __ballot_sync(kAll, more);
        if (round == kLightRounds && w->aside) {  // of a row that is long others do the rest
          const bool is_long = more && own.end - own.begin > kLightRow;
          if (__any_sync(kAll, is_long)) put_aside(is_long, own);
          more = more && !is_long;
          going = __ballot_sync(kAll, more);
        }
        if (!going) break;
        float weight[kLightLanes];  // of rows that lie kGroups apart; all loads are under way together
#pragma unroll
        for (u32 j = 0; j < kLightLanes; j++) {
          weight[j] = Limits<float>::most();
          if (!(going >> (j * kGroups) & ((1u << kGroups) - 1))) continue;
          const u32 src = j * kGroups + group;
          const Offset e = __shfl_sync(kAll, own.begin, src) + lane_at, end = __shfl_sync(kAll, own.end, src);
          if ((going >> src & 1) && e < end) weight[j] = weights[e];
        }
        u32 n = 0;  // edges of the lane's row to visit
        float next = 0;
#pragma unroll
        for (u32 j = 0; j < kLightLanes; j++) {
          if (!(going >> (j * kGroups) & ((1u << kGroups) - 1))) continue;
          const u32 src = j * kGroups + group, from = lane() % kGroups * kLightLanes;
          const u32 yes = __ballot_sync(kAll, __shfl_sync(kAll, own.key, src) + weight[j] <= most);
          const u32 some = __popc(yes >> from & ((1u << kLightLanes) - 1));
          const float beyond = __shfl_sync(kAll, weight[j], from + min(some, kLightLanes - 1));
          if (lane() / kGroups == j) n = some, next = beyond;
        }
        const Offset first = own.begin;
        own.begin += n;
        // The first edge past the window, or the end of the row.
        if (more && n < kLightLanes) stop(own, own.begin, next);
        more = more && n == kLightLanes;
        const u32 through = warp_inclusive(n), before = through - n, total = __shfl_sync(kAll, through, 31);
#pragma unroll 1
        for (u32 i = 0; i < total; i += 32 * kLightAhead) {
          bool of[kLightAhead];
          u32 source[kLightAhead];
          float key[kLightAhead];
          Offset edge[kLightAhead];
#pragma unroll
          for (u32 j = 0; j < kLightAhead; j++) {
            const u32 k = i + 32 * j + lane();
            of[j] = k < total;
            source[j] = 0, key[j] = 0, edge[j] = 0;
            if (i + 32 * j >= total) continue;
            const u32 src = row_of(before, k);
            edge[j] = __shfl_sync(kAll, first, src) + (k - __shfl_sync(kAll, before, src));
            source[j] = __shfl_sync(kAll, own.v, src);
            key[j] = __shfl_sync(kAll, own.key, src);
          }
          consider(total <= 32, of, source, key, edge);
        }
      }
    }
    visit(1);
  }

  // rest visits what was put aside, once all of it is.
  __device__ __forceinline__ void rest() {
    const u32 n = *(volatile u32*)parts;
    for (u32 i = warp() * gridDim.x + blockIdx.x; i < n; i += gridDim.x * kWarps) {
      const volatile LightPart* p = &w->aside[i];
      const Offset b = Offset(p->begin);
      walk(p->source, b, b + p->size);
    }
    visit(1);
  }

  // count adds up the edges out of vertices that were pushed for the first time. The whole block calls it.
  __device__ __forceinline__ void count(u64* totals) { add_up(settled, totals, &w->settled); }
};

// due_by emits the vertices that have an edge to visit in the window up to a limit, and notes
// the least key that one leads to, as the whole grid.
template <class Offset>
__device__ __forceinline__ void due_by(Window* w, u32 n, float limit, u32* least, Emitter<Offset>& out, u64* totals) {
  constexpr u32 kSeveral = 4;
  u32 lowest = kExhausted;
  for (u64 base = u64(blockIdx.x) * kBlock * kSeveral; base < n; base += u64(gridDim.x) * kBlock * kSeveral) {
    u32 due[kSeveral];
#pragma unroll
    for (u32 j = 0; j < kSeveral; j++) {
      const u64 v = base + j * kBlock + threadIdx.x;
      due[j] = v < n ? ((const volatile u32*)w->notes)[2 * v] : kUntouched;
    }
#pragma unroll
    for (u32 j = 0; j < kSeveral; j++) {
      lowest = min(lowest, due[j]);
      // No number is at most a limit; +Inf isn't, where that is finite.
      out.put(__uint_as_float(due[j]) <= limit, u32(base + j * kBlock + threadIdx.x));
    }
    out.relieve();
  }
  lowest = fold_block<u32, kMin>(lowest, totals);
  if (threadIdx.x == 0 && lowest != kExhausted) atomicMin(least, lowest);
}

}  // namespace foray

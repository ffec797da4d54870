// This file holds a push along the light edges of rows that ascend by weight, in windows of
// distance: while all keys up to a limit are certain, it visits the edges by which a key of the
// window may come, and leaves the others alone until their window. Keys are distances, which
// functors only lower.
//
// Each vertex that was pushed has a cursor: how many edges of its row have been visited, and
// the key that the next one would lead to. So a window begins with one look at the latter, of
// all vertices.
#pragma once

#include "operators/functor.cuh"

namespace foray {

// Tuning: how many lanes share a row, the longest row that they do, and how many edges of
// longer ones a warp takes at a time.
constexpr u32 kLightLanes = 8;
constexpr u32 kLightRow = 128;
constexpr u32 kLightPart = 256;

// Of `due`: the vertex wasn't pushed yet; all of its row was visited.
constexpr u32 kUntouched = 0x7fffffffu;
constexpr u32 kExhausted = 0x7f800000u;

// LightPart is a part of a long row, put aside for any warp.
struct LightPart {
  u64 begin;
  u32 source, size;
};

// Window is where a traversal in windows stands, in device memory.
struct Window {
  float low;    // all windows up to here are over; +Inf: no vertex has an edge left
  float above;  // the window under way is what is above this
  float high;   // and at most this
  float width;  // of windows
  float most;   // no key is larger
  float full;   // an edge is lighter than a key x with a probability of about x / full
  float cost;   // of an edge of a pull; that of a push is 1
  u32 turn;       // which of these is next
  u32 least[4];   // key that an edge beyond the window leads to, used in turn; kExhausted before
  u32 parts[2];   // how many parts are put aside; zero before
  u64 all;        // edges
  u64 settled;    // edges out of what was pushed
  u32* due;       // of each vertex; kUntouched before
  u32* cursor;    // of each vertex
  LightPart* aside;  // null: no row is long
};

// LightRow is the row of a lane's vertex, from the first edge on that is to be visited.
template <class Offset>
struct LightRow {
  Offset first, begin, end;  // first is the row's
  float key;
  u32 v;
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
  u64 settled = 0;

  __device__ Light(const Csr<Offset>& rows, const float* ws, const float* ks, Window* window, u32 parity, At& a, Emitter<Offset>& o)
      : g(rows), weights(ws), keys(ks), w(window), above(*(volatile float*)&window->above), most(*(volatile float*)&window->high),
        parts(&window->parts[parity]), at(a), out(o) {}

  __device__ __forceinline__ void visit(bool active, u32 source, u32 target, Offset e) {
    typename At::Shared none;
    out.put(at.visit(none, active, source, target, e), target);
  }

  // walk visits a part of a row by the whole warp.
  __device__ __forceinline__ void walk(u32 source, Offset b, Offset e) {
    constexpr u32 kSeveral = 4;
    for (; b < e; b += 32 * kSeveral) {
      u32 t[kSeveral];
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        const Offset i = b + 32 * j + lane();
        t[j] = i < e ? g.targets[i] : kNoVertex;
      }
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        if (b + 32 * j >= e) break;
        visit(t[j] != kNoVertex, source, t[j], b + 32 * j + lane());
      }
    }
  }

  // beyond finds the first edge of [b, e) that leads past the window, by the whole warp.
  __device__ __forceinline__ Offset beyond(float key, Offset b, Offset e) const {
    while (b < e) {
      const Offset step = (e - b + 31) / 32, i = b + step * lane();
      const u32 n = __popc(__ballot_sync(kAll, i < e && key + weights[i] <= most));
      if (n == 0) break;
      const Offset to = b + step * n;
      b += step * (n - 1) + 1;
      e = min(e, to);
    }
    return b;
  }

  // stop notes how far a row was visited.
  __device__ __forceinline__ void stop(const LightRow<Offset>& r, Offset i, float weight) const {
    w->due[r.v] = i < r.end ? __float_as_uint(r.key + weight) : kExhausted;
    w->cursor[r.v] = u32(i - r.first);
  }

  // row returns the row of a frontier's vertex.
  __device__ __forceinline__ LightRow<Offset> row(bool have, u32 v) {
    LightRow<Offset> r{0, 0, 0, 0.0f, v};
    if (!have) return r;
    r.key = *(const volatile float*)&keys[v];
    r.first = r.begin = g.offsets[v];
    r.end = g.offsets[v + 1];
    const u32 due = ((const volatile u32*)w->due)[v];
    if (due == kUntouched) settled += r.end - r.begin;
    if (!(r.key > above) && due != kUntouched) r.begin += ((const volatile u32*)w->cursor)[v];
    return r;
  }

  // long_row visits a row by the whole warp, or puts it aside in parts.
  __device__ __forceinline__ void long_row(const LightRow<Offset>& r) {
    const Offset end = beyond(r.key, r.begin, r.end);
    if (lane() == 0) stop(r, end, end < r.end ? weights[end] : 0.0f);
    const Offset size = end - r.begin;
    if (size <= kLightPart) {
      walk(r.v, r.begin, end);
      return;
    }
    const u32 n = u32((size + kLightPart - 1) / kLightPart);
    u32 at = 0;
    if (lane() == 0) at = atomicAdd(parts, n);
    at = __shfl_sync(kAll, at, 0);
    for (u32 i = lane(); i < n; i += 32) {
      const Offset b = r.begin + Offset(i) * kLightPart;
      w->aside[at + i] = LightPart{b, r.v, u32(min(Offset(kLightPart), end - b))};
    }
  }

  // rows visits the rows of a frontier, as the whole grid, but for what it puts aside. A warp
  // takes as many vertices as leave all warps something to do.
  __device__ __forceinline__ void rows(const In<Offset>& in) {
    constexpr u32 kGroups = 32 / kLightLanes, kSeveral = 2;
    const u32 warps = gridDim.x * kWarps;
    u32 per = (in.count + warps - 1) / warps;
    per = per >= 32 ? 32 : (per + kGroups - 1) / kGroups * kGroups;
    const u32 group = lane() / kLightLanes, lane_at = lane() % kLightLanes, mine = ((1u << kLightLanes) - 1) << (group * kLightLanes);
    for (u64 base = u64(warp() * gridDim.x + blockIdx.x) * per; base < in.count; base += u64(warps) * per) {
      const bool have = lane() < per && base + lane() < in.count;
      const LightRow<Offset> own = row(have, have ? in.item(u32(base + lane())) : 0);
      const bool is_long = w->aside && own.end - own.begin > kLightRow;
      for (u32 todo = __ballot_sync(kAll, is_long); todo; todo &= todo - 1) {
        const u32 src = __ffs(todo) - 1;
        long_row(LightRow<Offset>{__shfl_sync(kAll, own.first, src), __shfl_sync(kAll, own.begin, src), __shfl_sync(kAll, own.end, src),
                                  __shfl_sync(kAll, own.key, src), __shfl_sync(kAll, own.v, src)});
      }
      const u32 brief = __ballot_sync(kAll, have && !is_long);
#pragma unroll 1
      for (u32 i = 0; i < per; i += kGroups * kSeveral) {
        LightRow<Offset> r[kSeveral];
        bool go[kSeveral];
        float weight[kSeveral];
        u32 t[kSeveral];
#pragma unroll
        for (u32 j = 0; j < kSeveral; j++) {
          const u32 src = (i + j * kGroups + group) & 31;
          r[j] = LightRow<Offset>{__shfl_sync(kAll, own.first, src), __shfl_sync(kAll, own.begin, src), __shfl_sync(kAll, own.end, src),
                                  __shfl_sync(kAll, own.key, src), __shfl_sync(kAll, own.v, src)};
          go[j] = i + j * kGroups + group < per && (brief >> src & 1);
          const Offset e = r[j].begin + lane_at;
          const bool on = go[j] && e < r[j].end;
          weight[j] = on ? weights[e] : 0.0f;
          t[j] = on ? g.targets[e] : 0;
        }
#pragma unroll
        for (u32 j = 0; j < kSeveral; j++) {
          bool more = go[j];
          Offset b = r[j].begin;
          while (__any_sync(kAll, more)) {
            const Offset e = b + lane_at;
            const bool on = more && e < r[j].end, yes = on && r[j].key + weight[j] <= most;
            visit(yes, r[j].v, t[j], e);
            const u32 n = __popc(__ballot_sync(kAll, yes) & mine);
            // The first edge past the window, or the end of the row.
            if (more && n < kLightLanes && lane_at == n) stop(r[j], e, weight[j]);
            more = more && n == kLightLanes;
            b += kLightLanes;
            if (more && b + lane_at < r[j].end) {
              weight[j] = weights[b + lane_at];
              t[j] = g.targets[b + lane_at];
            }
          }
        }
      }
    }
  }

  // rest visits what was put aside, once all of it is.
  __device__ __forceinline__ void rest() {
    const u32 n = *(volatile u32*)parts;
    for (u32 i = warp() * gridDim.x + blockIdx.x; i < n; i += gridDim.x * kWarps) {
      const volatile LightPart* p = &w->aside[i];
      const Offset b = Offset(p->begin);
      walk(p->source, b, b + p->size);
    }
  }

  // count adds up the edges out of what was pushed for the first time. By the whole block.
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
      due[j] = v < n ? ((const volatile u32*)w->due)[v] : kUntouched;
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

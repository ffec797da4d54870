// This file holds a sweep over in-edges, which lowers distances by those that may matter.
#pragma once

#include "algos/sssp/windows_block.cuh"

namespace foray {

// WindowsPull pulls rows; kSorted says that they ascend by weight, so that it stops where an edge is too heavy.
template <class Offset, bool kSorted>
struct WindowsPull {
  using Block = WindowsBlock<Offset>;
  Block& b;

  __device__ explicit WindowsPull(Block& block) : b(block) {}

  // Best is the least distance of a vertex that its lanes have found, and its lightest edge.
  struct Best {
    float dist, light;
  };

  // pull_some goes over edges of a long row, by a warp: first over those that weigh up to some, of rows that ascend the first of
  // each lane, then over others that may still lower the distance. Vertices that the last sweep changed are at distance bound or beyond.
  __device__ __forceinline__ void pull_some(const float (&x)[kWindowAhead], Offset edge, float some, float bound, Best& best) {
#pragma unroll
    for (u32 j = 0; j < kWindowAhead; j++) best.light = min(best.light, x[j]);
#pragma unroll
    for (u32 turn = 0; turn < 2; turn++) {
      bool in[kWindowAhead], any = false;
      u32 t[kWindowAhead];
      float d[kWindowAhead];
#pragma unroll
      for (u32 j = 0; j < kWindowAhead; j++) {
        in[j] = x[j] + bound < best.dist && (turn == 0) == (kSorted ? j == 0 : x[j] <= some);
        any |= in[j];
      }
      if (!__any_sync(kAll, any)) continue;
#pragma unroll
      for (u32 j = 0; j < kWindowAhead; j++) t[j] = in[j] ? b.a.in.targets[edge + 32 * j] : 0;
#pragma unroll
      for (u32 j = 0; j < kWindowAhead; j++) d[j] = in[j] ? b.dist(t[j]) : Block::none();
#pragma unroll
      for (u32 j = 0; j < kWindowAhead; j++) best.dist = min(best.dist, d[j] + x[j]);
#pragma unroll
      for (u32 lanes = 16; lanes > 0; lanes /= 2) best.dist = min(best.dist, __shfl_xor_sync(kAll, best.dist, lanes));
    }
  }

  // some_of returns up to which weight a sweep looks at the edges of a row first.
  __device__ __forceinline__ float some_of(Offset edges) const { return kWindowLight * b.a.full / float(edges); }

  // Sweep is what a sweep knows, and finds.
  struct Sweep {
    float bound;  // vertices that the last one changed are at this distance or beyond
    bool first;   // it notes the lightest edges
    u32 least;    // distance that was lowered
    u32* changed; // but in the first sweep, a bitmap of the vertices of which it was

    __device__ __forceinline__ void note(u32 v, float is) {
      least = min(least, __float_as_uint(is));
      if (!first) atomicOr(changed + (v >> 5), 1u << (v & 31));
    }
  };

  // pull_short pulls the short rows of 32 lanes.
  __device__ __forceinline__ void pull_short(bool is_short, const Row<Offset>& r, float was, Sweep& s) {
    u32 *best = b.own().best, *light = b.own().light;
    best[lane()] = __float_as_uint(was);
    light[lane()] = kNoKey;
    b.together(is_short, r, [&](const bool (&have)[kWindowAhead], const u32 (&src)[kWindowAhead], const Offset (&edge)[kWindowAhead]) {
      float x[kWindowAhead], d[kWindowAhead];
      u32 t[kWindowAhead];
#pragma unroll
      for (u32 j = 0; j < kWindowAhead; j++) {
        x[j] = have[j] ? b.a.in_weights[edge[j]] : Block::none();
        t[j] = have[j] ? b.a.in.targets[edge[j]] : 0;
      }
#pragma unroll
      for (u32 j = 0; j < kWindowAhead; j++) d[j] = have[j] ? b.dist(t[j]) : Block::none();
#pragma unroll
      for (u32 j = 0; j < kWindowAhead; j++) {
        if (!have[j]) continue;
        if (s.first) atomicMin(&light[src[j]], __float_as_uint(x[j] + 0.0f));  // of -0 it is 0
        atomicMin(&best[src[j]], __float_as_uint(d[j] + x[j]));
      }
    });
    if (is_short && s.first) b.a.notes[r.source] = light[lane()];
    if (is_short) lower(r.source, was, __uint_as_float(best[lane()]), s);
    __syncwarp();
  }

  // lower stores a distance that is less.
  __device__ __forceinline__ void lower(u32 v, float was, float is, Sweep& s) const {
    if (!(is < was)) return;
    *(volatile float*)&b.a.dist[v] = is;
    s.note(v, is);
  }

  // look lowers the best distances of rows by pending edges while there are so many.
  __device__ __forceinline__ void look(u32 least) {
    u32* best = b.own().best;
    b.take(least, [&](const auto& at, const auto& have) {
      constexpr u32 kSeveral = kWindowVisits / 32;
      const WindowPending<Offset>& p = b.own().pending;
      u32 t[kSeveral];
      float d[kSeveral];
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) t[j] = have[j] ? b.a.in.targets[p.edge[at[j]]] : 0;
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) d[j] = have[j] ? b.dist(t[j]) : Block::none();
#pragma unroll
      for (u32 j = 0; j < kSeveral; j++) {
        if (have[j]) atomicMin(&best[p.row[at[j]]], __float_as_uint(d[j] + p.key[at[j]]));
      }
    });
  }

  // pull_front returns the least distances by the first edges of the lanes' rows, which ascend, and whether the next edges may
  // be on a shorter path.
  __device__ __forceinline__ float pull_front(bool have, const Row<Offset>& r, float was, const Sweep& s, bool& more) const {
    float x[kWindowFront], d[kWindowFront];
    u32 t[kWindowFront];
#pragma unroll
    for (u32 j = 0; j < kWindowFront; j++) {
      const bool is = have && j < r.size();
      x[j] = is ? b.a.in_weights[r.begin + j] : Block::none();
      t[j] = is ? b.a.in.targets[r.begin + j] : 0;
    }
#pragma unroll
    for (u32 j = 0; j < kWindowFront; j++) d[j] = x[j] + s.bound < was ? b.dist(t[j]) : Block::none();
    float best = was;
#pragma unroll
    for (u32 j = 0; j < kWindowFront; j++) best = min(best, d[j] + x[j]);
    more = have && r.size() > kWindowFront && x[kWindowFront - 1] + s.bound < best;
    if (have && s.first) b.a.notes[r.source] = __float_as_uint(x[0] + 0.0f);  // of -0 it is 0
    return best;
  }

  // pull_sorted pulls the rows of 32 lanes, which ascend: few need more than their first edges.
  __device__ __forceinline__ void pull_sorted(bool have, const Row<Offset>& r, float was, Sweep& s) {
    bool more;
    const float best = pull_front(have, r, was, s, more);
    if (have) lower(r.source, was, best, s);
    Row<Offset> rest = r;
    if (more) rest.begin += kWindowFront;
    const bool is_long = more && rest.size() > kWindowRow;
    b.put_aside(is_long, rest, best);
    const u32 rows = __ballot_sync(kAll, more && !is_long);
    if (rows) pull_groups(rows, rest, best, s);
  }

  // pull_groups pulls the rows of the lanes in a mask: first their light edges, then others that may still lower the distance.
  // Of rows that ascend it pulls those only.
  __device__ __forceinline__ void pull_groups(u32 rows, const Row<Offset>& r, float was, Sweep& s) {
    u32 *best = b.own().best, *light = b.own().light;
    best[lane()] = __float_as_uint(was);
    light[lane()] = kNoKey;
    __syncwarp();
    const float some = kSorted ? -1.0f : some_of(r.size());
#pragma unroll 1
    for (u32 turn = kSorted; turn < 2; turn++) {
      b.by_groups(rows, r, b.a.in_weights, [&](const float (&x)[kWindowAhead], Offset edge, u32 src, bool has) {
        const float up_to = __shfl_sync(kAll, some, src), bound = __uint_as_float(*(volatile u32*)&best[src]);
        float lightest = Block::none();
#pragma unroll
        for (u32 j = 0; j < kWindowAhead; j++) {
          b.pend(has && x[j] + s.bound < bound && (turn == 0) == (x[j] <= up_to), edge + kWindowLanes * j, x[j], src);
          lightest = min(lightest, x[j]);
        }
        if (s.first && turn == 0 && lightest < Block::none()) atomicMin(&light[src], __float_as_uint(lightest + 0.0f));  // of -0 it is 0
        if (b.waiting >= kWindowVisits) look(kWindowVisits);
        return kSorted && Block::of_group(!(x[kWindowAhead - 1] + s.bound < bound));
      });
      look(1);
    }
    if (rows >> lane() & 1) {
      if (s.first && !kSorted) b.a.notes[r.source] = light[lane()];
      lower(r.source, was, __uint_as_float(best[lane()]), s);
    }
    __syncwarp();
  }

  // pull_rows lowers the distances of the vertices of a bitmap, and puts long rows aside.
  __device__ __forceinline__ void pull_rows(u32* bits, Sweep& s) {
    b.each(bits, [&](bool have, u32 v) {
      const Row<Offset> r = row_of(b.a.in, have, v);
      const float key = have ? b.dist(v) : 0.0f;
      if constexpr (kSorted) return pull_sorted(have, r, key, s);
      const bool is_long = r.size() > kWindowRow, is_short = have && r.size() <= kWindowShort;
      b.put_aside(is_long, r, key);
      if (__any_sync(kAll, is_short)) pull_short(is_short, r, key, s);
      const u32 rows = __ballot_sync(kAll, have && !is_long && !is_short);
      if (rows) pull_groups(rows, r, key, s);
    });
  }

  // pull_parts does so with the parts of rows that were put aside.
  __device__ __forceinline__ void pull_parts(u32 parts, Sweep& s) {
    b.each_part(parts, [&](const typename Block::Part& p) {
      const float was = b.dist(p.v), some = some_of(b.a.in.offsets[p.v + 1] - b.a.in.offsets[p.v]);
      Best best{was, Block::none()};
#pragma unroll 1
      for (Offset i = p.begin; i < p.end; i += 32 * kWindowAhead) {
        float x[kWindowAhead];
        Block::template weigh<32>(b.a.in_weights, i + lane(), p.end, x);
        if (kSorted && !__any_sync(kAll, x[0] + s.bound < best.dist)) break;
        pull_some(x, i + lane(), some, s.bound, best);
      }
      best.light = fold_warp<float, kMin>(best.light);
      if (lane() != 0) return;
      if (s.first) atomicMin(&b.a.notes[p.v], __float_as_uint(best.light + 0.0f));
      const u32 x = __float_as_uint(best.dist);
      if (best.dist < was && x < atomicMin((u32*)&b.a.dist[p.v], x)) s.note(p.v, best.dist);
    });
  }
};

}  // namespace foray

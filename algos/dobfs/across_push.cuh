// This file holds the pushes of a search over several GPUs, but for that over more edges than
// all do alike and fewer than a heavy one.
#pragma once

#include "algos/dobfs/across.cuh"

namespace foray {

// push_alike pushes the frontier of all GPUs.
template <class Offset>
__device__ __forceinline__ u64 Across<Offset>::push_alike(u32 count, u64 edges) {
  note(0, count, edges);
  const u32 n = a.peers.count;
  const PeersShared& told = peers.sh;
  if (count <= kBlock) {
    u32 i = threadIdx.x, v = 0;
    Offset begin = 0, end = 0;
    if (i < count) {
      u32 j = 0;
      for (; i >= told.count_of[j]; j++) i -= told.count_of[j];
      v = a.items[q][j][i];
      begin = a.offsets[j][v - j * a.stride];
      end = a.offsets[j][v - j * a.stride + 1];
    }
    list_row(v, begin, end, sh.merge, sh.totals);
  } else {
    u32 at = 0;
    u64 before = 0;
    for (u32 j = 0; j < n; j++) {
      for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < told.count_of[j]; i += gridDim.x * kBlock) {
        a.all_items[at + i] = a.items[q][j][i];
        a.all_prefix[at + i] = Offset(before + a.prefix[q][j][i]);
      }
      at += told.count_of[j];
      before += told.edges_of[j];
    }
    meet();
    if (peers.late) return kEnded;
  }
  Emitter<Offset> out(queue(q ^ 1), peers.filling(), sh.stage);
  Alike<Offset> body{a, seen(), plane(k), depth, out};
  if (count <= kBlock) {
    walk_rows(count, edges, sh.merge, body, [&] { out.relieve(); });
  } else {
    walk_shares(EachRow<Offset>{{a}}, In<Offset>{a.all_items, a.all_prefix, 0, edges, count, a.own.shift}, sh.merge, body, [&] { out.relieve(); });
  }
  out.flush();
  meet();
  q ^= 1;
  return kGoOn;
}

// take takes what came into the inboxes.
template <class Offset>
__device__ __forceinline__ void Across<Offset>::take(Sent<Offset>& f) {
  u32 all = 0;
  for (u32 j = 0; j < a.peers.count; j++) all += peers.sh.received[j];
  if (all == 0) return;  // the same for the whole GPU
  Emitter<Offset> out(queue(q ^ 1), peers.filling(), sh.stage);  // behind what was found here
  for (u32 j = 0; j < a.peers.count; j++) {
    const u32 n = peers.sh.received[j];
    for (u64 base = u64(blockIdx.x) * kBlock; base < n; base += u64(gridDim.x) * kBlock) {
      const u64 i = base + threadIdx.x;
      const bool have = i < n;
      const u32 t = have ? a.from[j][i] : a.base, bit = 1u << (t & 31);
      const bool got = have && !(atomicOr(f.seen + (t >> 5), bit) & bit);
      if (got) f.found(t, a.own.parents ? a.from_parents[j][i] : 0);
      out.put(got, t);
      out.relieve();
    }
  }
  out.flush();
}

// heavy is a push that only marks, and the union of all marks.
template <class Offset>
__device__ __forceinline__ u64 Across<Offset>::heavy(u64 count, u64 edges) {
  note(2, count, edges);
  const u32 n = a.peers.count, me = a.peers.me;
  Heavy f{{}, seen(), a.heavy_parents[me], true};
  Emitter<Offset> out(queue(q ^ 1), peers.filling(), sh.stage);
  expand_rows(f, out);
  meet();
  if (peers.late) return kEnded;
  u64 fresh = 0;
  const u32 words = (a.own.words + 3) & ~3u, step = gridDim.x * kBlock * 4;
  for (u32 at = (blockIdx.x * kBlock + threadIdx.x) * 4; at < words; at += step) {
    uint4 x = make_uint4(0, 0, 0, 0);
    for (u32 j = 0; j < n; j++) {
      const uint4 y = *(const uint4*)(seen(c, j) + base_word() + at);
      x.x |= y.x, x.y |= y.y, x.z |= y.z, x.w |= y.w;
    }
    const uint4 w = *(const uint4*)(a.own.written + at);
    fresh += __popc(x.x & ~w.x) + __popc(x.y & ~w.y) + __popc(x.z & ~w.z) + __popc(x.w & ~w.w);
    *(uint4*)(plane(0) + at) = x;
    for (u32 j = 0; j < n; j++) *(uint4*)(seen(c ^ 1, (me + j) % n) + base_word() + at) = x;
  }
  if (a.own.parents) {
    __syncthreads();
    adopt();
  }
  if (threadIdx.x == 0) sh.depth_of[0] = i32(depth);
  meet(total(fresh, sh.totals));
  found = peers.sh.brought;
  visited += found;
  c ^= 1;
  marked = again = true;
  stale = false;
  listed = false;
  return kGoOn;
}

// adopt finds the parents of vertices that heavy pushes found: the parents from the first GPU that found each.
template <class Offset>
__device__ __forceinline__ void Across<Offset>::adopt() {
  const u32 step = gridDim.x * kWarps;
  for (u32 w = blockIdx.x * kWarps + warp(); w < a.own.words; w += step) {
    u32 open = 0;
    for (u32 j = 0; j < a.peers.count; j++) open |= seen(c, j)[base_word() + w];
    open &= ~a.own.written[w];
    const u32 v = w * 32 + lane();
    for (u32 j = 0; j < a.peers.count && open; j++) {
      const u32 here = seen(c, j)[base_word() + w] & open;
      if (here >> lane() & 1) a.own.parents[v] = a.heavy_parents[j][a.base + v];
      open &= ~here;
    }
  }
}

}  // namespace foray

// The kernels of a rank's part of a search on its GPU. See search.cuh.
#include "internal/cluster/engine/search_args.cuh"

using namespace foray;

extern "C" __global__ void __launch_bounds__(kBlock) cluster_heads(HeadsArgs a) {
  for (u32 v = blockIdx.x * kBlock + threadIdx.x; v < a.words * 32; v += gridDim.x * kBlock) {
    u32 begin = 0, end = 0;
    if (v < a.n) {
      begin = a.off[v];
      end = a.off[v + 1];
    }
    a.first[v] = begin < end ? a.to[begin] : 0;
    const u32 none = __ballot_sync(kAll, begin == end);
    if (lane() == 0) a.none[v >> 5] = none;
  }
}

extern "C" __global__ void __launch_bounds__(kBlock) cluster_rows(const u32* x, const u32* y, u32* sum, u32 n) {
  for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) sum[i] = x[i] + y[i];
}

template <class T>
__device__ __forceinline__ void fill(T* at, u64 count, T value) {
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < count; i += u64(gridDim.x) * kBlock) at[i] = value;
}

// cluster_start readies the memory of a search, and the last block to be done marks the sources; each is its own
// parent.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_start(ClusterArgs a, StartArgs s) {
  __shared__ Stage stage;
  __shared__ bool last;
  fill(s.zeros, s.zero_count, uint4{0, 0, 0, 0});
  fill(s.known, s.known_count, uint4{0, 0, 0, 0});
  fill(s.parents, s.parent_count, kUnknown);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(s.ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  if (threadIdx.x == 0) {
    *s.ticket = 0;
    a.front->counts[kFrontNormals] = s.count[0] + s.alone;
    a.front->counts[kFrontDelegates] = s.count[1];
  }
  __syncthreads();
#pragma unroll 1
  for (u32 kind = 0; kind < 2; kind++) {
    Emitter<u32> out(a.queue(kind), kind ? a.next_delegates : a.next, stage);
    const u32* sources = kind ? s.delegates : s.normals;
    for (u32 base = 0; base < s.count[kind]; base += kBlock) {
      const u32 i = base + threadIdx.x;
      const bool have = i < s.count[kind];
      const u32 v = have ? sources[i] : 0;
      if (have) {
        u32 *seen = kind ? a.seen : a.normals(a.seen), *known = kind ? a.base : a.normals(a.base);
        atomicOr(seen + (v >> 5), 1u << (v & 31));
        atomicOr(known + (v >> 5), 1u << (v & 31));
        a.depths[kind][v] = a.depth;
        if (a.parents[kind]) a.parents[kind][v] = kind ? kIsDelegate | v : u64(a.rank) << 32 | v;
      }
      out.put(have, v);
      out.relieve();
    }
    out.flush();
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(kBlock) cluster_push(ClusterArgs a) {
  __shared__ ClusterShared sh;
  u64 edges = 0;
  if (a.push & (1 << kDD | 1 << kDN)) edges += push(a, 1, a.front_delegates, sh);
  if (a.push & (1 << kND | 1 << kNN)) edges += push(a, 0, a.front, sh);
  if (blockIdx.x == 0 && threadIdx.x == 0 && edges) atomicAdd(&a.next->visited, edges);
}

// cluster_pull pulls along some subgraphs in turn. A warp has the same words in all subgraphs that find vertices of
// one kind, so that no other warp writes to them.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_pull(PullsArgs a) {
  __shared__ PullShared<u32> sh;
  PullTally<u32> tally;
#pragma unroll 1
  for (u32 i = 0; i < a.count; i++) sweep(a.of[i], a.sinks[i], tally, sh.refill[warp()]);
  add_up(tally.visited, sh.totals, &a.slot->visited);
}

// cluster_pack makes the normal vertices that the level found here the next frontier, and a message of the
// delegates that it found and, if they are few, of the normal vertices of other ranks.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_pack(ClusterArgs a) {
  __shared__ Stage stage;
  __shared__ u64 totals[kWarps];
  Slot* h = a.next;
  {
    Emitter<u32> out(a.queue(0), h, stage);
    u32 *seen = a.normals(a.seen), *base = a.normals(a.base);
    const u64 found = settle(
        a, 0, out,
        [&](u32 w) {
          const u32 s = seen[w], x = s & ~base[w];
          if (x) base[w] = s;
          return x;
        },
        [&](bool is, u32 v) {
          // Lanes may read different numbers: the warp must continue or end as one, or the remaining lanes hang.
          if (!a.news || __any_sync(kAll, *(volatile u64*)(h->counts + kNews) > a.room[1])) return;  // there are too many
          const u32 some = __ballot_sync(kAll, is);
          u64 at = 0;
          if (lane() == 0) at = atomicAdd(h->counts + kNews, u64(__popc(some)));
          at = __shfl_sync(kAll, at, 0) + __popc(some & lanes_below());
          if (is && at < a.room[1]) a.brief[a.room[0] + at] = a.rank * a.stride + v;
        });
    add_up(found, totals, h->counts + kFoundNormals);
  }
  u64 degrees = 0;
  for (u32 first = (blockIdx.x * kWarps + warp()) * 32; first < a.words[1]; first += gridDim.x * kWarps * 32) {
    const u32 w = first + lane();
    u32 x = w < a.words[1] ? a.seen[w] & ~a.base[w] : 0;
    const u32 n = __popc(x), before = warp_inclusive(n) - n, all = warp_sum(n);
    if (all == 0) continue;
    u64 at = 0;
    if (lane() == 0) at = atomicAdd(h->counts + kFoundDelegates, u64(all));
    at = __shfl_sync(kAll, at, 0) + before;
    for (; x; x &= x - 1, at++) {
      const u32 v = w * 32 + __ffs(x) - 1;
      degrees += a.degrees[v];
      if (at < a.room[0]) a.brief[at] = v;
    }
  }
  add_up(degrees, totals, h->counts + kFoundDegrees);
  const u64* sent = a.sent();
  u64 all = 0, most = 0;
  for (u32 r = 0; r < a.ranks; r++) {
    all += sent[r];
    most = max(most, sent[r]);
  }
  if (all <= a.room[1] && most <= a.bin) {
    u32* to = a.brief + a.room[0];
    for (u32 r = 0; r < a.ranks; r++) {
      const u32 n = u32(sent[r]);
      for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) to[i] = a.bins[u64(r) * a.bin + i];
      to += n;
    }
  }
  // The frontier was expanded: its header is the next one, and its list of delegates becomes the next.
  if (blockIdx.x == 0) {
    for (u32 i = threadIdx.x; i < kHeader + a.ranks; i += kBlock) a.header(a.front)[i] = 0;
    for (u32 i = threadIdx.x; i < kHeader; i += kBlock) a.header(a.next_delegates)[i] = 0;
  }
}

extern "C" __global__ void __launch_bounds__(kBlock) cluster_tell(TellArgs a) { a.tell(); }

// cluster_take takes the short lists of messages, and lists of normal vertices.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_take(ClusterArgs a, TakeArgs t) {
  if (blockIdx.x == 0 && t.tell.to) t.tell.tell();
  if (t.early && !t.here(a)) return;
  __shared__ Stage stage;
  __shared__ u64 totals[kWarps];
  Emitter<u32> out(a.queue(0), a.next, stage);
  u64 found = 0;
  const u32 step = gridDim.x * kBlock;
  for (u32 r = 0; r < a.ranks; r++) {
    const u64* h = t.headers + u64(r) * t.pitch;
    const u32* brief = t.briefs + u64(r) * 2 * t.pitch;
    if (t.take & 8) {
      u64 n = t.take & 4 ? ((const Slot*)h)->counts[kNews] : 0;
      if (t.take & 2) {
        for (u32 k = 0; k < a.ranks; k++) n += h[kHeader + k];
      }
      for (u64 i = blockIdx.x * kBlock + threadIdx.x; i < n; i += step) {
        const u32 v = brief[a.room[0] + i];
        atomicOr(a.known + (v >> 5), 1u << (v & 31));
      }
    }
    if (r == a.rank) continue;
    if (t.take & 1) {
      const u32 n = u32(((const Slot*)h)->counts[kFoundDelegates]);
      for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < n; i += step) atomicOr(a.seen + (brief[i] >> 5), 1u << (brief[i] & 31));
    }
    const u32* list = nullptr;
    u64 n = 0;
    if (t.lists) {
      n = h[kHeader + a.rank];
      list = t.lists + u64(r) * a.bin;
    } else if (t.take & 2) {
      list = brief + a.room[0];
      for (u32 k = 0; k < a.rank; k++) list += h[kHeader + k];
      n = h[kHeader + a.rank];
    }
    for (u64 base = u64(blockIdx.x) * kBlock; base < n; base += step) {
      const u64 i = base + threadIdx.x;
      const u32 v = i < n ? list[i] - a.rank * a.stride : 0;
      const bool got = i < n && arrived(a, v);
      found += got;
      if (a.list) {
        out.put(got, v);
        out.relieve();
      }
    }
  }
  out.flush();
  add_up(found, totals, a.front->counts + kFrontNormals);
}

// cluster_take_words takes normal vertices as bitmaps.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_take_words(ClusterArgs a, TakeArgs t) {
  __shared__ Stage stage;
  __shared__ u64 totals[kWarps];
  Emitter<u32> out(a.queue(0), a.next, stage);
  u32 *seen = a.normals(a.seen), *base = a.normals(a.base);
  const u32 each = a.stride / 32;
  const u64 found = settle(
      a, 0, out,
      [&](u32 w) {
        u32 x = 0;
        for (u32 r = 0; r < a.ranks; r++) {
          if (r != a.rank) x |= t.bitmaps[u64(r) * each + w];
        }
        const u32 s = seen[w];
        x &= ~s;
        if (x) seen[w] = base[w] = s | x;
        return x;
      },
      [&](bool is, u32 v) {
        if (is && a.parents[0]) a.parents[0][v] = kUnknown;
      });
  add_up(found, totals, a.front->counts + kFrontNormals);
}

// cluster_unite makes delegates that any rank found part of the next frontier.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_unite(ClusterArgs a, TakeArgs t) {
  if (blockIdx.x == 0 && t.tell.to) t.tell.tell();
  if (t.early && !t.here(a)) return;
  __shared__ Stage stage;
  __shared__ u64 totals[kWarps];
  Emitter<u32> out(a.queue(1), a.next_delegates, stage);
  const u64 found = settle(
      a, 1, out,
      [&](u32 w) {
        u32 s = a.seen[w];
        const u32 before = a.base[w];
        if (t.united) {
          for (u32 r = 0; r < a.ranks; r++) s |= t.united[u64(r) * a.words[1] + w];
        }
        if (s != before) a.base[w] = a.seen[w] = s;
        return s & ~before;
      },
      [](bool, u32) {});
  add_up(found, totals, a.front->counts + kFrontDelegates);
  // Normal vertices that the level found here are of the next frontier too.
  if (blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(a.front->counts + kFrontNormals, t.headers ? t.headers[u64(a.rank) * t.pitch + 2 + kFoundNormals] : u64(0));
}

// cluster_list lists the vertices of a depth.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_list(ClusterArgs a) {
  __shared__ Stage stage;
  for (u32 kind = 0; kind < 2; kind++) {
    Emitter<u32> out(a.queue(kind), kind ? a.front_delegates : a.front, stage);
    const u32* bits = kind ? a.base : a.normals(a.base);
    for (u32 base = blockIdx.x * kWarps * 32; base < a.words[kind]; base += gridDim.x * kWarps * 32) {
      const u32 first = base + warp() * 32, w = first + lane();
      const u32 x = w < a.words[kind] ? bits[w] : 0;
      for (u32 some = __ballot_sync(kAll, x != 0); some; some &= some - 1) {
        const u32 src = __ffs(some) - 1, word = __shfl_sync(kAll, x, src), v = (first + src) * 32 + lane();
        out.put((word >> lane() & 1) && a.depths[kind][v] == a.depth, v);
      }
      out.relieve();
    }
    out.flush();
    __syncthreads();
  }
}

// cluster_missing counts the targets of the search that weren't visited.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_missing(ClusterArgs a, StartArgs t) {
  __shared__ u64 totals[kWarps];
  u64 missing = blockIdx.x == 0 && threadIdx.x == 0 ? t.alone : 0;
  for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < t.count[0]; i += gridDim.x * kBlock) missing += !has(a.normals(a.base), t.normals[i]);
  for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < t.count[1]; i += gridDim.x * kBlock) missing += !has(a.base, t.delegates[i]);
  add_up(missing, totals, a.next->counts + kMissing);
}

// cluster_finish writes depths for unreached vertices.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_finish(ClusterArgs a) {
  for (u32 kind = 0; kind < 2; kind++) {
    const u32* bits = kind ? a.base : a.normals(a.base);
    for (u32 v = blockIdx.x * kBlock + threadIdx.x; v < a.vertices[kind]; v += gridDim.x * kBlock) {
      if (!has(bits, v)) a.depths[kind][v] = -1;
    }
  }
}

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
        u32 *seen = kind ? a.seen : a.normals(a.seen), *after = kind ? a.after : a.normals(a.after);
        atomicOr(seen + (v >> 5), 1u << (v & 31));
        atomicOr(after + (v >> 5), 1u << (v & 31));
        if (a.parents[kind]) a.parents[kind][v] = kind ? kIsDelegate | v : u64(a.rank) << 32 | v;
      }
      out.put(have, v);
      out.relieve();
    }
    out.flush();
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(kBlock, 5) cluster_push(ClusterArgs a) {
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

// pack makes the normal vertices that the level found here the next frontier, and a message of the
// delegates that it found and, if they are few, of the normal vertices of other ranks.
template <class Message>
__device__ __forceinline__ void pack(const ClusterArgs& a, const Message& message, Stage& stage, u64* totals) {
  Slot* h = a.next;
  u32 *seen = a.normals(a.seen), *after = a.normals(a.after);
  const u32* base = a.normals(a.base);
  const bool lists = a.list || a.tells & kTellNews;
  u64 found = 0, degrees = 0;  // delegates in the low half
  if (lists) {
    Emitter<u32> out(a.queue(0), h, stage);
    Places places{h->counts + kNews, a.room[1]};
    found = settle(
        a, 0, out,
        [&](u32 w) {
          const u32 s = seen[w], x = s & ~base[w];
          after[w] = s;
          message.normals(w, s);
          return x;
        },
        [&](u32 mine) {
          if (a.tells & kTellNews) places.take(mine);
        },
        [&](u32 bits, bool is, u32 v) {
          if (a.tells & kTellNews) places.put(bits, is, [&](u64 i) { message.put(a.room[0] + i, a.rank * a.stride + v); });
        });
  } else {
    found = renew(base, after, a.words[0], [&](u32 i) {
      const uint4 s = ((const uint4*)seen)[i];
      message.normals(i, s);
      return s;
    });
  }
  found <<= 32;
  if (!a.list && !(a.tells & kTellDelegates)) {
    found += renew(a.base, a.after, a.words[1], [&](u32 i) {
      const uint4 s = ((const uint4*)a.seen)[i];
      message.delegates(i, s);
      return s;
    });
  } else {
    // A full list counts on, since ranks must know how many there are.
    for (u32 first = (blockIdx.x * kWarps + warp()) * 32; first < a.words[1]; first += gridDim.x * kWarps * 32) {
      const u32 w = first + lane();
      u32 x = 0;
      if (w < a.words[1]) {
        const u32 s = a.seen[w];
        x = s & ~a.base[w];
        message.delegates(w, s);
      }
      const u32 all = warp_sum(__popc(x));
      if (all == 0) continue;
      u64 at = 0;
      if (lane() == 0) at = atomicAdd(h->counts + kFoundDelegates, u64(all));
      at = __shfl_sync(kAll, at, 0);
      for (u32 some = __ballot_sync(kAll, x != 0); some; some &= some - 1) {
        const u32 src = __ffs(some) - 1, bits = __shfl_sync(kAll, x, src), v = (first + src) * 32 + lane();
        const u64 i = at + __popc(bits & lanes_below());
        if (bits >> lane() & 1) {
          degrees += a.degrees[v];
          if (i < a.room[0]) message.put(i, v);
        }
        at += __popc(bits);
      }
    }
    add_up(degrees, totals, h->counts + kFoundDegrees);
  }
  u64 total;
  __syncthreads();
  block_exclusive(found, totals, total);
  if (threadIdx.x == 0) {
    if (total >> 32) atomicAdd(h->counts + kFoundNormals, total >> 32);
    if (u32(total)) atomicAdd(h->counts + kFoundDelegates, total & 0xffffffff);
  }
  if (a.push >> kNN & 1) {
    const u64* sent = a.sent();
    u64 all = 0, most = 0;
    for (u32 r = 0; r < a.ranks; r++) {
      all += sent[r];
      most = max(most, sent[r]);
    }
    if (all <= a.room[1] && most <= a.bin) {
      u64 at = a.room[0];
      for (u32 r = 0; r < a.ranks; r++) {
        const u32 n = u32(sent[r]);
        for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) message.put(at + i, a.bins[u64(r) * a.bin + i]);
        at += n;
      }
    }
  }
  // The frontier was expanded: its header is the next one, and its list of delegates becomes the next.
  if (blockIdx.x == 0) {
    for (u32 i = threadIdx.x; i < kHeader + a.ranks; i += kBlock) a.header(a.front)[i] = 0;
    for (u32 i = threadIdx.x; i < kHeader; i += kBlock) a.header(a.next_delegates)[i] = 0;
  }
}

extern "C" __global__ void __launch_bounds__(kBlock) cluster_pack(ClusterArgs a) {
  __shared__ Stage stage;
  __shared__ u64 totals[kWarps];
  pack(a, Kept{a}, stage, totals);
}

// cluster_post packs, and exchanges the messages with all ranks.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_post(ClusterArgs a, SendArgs x) {
  __shared__ Stage stage;
  __shared__ u64 totals[kWarps];
  __shared__ DeliverShared sh;
  pack(a, Posted{a, x}, stage, totals);
  deliver(a, x, sh);
}

// cluster_send exchanges headers or bitmaps as they are.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_send(ClusterArgs a, SendArgs x) {
  __shared__ DeliverShared sh;
  const Posted to{a, x};
  const u32 *normals = a.normals(a.base), step = gridDim.x * kBlock;
  if (x.what & 2) {
    for (u32 w = blockIdx.x * kBlock + threadIdx.x; w < a.words[0]; w += step) to.normals(w, normals[w]);
  }
  if (x.what & 1) {
    for (u32 w = blockIdx.x * kBlock + threadIdx.x; w < a.words[1]; w += step) to.delegates(w, a.seen[w]);
  }
  deliver(a, x, sh);
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
  u32 *seen = a.normals(a.seen), *after = a.normals(a.after);
  const u32 each = a.stride / 32;
  const u64 found = settle(
      a, 0, out,
      [&](u32 w) {
        const u32 s = seen[w];
        u32 x = s;
#pragma unroll 1
        for (u32 r = 0; r < a.ranks; r++) {
          if (r != a.rank) x |= t.bitmaps[u64(r) * each + w];
        }
        if (x != s) seen[w] = after[w] = x;
        return x & ~s;
      },
      [](u32) {},
      [&](u32, bool is, u32 v) {
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
  u64 found = 0;
  if (a.list) {
    Emitter<u32> out(a.queue(1), a.next_delegates, stage);
    found = settle(
        a, 1, out,
        [&](u32 w) {
          u32 s = a.seen[w];
#pragma unroll 1
          for (u32 r = 0; t.united && r < a.ranks; r++) {
            if (r != a.rank) s |= t.united[u64(r) * a.words[1] + w];  // seen has the own one
          }
          a.after[w] = a.seen[w] = s;
          return s & ~a.base[w];
        },
        [](u32) {}, [](u32, bool, u32) {});
  } else {
    found = renew(a.base, a.after, a.words[1], [&](u32 i) {
      uint4 s = ((const uint4*)a.seen)[i];
      for (u32 r = 0; t.united && r < a.ranks; r++) {
        if (r != a.rank) s = both(s, ((const uint4*)(t.united + u64(r) * a.words[1]))[i]);
      }
      ((uint4*)a.seen)[i] = s;
      return s;
    });
  }
  add_up(found, totals, a.front->counts + kFrontDelegates);
  // Normal vertices that the level found here are of the next frontier too.
  if (blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(a.front->counts + kFrontNormals, t.headers ? t.headers[u64(a.rank) * t.pitch + 2 + kFoundNormals] : u64(0));
}

// cluster_list lists the vertices of the level's frontier. before is base of the level before.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_list(ClusterArgs a, const u32* before) {
  __shared__ Stage stage;
  for (u32 kind = 0; kind < 2; kind++) {
    Emitter<u32> out(a.queue(kind), kind ? a.front_delegates : a.front, stage);
    const u32 *bits = kind ? a.base : a.normals(a.base), *old = kind ? before : a.normals(before);
    for (u32 base = blockIdx.x * kWarps * 32; base < a.words[kind]; base += gridDim.x * kWarps * 32) {
      const u32 first = base + warp() * 32, w = first + lane();
      const u32 x = w < a.words[kind] ? bits[w] & ~old[w] : 0;
      for (u32 some = __ballot_sync(kAll, x != 0); some; some &= some - 1) {
        const u32 src = __ffs(some) - 1, word = __shfl_sync(kAll, x, src), v = (first + src) * 32 + lane();
        out.put(word >> lane() & 1, v);
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

// cluster_label writes depths. A vertex has a bit in the bitmaps of all levels from its depth on: a thread counts, for four
// vertices, the bitmaps without.
extern "C" __global__ void __launch_bounds__(kBlock) cluster_label(ClusterArgs a, LabelArgs l) {
#pragma unroll 1
  for (u32 kind = 0; kind < 2; kind++) {
    const u32* first = kind ? l.first : a.normals(l.first);
    for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < (a.vertices[kind] + 3) / 4; i += gridDim.x * kBlock) {
      const u32 w = i / 8, shift = i % 8 * 4;
      i32 d[4] = {l.depth, l.depth, l.depth, l.depth};
      u32 bits = 0, had = 0;
      for (u32 k = 0; k < l.count; k++) {
        bits = (first - u64(k) * l.each)[w] >> shift;
        if (k + 1 == l.labeled) had = bits;
#pragma unroll
        for (u32 j = 0; j < 4; j++) d[j] += i32(~bits >> j & 1);
      }
#pragma unroll
      for (u32 j = 0; j < 4; j++) {
        if (!(bits >> j & 1)) d[j] = -1;
      }
      i32* to = a.depths[kind] + 4 * i;
      if (l.labeled == 0 && l.all) {
        *(int4*)to = int4{d[0], d[1], d[2], d[3]};
        continue;
      }
#pragma unroll
      for (u32 j = 0; j < 4; j++) {
        const bool writes = (bits >> j & 1) ? !(had >> j & 1) : l.all != 0;
        if (writes && 4 * i + j < a.vertices[kind]) to[j] = d[j];
      }
    }
  }
}

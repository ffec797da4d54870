// This file holds the search as one kernel whose blocks stay until it ends. The
// levels are those of the host-driven loop, made of the same parts: a push by
// merge path, a pull over bitmaps. What differs is who decides (all blocks,
// alike, from what they learn at the barrier) and when depths are written.
//
// Bitmaps are cumulative: each is everything visited up to a level. A light push
// marks what it finds in the present bitmap, in written as well, and writes
// depths at once. A heavy push, which comes once and before a pull, marks the
// bitmap only. A pull makes a new bitmap out of the present one, without atomic
// operations: a neighbour that was visited at all was visited in the level
// before, else the vertex would have been found earlier. So of a vertex that
// isn't in written the depth follows from the first bitmap that has it, and all
// depths are written in one pass at the end, with those not reached.
#pragma once

#include <type_traits>

#include "algos/bfs/visitor.cuh"
#include "frontier/grid.cuh"
#include "frontier/ptx.cuh"
#include "operators/advance/merge.cuh"
#include "operators/advance/pull.cuh"

namespace foray {

// kPlanes is how many bitmaps there are. When they run out, the depths that
// they stand for are written.
constexpr u32 kPlanes = 15;

// FusedLevel is a note on a level for the host.
struct FusedLevel {
  u64 frontier;  // vertices expanded
  u64 edges;     // out of them, where known
  u64 began;     // by the device's clock, in ns
  u32 way;       // 0 light push, 1 pull, 2 heavy push
  u32 pad;
};

// Who goes on with a search.
constexpr u32 kNobody = 0;
constexpr u32 kWholeGrid = 1;
constexpr u32 kOneCluster = 2;

// FusedState is a search between two kernels, which stands before a level whose
// frontier is in a queue; the queue's length is in the grid's slot.
struct FusedState {
  u32 next;    // who goes on
  u32 level;   // of the frontier
  u32 levels;  // that have a vertex, as far as is known
  u32 k;
  u32 q;
  u32 marked;
  u64 visited;
  i32 depth_of[kPlanes + 1];
  u32 hubs[3];  // of deep.cuh
  u32 pad[5];
};

// A depth as a code is a byte: it stands for itself, kNoCode of gather.cuh for not
// reached. A search of more levels than there are codes for is run again without.

// FusedArgs is what fused takes.
template <class Offset>
struct FusedArgs {
  Csr<Offset> out;
  Csr<Offset> in;     // targets null: never pull
  const u32* first;   // for pulls, as PullArgs has them
  const u32* none;
  u32* planes;        // kPlanes bitmaps; the first is zero before and after
  u32* written;       // bitmap; zero before and after
  u32* items[2];      // queues
  Offset* prefix[2];
  GridState* grid;
  FusedState* state;
  i32* depths;        // or null
  u32* parents;       // or null
  u8* codes;          // null, or depths as codes (see kNoCode), and none in depths
  const u32* sources; // null: the only one is source
  const volatile u32* stop;  // in the host's memory: not 0 ends the search
  FusedLevel* levels;        // a note on each level that is expanded; or null
  Post post;
  u64 heavy;          // a push over more edges is heavy
  float even;         // mean degree of candidates
  u32 resume;         // not 0: the search is under way
  u32 enter;          // a frontier of fewer vertices is for one cluster; 0: none is
  u32 leave;          // one of more vertices is for the whole grid
  u32 sends;          // so is one that will send more, by its growth
  u32 candidates;     // vertices that a pull may find
  u32 words;          // of bitmaps that have a candidate
  u32 stride;         // words from one bitmap to the next
  u32 source;
  u32 count;
  u32 shift;
  u32 ones;
  u32 limit;          // the largest depth that is assigned
  u32 room;           // of levels
  u32 patience;       // at a barrier, in 2^20 ticks of a multiprocessor
  u32 bound;          // no vertex from here on is reached
  u32 alike;          // not 0: rows are about as long as a warp is wide, most of them
};

// Light is the functor of a light push.
struct Light {
  u32* seen;
  u32* written;
  i32* depths;   // or null
  u8* codes;     // or null
  u32* parents;  // or null
  i32 level;
  u32 skip;      // a source that may not be marked yet; or kNoVertex

  struct Shared {};
  __device__ __forceinline__ bool fresh(u32 t) const { return !has(seen, t) && t != skip; }
  __device__ __forceinline__ bool visit(Shared&, bool active, u32 source, u32 t, u64) const {
    if (t == skip) return false;
    const u32 bit = 1u << (t & 31);
    if (!active || atomicOr(seen + (t >> 5), bit) & bit) return false;
    atomicOr(written + (t >> 5), bit);
    if (codes) {
      codes[t] = u8(level);
    } else if (depths) {
      depths[t] = level;
    }
    if (parents) parents[t] = source;
    return true;
  }
};

// Heavy is the functor of a heavy push: nothing enters a queue. Any of the
// sources that find a vertex may be its parent.
struct Heavy : Silent {
  u32* seen;
  u32* parents;  // or null
  u32 skip;      // as of Light
  bool look;     // before an atomic operation: pays where many edges lead to few vertices

  using Shared = Light::Shared;
  // fresh: where nobody asks for parents, what was visited may be marked again.
  __device__ __forceinline__ bool fresh(u32 t) const { return (!parents && !look) || (!has(seen, t) && t != skip); }
  __device__ __forceinline__ bool visit(Shared&, bool active, u32 source, u32 t, u64) const {
    if (active) {
      if (parents && t != skip) parents[t] = source;
      atomicOr(seen + (t >> 5), 1u << (t & 31));
    }
    return false;
  }
};

// Labelled is the sink of a pull.
struct Labelled {
  u32* parents;  // or null
  __device__ __forceinline__ void found(u32 v, u32 parent) const {
    if (parents) parents[v] = parent;
  }
};

template <class Offset>
struct FusedShared {
  union {  // of a push, of a pull
    struct {
      Stage stage;
      MergeShared<Offset> merge;
    };
    RefillShared<Offset> refill[kWarps];
  };
  u64 totals[kWarps];
  u64 met;
  i32 depth_of[kPlanes + 1];  // of what a bitmap has that those before haven't
};

template <class Offset>
__device__ __forceinline__ void label_source(const FusedArgs<Offset>& a, u32 v) {
  if (a.codes) {
    a.codes[v] = 0;
  } else if (a.depths) {
    a.depths[v] = 0;
  }
}

// total adds up x over the block; thread 0 learns the sum.
__device__ __forceinline__ u64 total(u64 x, u64* totals) {
  u64 sum;
  __syncthreads();
  block_exclusive(x, totals, sum);
  return sum;
}

// expand writes what the bitmaps 0 to k stand for. At the end of the search it
// writes "not reached" as well and leaves everything zero for the next one;
// else it makes the last bitmap the first one, all of it written. It returns
// how many vertices this thread saw visited, and sets first where the first
// bitmap has more than what was written.
template <class Offset>
__device__ __forceinline__ u64 expand(const FusedArgs<Offset>& a, u32 k, bool last, const i32* depth_of, bool& first) {
  // Where there are codes, those of vertices that nothing leads to aren't read.
  const u32 n = a.out.n, words = ((a.codes && !a.parents ? a.bound : n) + 31) / 32, warps = gridDim.x * kWarps;
  u64 reached = 0;
  // The first bitmaps of the words to come are on their way while some are expanded.
  constexpr u32 kAhead = 8;
  u32 next_old = kAll, next[kAhead];
  auto load = [&](u32 base) {
    const u32 w = base + lane();
    if (w >= words) return;
    const u32 have = w < a.words ? k : 0;  // the last bitmap that has this word
    next_old = a.written[w];
#pragma unroll
    for (u32 j = 0; j < kAhead; j++) next[j] = a.planes[u64(min(j, have)) * a.stride + w];
  };
  u32 base = (blockIdx.x * kWarps + warp()) * 32;
  load(base);
#pragma unroll 1
  for (; base < words; base += warps * 32) {
    const u32 w = base + lane();
    u32 c0 = 0, c1 = 0, c2 = 0, c3 = 0, seen = 0, old = kAll;
    auto count = [&](u32 some) {
      seen = some;
      u32 carry = ~seen, t;  // one more that hasn't the vertex
      t = c0 & carry, c0 ^= carry, carry = t;
      t = c1 & carry, c1 ^= carry, carry = t;
      t = c2 & carry, c2 ^= carry, carry = t;
      c3 ^= carry;
    };
    if (w < words) {
      old = next_old;
      if (next[0] & ~old) first = true;
#pragma unroll
      for (u32 j = 0; j < kAhead; j++) {
        if (j <= k) count(next[j]);
      }
      const u32 have = w < a.words ? k : 0;
#pragma unroll 1
      for (u32 j = kAhead; j <= k; j++) count(a.planes[u64(min(j, have)) * a.stride + w]);
      reached += __popc(seen);
      a.planes[w] = last ? 0 : seen;
      a.written[w] = last ? 0 : seen;
    }
    load(base + warps * 32);
    const u32 skip = last ? old : old | ~seen;  // whose depths stay as they are
#pragma unroll 1
    for (u32 i = 0; i < 8; i++) {
      const u32 src = i * 4 + lane() / 8, at = lane() % 8 * 4;
      const u32 x0 = __shfl_sync(kAll, c0, src) >> at, x1 = __shfl_sync(kAll, c1, src) >> at;
      const u32 x2 = __shfl_sync(kAll, c2, src) >> at, x3 = __shfl_sync(kAll, c3, src) >> at;
      const u32 stay = __shfl_sync(kAll, skip, src) >> at & 15;
      const u32 lost = ~__shfl_sync(kAll, seen, src) >> at & 15;
      const u32 v = (base + src) * 32 + at;
      if (v < n && a.depths && stay != 15) {
        i32 d[4];
#pragma unroll
        for (u32 j = 0; j < 4; j++) {
          d[j] = depth_of[(x0 >> j & 1) | (x1 >> j & 1) << 1 | (x2 >> j & 1) << 2 | (x3 >> j & 1) << 3];
        }
        if (a.codes) {
          if (stay == 0) {
            *(u32*)(a.codes + v) = u32(u8(d[0])) | u32(u8(d[1])) << 8 | u32(u8(d[2])) << 16 | u32(u8(d[3])) << 24;
          } else {
#pragma unroll
            for (u32 j = 0; j < 4; j++) {
              if (!(stay >> j & 1)) a.codes[v + j] = u8(d[j]);
            }
          }
        } else if (stay == 0) {
          *(int4*)(a.depths + v) = make_int4(d[0], d[1], d[2], d[3]);
        } else {
#pragma unroll
          for (u32 j = 0; j < 4; j++) {
            if (!(stay >> j & 1)) a.depths[v + j] = d[j];
          }
        }
      }
      if (v < n && a.parents && last && lost) {
        if (lost == 15) {
          *(uint4*)(a.parents + v) = make_uint4(kNoVertex, kNoVertex, kNoVertex, kNoVertex);
        } else {
#pragma unroll
          for (u32 j = 0; j < 4; j++) {
            if (lost >> j & 1) a.parents[v + j] = kNoVertex;
          }
        }
      }
    }
  }
  return reached;
}

// list puts the vertices that are in one bitmap and not in another into a queue.
template <class Offset>
__device__ __forceinline__ void list_new(const u32* now, const u32* before, u32 words, Emitter<Offset>& out) {
  const u32 stride = gridDim.x * kWarps * 32;
  for (u32 base = (blockIdx.x * kWarps + warp()) * 32; base < words; base += stride) {
    const u32 w = base + lane(), fresh = w < words ? now[w] & ~before[w] : 0;
    u32 some = __ballot_sync(kAll, fresh != 0);
    while (some) {
      const u32 src = __ffs(some) - 1;
      some &= some - 1;
      out.put(__shfl_sync(kAll, fresh, src) >> lane() & 1, (base + src) * 32 + lane());
    }
  }
}

// How a search ended, in the slot's second counter.
constexpr u64 kEnded = 0;
constexpr u64 kLimited = 1;  // at the limit, with a frontier
constexpr u64 kStoppedBy = 2;
constexpr u64 kPaused = 3;   // one cluster goes on
constexpr u64 kNothing = 4;  // it had ended before
constexpr u64 kLate = 5;     // not all blocks ran at once

// kLookEvery is how often the host's wish to stop is looked for, in ticks of a
// multiprocessor, about half a millisecond: the look goes over the bus.
constexpr u64 kLookEvery = 1 << 20;

template <class Offset>
__device__ void fused(const FusedArgs<Offset>& a, FusedShared<Offset>& sh) {
  Grid grid(a.grid, u64(a.patience) << 20);
  u32 level = 0;          // of the frontier
  u32 k = 0;              // the present bitmap
  u32 q = 0;              // the queue that holds the frontier, if it is in one
  bool listed = true;     // it is
  bool marked = false;    // bitmap 0 has more than what was written
  bool again = false;     // the frontier is from a heavy push: pull
  u64 visited = a.count;  // as far as is known
  u64 found = 0;          // by the last pull
  u64 ended = kEnded;
  u32 levels = 0;
  u64 left_over = 0;  // the frontier at the limit
  const bool pulls = a.in.targets != nullptr;
  u64 looked = clock64();
  auto plane = [&](u32 i) { return a.planes + u64(i) * a.stride; };
  auto queue = [&](u32 i) { return Queue<Offset>{a.items[i], a.prefix[i], a.out.offsets, a.shift, 0}; };
  auto wish = [&]() -> u64 {  // what the first block brings to a barrier
    if (blockIdx.x != 0 || threadIdx.x != 0) return 0;
    const u64 now = clock64();
    if (now - looked < kLookEvery) return 0;
    looked = now;
    return *a.stop ? kStopped : 0;
  };
  auto note = [&](u32 direction, u64 frontier, u64 edges) {
    if (a.levels && blockIdx.x == 0 && threadIdx.x == 0 && level <= a.room) {
      a.levels[level - 1] = FusedLevel{frontier, edges, ptx::globaltimer(), direction, 0};
    }
  };

  if (grid.late) {  // before this block began
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      a.state->next = kNobody;
      a.post.slot->counts[1] = kLate;
    }
    report(a.post);
    return;
  }
  u64 met = 0, tail = 0;
  bool resumed = false;
  if (a.resume) {
    const volatile FusedState* s = a.state;
    if (s->next != kWholeGrid) {
      if (blockIdx.x == 0 && threadIdx.x == 0) a.post.slot->counts[1] = kNothing;
      report(a.post);
      return;
    }
    level = s->level, levels = s->levels, k = s->k, q = s->q, marked = s->marked, visited = s->visited;
    if (threadIdx.x <= kPlanes) sh.depth_of[threadIdx.x] = s->depth_of[threadIdx.x];
    tail = *(const volatile u64*)&grid.filled()->tail;
    resumed = true;
    // Nobody writes to the state before all have read it.
    met = grid.meet(wish(), &sh.met);
  } else if (a.count == 1 && a.enter == 0) {
    // All blocks know the only source and expand it at once.
    const u32 s = a.source;
    const u64 begin = a.out.offsets[s], end = a.out.offsets[s + 1];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      atomicOr(plane(0) + (s >> 5), 1u << (s & 31));
      atomicOr(a.written + (s >> 5), 1u << (s & 31));
      label_source(a, s);
      if (a.parents) a.parents[s] = s;
    }
    level = levels = 1;
    q = 1;
    Emitter<Offset> out(queue(1), grid.filling(), sh.stage);
    again = pulls && end - begin > a.heavy;
    note(again ? 2 : 0, 1, end - begin);
    auto row = [&](auto& f) {
      using F = typename std::remove_reference<decltype(f)>::type;
      typename Light::Shared nothing;
      Visit<Offset, F> body{a.out, f, nothing, out};
      const u64 all = u64(gridDim.x) * kBlock;
      for (u64 base = begin + u64(blockIdx.x) * kBlock; base < end; base += kAtOnce * all) {
        bool active[kAtOnce];
        u32 sources[kAtOnce];
        Offset at[kAtOnce];
#pragma unroll
        for (u32 j = 0; j < kAtOnce; j++) {
          const u64 e = base + j * all + threadIdx.x;
          active[j] = e < end;
          sources[j] = s;
          at[j] = Offset(e);
        }
        body.several(active, sources, at, 0);
        if (!kSilent<F>) out.relieve();
      }
    };
    if (again) {
      Heavy f{{}, plane(0), a.parents, s, false};
      row(f);
      visited += end - begin;
      marked = true;
      listed = false;
      if (threadIdx.x == 0) sh.depth_of[0] = 1;
    } else {
      Light f{plane(0), a.written, a.depths, a.codes, a.parents, 1, s};
      row(f);
      out.flush();
    }
  } else if (blockIdx.x == 0) {
    Emitter<Offset> out(queue(0), grid.filling(), sh.stage);
    for (u32 base = 0; base < a.count; base += kBlock) {
      const u32 i = base + threadIdx.x;
      const bool have = i < a.count;
      const u32 v = have ? (a.sources ? a.sources[i] : a.source) : 0;
      if (have) {
        atomicOr(plane(0) + (v >> 5), 1u << (v & 31));
        atomicOr(a.written + (v >> 5), 1u << (v & 31));
        label_source(a, v);
        if (a.parents) a.parents[v] = v;
      }
      out.put(have, v);
      out.relieve();
    }
    out.flush();
  }
  if (!a.resume) met = grid.meet(wish(), &sh.met);
  const u32 began = a.resume ? level : 0;
  typename Light::Shared none;

  while (!grid.late) {
    In<Offset> in{a.items[q], a.prefix[q], grid.filled(), 0, 0, a.shift};
    const bool just = resumed;
    if (listed) {
      if (resumed) {
        in.count = u32(tail >> a.shift);
        in.edges = tail & ((u64(1) << a.shift) - 1);
        resumed = false;
      } else {
        in = in.sized();
      }
      if (in.count == 0) break;
      if (level > began) visited += in.count;
    } else if (found == 0 && !again) {
      break;
    }
    levels = level + 1;
    if (met & kStopped) {
      ended = kStoppedBy;
      break;
    }
    if (level == a.limit) {
      ended = kLimited;
      left_over = listed ? in.count : again ? 0 : found;
      break;
    }
    // One level at least, where the cluster gave it over.
    const bool pause = listed && in.count < a.enter && !just;
    const bool small = listed && in.count <= kBlock && !pause;
    if (small) in.edges = list_rows(a.out, in.items, in.count, sh.merge, sh.totals);
    if (pause) {
      ended = kPaused;
      break;
    }
    const u64 left = a.candidates > visited ? a.candidates - visited : 0;
    bool pull = again;
    if (!pull && pulls) {
      // What is left may be out of reach, and few: a pull then costs next to
      // nothing.
      pull = listed ? in.edges > left : float(found) * a.even * 4 >= float(left) || left < a.candidates / 8;
    }
    level++;
    if (pull) {
      note(1, listed ? in.count : again ? 0 : found, 0);
      if (k + 1 == kPlanes) {  // no bitmap is left
        bool ignored = false;
        expand(a, k, false, sh.depth_of, ignored);
        grid.meet(0, &sh.met);
        k = 0;
      }
      PullArgs<Offset> p{a.in, nullptr, plane(k), plane(k), a.none, a.first, plane(k + 1), a.words, a.shift, a.ones, 1};
      Labelled sink{a.parents};
      NoTally<Offset> tally;
      const u32 fresh = sweep(p, sink, tally, sh.refill[warp()]);
      k++;
      if (threadIdx.x == 0) sh.depth_of[k] = i32(level);
      met = grid.meet(total(fresh, sh.totals) + wish(), &sh.met);
      found = met & (kStopped - 1);
      visited += found;
      listed = again = false;
      continue;
    }
    if (!listed) {  // from bitmap to queue
      Emitter<Offset> out(queue(q), grid.filling(), sh.stage);
      list_new(plane(k), plane(k - 1), a.words, out);
      out.flush();
      grid.meet(0, &sh.met);
      if (grid.late) break;  // the queue may not be whole
      in = In<Offset>{a.items[q], a.prefix[q], grid.filled(), 0, 0, a.shift}.sized();
      listed = true;
    }
    auto push = [&](auto& f, Emitter<Offset>& out) {
      using F = typename std::remove_reference<decltype(f)>::type;
      if (small) {
        push_listed(a.out, in.count, in.edges, f, out, none, sh.merge);
      } else if (a.alike && (kSilent<F> || in.edges < u64(gridDim.x) * kStage)) {
        push_alike(a.out, in, f, out, none);
      } else {
        push_merge(a.out, in, f, out, none, sh.merge);
      }
    };
    if (pulls && !marked && k == 0 && in.edges > a.heavy) {
      note(2, in.count, in.edges);
      Heavy f{{}, plane(0), a.parents, kNoVertex, a.alike == 0};
      Emitter<Offset> out(queue(q ^ 1), grid.filling(), sh.stage);
      push(f, out);
      marked = true;
      visited += in.edges < left ? in.edges : left;  // at most; few edges meet
      if (threadIdx.x == 0) sh.depth_of[0] = i32(level);
      met = grid.meet(wish(), &sh.met);
      listed = false;
      again = true;
      continue;
    }
    note(0, in.count, in.edges);
    Light f{plane(k), a.written, a.depths, a.codes, a.parents, i32(level), kNoVertex};
    Emitter<Offset> out(queue(q ^ 1), grid.filling(), sh.stage);
    push(f, out);
    out.flush();
    met = grid.meet(wish(), &sh.met);
    q ^= 1;
  }

  const bool first = blockIdx.x == 0 && threadIdx.x == 0;
  grid.leave();
  if (ended == kPaused && !grid.late) {
    if (first) {
      FusedState* s = a.state;
      s->next = kOneCluster;
      s->level = level, s->levels = levels, s->k = k, s->q = q, s->marked = marked, s->visited = visited;
      for (u32 i = 0; i <= kPlanes; i++) s->depth_of[i] = sh.depth_of[i];
      a.post.slot->counts[1] = ended;
    }
    report(a.post);
    return;
  }
  if (threadIdx.x == 0) sh.depth_of[k + 1] = -1;
  __syncthreads();
  const u64 before = a.levels ? ptx::globaltimer() : 0;
  const bool empty = again || (marked && levels == u32(sh.depth_of[0]) + 1);  // perhaps: the last push was heavy
  bool some = false;
  const u64 reached = total(expand(a, k, true, sh.depth_of, some), sh.totals);
  if (empty) {
    if (some) atomicAdd(&a.post.slot->counts[4], u64(1));
    if (blockIdx.x == 0 && threadIdx.x == 0) a.post.slot->counts[5] = 1;
  }
  if (threadIdx.x == 0) {
    atomicAdd(&a.post.slot->tail, reached);
    if (first) {
      a.state->next = kNobody;
      a.post.slot->counts[0] = levels;
      a.post.slot->counts[2] = before;
      a.post.slot->counts[3] = left_over;
      a.post.slot->counts[1] = grid.late ? kLate : ended;
    }
  }
  report(a.post);
}

}  // namespace foray

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
//
// Where degrees are alike and a frontier is small beside the candidates, most of what a
// pull probes isn't in it: some of the frontier is pushed beforehand, or all of it
// (ahead, functors.cuh), into a bitmap that the pull takes in. Warps remember the
// candidates that a pull left, where they are few; the next one looks at those alone.
#pragma once

#include <type_traits>

#include "algos/bfs/functors.cuh"
#include "algos/bfs/planes.cuh"
#include "frontier/grid.cuh"
#include "frontier/ptx.cuh"
#include "operators/advance/merge.cuh"
#include "operators/advance/pull.cuh"

namespace foray {

template <class Offset>
struct FusedShared {
  union {  // of a push, of a pull
    struct {
      Stage stage;
      MergeShared<Offset> merge;
    };
    RefillShared<Offset> refill[kWarps];
  };
  Rest rest[kWarps];
  u64 totals[kWarps];
  u64 met;
  bool filled;  // with "not reached", beyond the bound
  i32 depth_of[kPlanes + 1];  // of what a bitmap has that those before haven't
};

// label writes a vertex's depth and parent.
template <class Offset>
__device__ __forceinline__ void label(const FusedArgs<Offset>& a, u32 v, u32 depth, u32 parent) {
  if (a.codes) {
    a.codes[v] = u8(depth);
  } else if (a.depths) {
    a.depths[v] = i32(depth);
  }
  if (a.parents) a.parents[v] = parent;
}

// total adds up x over the block; thread 0 learns the sum.
__device__ __forceinline__ u64 total(u64 x, u64* totals) {
  u64 sum;
  __syncthreads();
  block_exclusive(x, totals, sum);
  return sum;
}

// How a search ended, in the slot's second counter.
constexpr u64 kEnded = 0;
constexpr u64 kLimited = 1;  // at the limit, with a frontier
constexpr u64 kStoppedBy = 2;
constexpr u64 kPaused = 3;   // one cluster goes on
constexpr u64 kNothing = 4;  // it had ended before
constexpr u64 kLate = 5;     // not all blocks ran at once

// kOpen is what a block brings to the barrier after a pull that left it candidates,
// beside how many vertices it found.
constexpr u64 kOpen = u64(1) << 33;

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
  float share = 0;        // of the candidates, in the frontier of a heavy push or a pull
  float unseen = 0;       // candidates that are left then
  bool rested = false;    // the warps' rests are those of the last pull
  u64 ended = kEnded;
  u32 levels = 0;
  u64 left_over = 0;  // the frontier at the limit
  const bool pulls = a.in.targets != nullptr;
  u64 looked = clock64();
  // spread notes what becomes of the candidates by a heavy push over so many edges.
  auto spread = [&](u64 edges, u64 left) {
    const float hit = 1 - __expf(-float(edges) / fmaxf(float(left), 1));
    share = float(left) * hit / float(a.candidates);
    unseen = float(left) * (1 - hit);
  };
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
  if (threadIdx.x == 0) sh.filled = false;
  u64 met = 0, tail = 0;
  bool resumed = false;
  bool hand = false;  // the frontier is in no queue: all know it
  if (a.resume) {
    const volatile FusedState* s = a.state;
    // All threads see the same: a block that gives up writes to it.
    if (__syncthreads_or(s->next != kWholeGrid)) {
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
    // All blocks know the only source, or its row, and expand that at once. They mark
    // what they know each for itself, so that none needs to wait for another.
    hand = true;
    level = a.straight;
    const u32 s = a.source, known = a.straight ? u32(a.end - a.begin) : 0;
    const bool first = blockIdx.x == 0;
    if (threadIdx.x == 0) {
      atomicOr(plane(0) + (s >> 5), 1u << (s & 31));
      if (first) {
        atomicOr(a.written + (s >> 5), 1u << (s & 31));
        label(a, s, 0, s);
      }
    }
    if (threadIdx.x < known) {
      const u32 v = a.out.targets[a.begin + threadIdx.x];
      atomicOr(plane(0) + (v >> 5), 1u << (v & 31));
      if (first) {
        atomicOr(a.written + (v >> 5), 1u << (v & 31));
        label(a, v, 1, s);
      }
    }
    __syncthreads();
    if (a.straight) note(0, 1, known);
  } else if (blockIdx.x == 0) {
    Emitter<Offset> out(queue(0), grid.filling(), sh.stage);
    for (u32 base = 0; base < a.count; base += kBlock) {
      const u32 i = base + threadIdx.x;
      const bool have = i < a.count;
      const u32 v = have ? (a.sources ? a.sources[i] : a.source) : 0;
      if (have) {
        atomicOr(plane(0) + (v >> 5), 1u << (v & 31));
        atomicOr(a.written + (v >> 5), 1u << (v & 31));
        label(a, v, 0, v);
      }
      out.put(have, v);
      out.relieve();
    }
    out.flush();
  }
  if (!a.resume && !hand) met = grid.meet(wish(), &sh.met);
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
      } else if (hand) {
        in.count = a.straight ? u32(a.end - a.begin) : 1;
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
    if (a.whole && !listed && !again && (met & (kStopped - kOpen)) == 0) {  // nobody is left
      level++;
      note(1, found, 0);
      break;
    }
    // One level at least, where the cluster gave it over.
    const bool pause = listed && in.count < a.enter && !just;
    const bool small = listed && in.count <= kBlock && !pause;
    if (small) {
      const bool have = threadIdx.x < in.count;
      u32 v = a.source;
      if (have && !hand) v = in.items[threadIdx.x];
      if (have && hand && a.straight) v = a.out.targets[a.begin + threadIdx.x];
      in.edges = list_rows(a.out, have, v, sh.merge, sh.totals);
      hand = false;
    }
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
      bool known = !listed;  // what the frontier is, from two bitmaps
      if (k + 1 == kPlanes) {  // none is left
        bool ignored = false;
        expand(a, k, false, sh.depth_of, ignored, false);
        grid.meet(0, &sh.met);
        k = 0;
        known = false;
      }
      PullArgs<Offset> p{a.in, nullptr, plane(k), plane(k), a.none, a.first, plane(k + 1), a.words, a.shift, a.ones, 1};
      Extras x;
      x.rest = &sh.rest[warp()];
      const u32 every = known && a.alike ? ahead(share, unseen, a.candidates, a.even, a.parents ? kPushedParent : kPushed) : 0;
      if (every) {
        Ahead f{{}, plane(k), a.pushed, a.parents};
        Emitter<Offset> out(queue(q ^ 1), grid.filling(), sh.stage);
        Visit<Offset, Ahead> body{a.out, f, none, out};
        walk_new(a.out, plane(k), k ? plane(k - 1) : a.written, a.stride, every, body);
        grid.meet(0, &sh.met);
        if (grid.late) break;
        x.pushed = a.pushed;
        x.rows = every > 1;
        rested = false;
      }
      Labelled sink{a.parents};
      NoTally<Offset> tally;
      const u32 fresh = rested && x.rest->n != Rest::kMany ? sweep_rest(p, sink, *x.rest) : sweep(p, sink, tally, sh.refill[warp()], x);
      rested = true;
      if (k == 0 && fills(a)) {
        fill_beyond(a);
        if (threadIdx.x == 0) sh.filled = true;
      }
      k++;
      if (threadIdx.x == 0) sh.depth_of[k] = i32(level);
      u64 sum = total(fresh + (lane() == 0 && x.rest->n != 0 ? kOpen : 0), sh.totals);
      if (sum >= kOpen) sum = sum % kOpen + kOpen;
      met = grid.meet(sum + wish(), &sh.met);
      found = met & (kOpen - 1);
      visited += found;
      share = float(found) / float(a.candidates);
      unseen = a.candidates > visited ? float(a.candidates - visited) : 0;
      listed = again = false;
      continue;
    }
    rested = false;
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
      Heavy f{{}, plane(0), a.parents, a.alike == 0};
      Emitter<Offset> out(queue(q ^ 1), grid.filling(), sh.stage);
      push(f, out);
      marked = true;
      spread(in.edges, left);
      visited += in.edges < left ? in.edges : left;  // at most; few edges meet
      if (threadIdx.x == 0) sh.depth_of[0] = i32(level);
      met = grid.meet(wish(), &sh.met);
      listed = false;
      again = true;
      continue;
    }
    note(0, in.count, in.edges);
    Light f{plane(k), a.written, a.depths, a.codes, a.parents, i32(level)};
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
  // Where blocks gave up, others may still be at work; the host clears what they leave.
  const u64 reached = grid.late ? 0 : total(expand(a, k, true, sh.depth_of, some, sh.filled), sh.totals);
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

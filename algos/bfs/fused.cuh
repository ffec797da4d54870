// This file holds the search as one kernel whose blocks stay until it ends. The
// levels have the same parts as in the host-driven loop: a push by
// merge path, a pull over bitmaps. The differences are who decides (all blocks,
// alike, from what they learn at the barrier) and when depths are written.
//
// Bitmaps are cumulative: each is everything visited up to a level. A push marks what it
// finds in the present bitmap, in written as well, and writes depths at once. Levels that
// a direction does (algos/dobfs/direction.cuh) mark bitmaps only. Of a vertex that isn't in
// written the depth follows from the first bitmap that has it, and all depths are written
// in one pass at the end, with those not reached.
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
  EngineShared engine;
  bool filled;  // with "not reached", beyond the bound
  bool local;   // the first pull found few of the candidates
  i32 depth_of[kPlanes + 1];  // depths of the vertices that a bitmap has and the earlier ones don't
};

// label writes a vertex's depth and parent. The cluster writes no codes.
template <bool kCodes = true, class Offset>
__device__ __forceinline__ void label(const FusedArgs<Offset>& a, u32 v, u32 depth, u32 parent) {
  if (kCodes && a.codes) {
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

// kOpen is what a block brings to the barrier after a pull that left it candidates,
// beside how many vertices it found.
constexpr u64 kOpen = u64(1) << 33;

// Pushes is the direction of a search that only pushes; algos/dobfs has one that pulls too.
// A direction is asked at each level, and may take it over.
struct Pushes {
  static constexpr bool kPulls = false;
};

// Search is the policy of the persistent engine that is a breadth-first search.
template <class Offset, class Direction>
struct Search {
  const FusedArgs<Offset>& a;
  FusedShared<Offset>& sh;
  u32 depth = 0;          // of the frontier
  u32 k = 0;              // the present bitmap
  u32 q = 0;              // the queue that holds the frontier, if it is in one
  bool listed = true;     // it is
  bool marked = false;    // bitmap 0 has more than what was written
  bool again = false;     // the frontier is from a heavy push: pull
  u64 visited;            // as far as is known
  u64 found = 0;          // by the last pull
  float share = 0;        // of the candidates, in the frontier of a heavy push or a pull
  float unseen = 0;       // candidates that are left then
  bool rested = false;    // the warps' rests are from the last pull
  u32 levels = 0;
  u64 left_over = 0;      // the frontier at the limit
  u64 tail = 0;           // of the frontier's slot, where the search is resumed
  bool resumed = false;
  bool all_know = false;  // the frontier is in no queue: all know it
  u32 began = 0;

  __device__ Search(const FusedArgs<Offset>& args, FusedShared<Offset>& shared) : a(args), sh(shared), visited(args.count) {
    if (threadIdx.x == 0) sh.filled = false;
    if constexpr (Direction::kPulls) {
      if (threadIdx.x == 0) sh.local = false;
    }
  }

  __device__ __forceinline__ u32* plane(u32 i) const { return a.planes + u64(i) * a.stride; }
  __device__ __forceinline__ Queue<Offset> queue(u32 i) const { return Queue<Offset>{a.items[i], a.prefix[i], a.out.offsets, a.shift, 0}; }
  __device__ __forceinline__ In<Offset> frontier(Engine& e) const { return In<Offset>{a.items[q], a.prefix[q], e.grid.filled(), 0, 0, a.shift}; }

  // targets_reached is called by whole blocks, after a barrier.
  __device__ __forceinline__ bool targets_reached() const {
    bool in = true;
    if (threadIdx.x < a.targets) {
      const u32 t = a.target[threadIdx.x];
      in = *(const volatile u32*)(plane(k) + (t >> 5)) >> (t & 31) & 1;
    }
    return __syncthreads_and(in);
  }

  __device__ __forceinline__ u32 owner() const { return ((const volatile FusedState*)a.state)->next; }

  __device__ __forceinline__ void resume(Engine& e) {
    const volatile FusedState* s = a.state;
    depth = s->level, levels = s->levels, k = s->k, q = s->q, marked = s->marked, visited = s->visited;
    if (threadIdx.x <= kPlanes) sh.depth_of[threadIdx.x] = s->depth_of[threadIdx.x];
    if constexpr (Direction::kPulls) {
      if (threadIdx.x == 0) sh.local = s->local;
    }
    tail = *(const volatile u64*)&e.grid.filled()->tail;
    resumed = true;
    began = depth;
  }

  __device__ __forceinline__ bool begin(Engine& e) {
    if (a.count == 1 && a.enter == 0) {
      // All blocks know the only source, or its row, and expand that at once. They mark
      // what they know each for itself, so that none needs to wait for another.
      all_know = true;
      depth = a.row_ready;
      const u32 s = a.source, known = a.row_ready ? u32(a.end - a.begin) : 0;
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
      if (a.row_ready) e.note(depth, 0, 1, known);
      return false;
    }
    if (blockIdx.x == 0) {
      Emitter<Offset> out(queue(0), e.grid.filling(), sh.stage);
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
    return true;
  }

  __device__ __forceinline__ u64 round(Engine& e) {
    In<Offset> in = frontier(e);
    const bool just = resumed;
    if (listed) {
      if (resumed) {
        in.count = u32(tail >> a.shift);
        in.edges = tail & ((u64(1) << a.shift) - 1);
        resumed = false;
      } else if (all_know) {
        in.count = a.row_ready ? u32(a.end - a.begin) : 1;
      } else {
        in = in.sized();
      }
      if (in.count == 0) return kEnded;
      if (depth > began) visited += in.count;
    } else if (found == 0 && !again) {
      return kEnded;
    }
    levels = depth + 1;
    if (e.stopped()) return kStoppedBy;
    if (depth == a.limit) {
      left_over = listed ? in.count : again ? 0 : found;
      return kLimited;
    }
    if (a.targets) {
      const bool there = targets_reached();
      // The barrier moves on to the next slot, where the resuming kernel looks for the frontier.
      if (e.first()) *(volatile u64*)&e.grid.filling()->tail = *(const volatile u64*)&e.grid.filled()->tail;
      e.sync();  // no block marks or clears before all have looked
      if (e.late()) return kEnded;
      if (there) {
        left_over = listed ? in.count : again ? 0 : found;
        return kLimited;
      }
    }
    if (Direction::kPulls && a.stop_at_component && !listed && !again && (e.met & (kStopped - kOpen)) == 0) {  // no candidate is left
      depth++;
      e.note(depth, 1, found, 0);
      return kEnded;
    }
    // One level at least, where the cluster gave it over.
    if (listed && in.count < a.enter && !just) return kPaused;
    const bool small = listed && in.count <= kBlock;
    if (small) {
      const bool have = threadIdx.x < in.count;
      u32 v = a.source;
      if (have && !all_know) v = in.items[threadIdx.x];
      if (have && all_know && a.row_ready) v = a.out.targets[a.begin + threadIdx.x];
      in.edges = list_rows(a.out, have, v, sh.merge, sh.totals);
      all_know = false;
    }
    bool pull = again;
    const u64 left = a.candidates > visited ? a.candidates - visited : 0;
    if constexpr (Direction::kPulls) pull = pull || Direction::pulls(*this, in, left);
    depth++;
    if constexpr (Direction::kPulls) {
      if (pull) return Direction::pull(*this, e, in);
      rested = false;
      if (!listed && !Direction::list(*this, e, in)) return kEnded;
    }
    typename Light::Shared none;
    auto push = [&](auto& f, Emitter<Offset>& out) {
      using F = typename std::remove_reference<decltype(f)>::type;
      if (small) {
        push_listed(a.out, in.count, in.edges, f, out, none, sh.merge);
      } else if (a.uniform_degree && (kSilent<F> || in.edges < u64(gridDim.x) * kStage)) {
        push_alike(a.out, in, f, out, none);
      } else {
        push_merge(a.out, in, f, out, none, sh.merge);
      }
    };
    if constexpr (Direction::kPulls) {
      if (Direction::heavy(*this, in)) return Direction::push(*this, e, in, left, push);
    }
    e.note(depth, 0, in.count, in.edges);
    Light f{plane(k), a.written, a.depths, a.codes, a.parents, i32(depth)};
    Emitter<Offset> out(queue(q ^ 1), e.grid.filling(), sh.stage);
    push(f, out);
    out.flush();
    e.meet();
    q ^= 1;
    return kGoOn;
  }

  __device__ __forceinline__ void end(Engine& e, u64 ended) {
    const Post& post = e.a.post;
    if (ended == kPaused) {
      if (!e.first()) return;
      FusedState* s = a.state;
      s->next = kOneCluster;
      s->level = depth, s->levels = levels, s->k = k, s->q = q, s->marked = marked, s->visited = visited;
      for (u32 i = 0; i <= kPlanes; i++) s->depth_of[i] = sh.depth_of[i];
      if constexpr (Direction::kPulls) s->local = sh.local;
      post.slot->counts[1] = ended;
      return;
    }
    if (threadIdx.x == 0) sh.depth_of[k + 1] = -1;
    __syncthreads();
    const u64 before = e.a.levels ? ptx::globaltimer() : 0;
    const bool empty = again || (marked && levels == u32(sh.depth_of[0]) + 1);  // perhaps: the last push was heavy
    bool some = false;
    // After blocks gave up others may still run; the host clears what they leave.
    const u64 reached = ended == kLate ? 0 : total(expand(a, k, true, sh.depth_of, some, sh.filled), sh.totals);
    if (empty) {
      if (some) atomicAdd(&post.slot->counts[4], u64(1));
      if (e.first()) post.slot->counts[5] = 1;
    }
    if (threadIdx.x == 0) {
      atomicAdd(&post.slot->tail, reached);
      if (e.first()) {
        a.state->next = kNobody;
        post.slot->counts[0] = levels;
        post.slot->counts[2] = before;
        post.slot->counts[3] = left_over;
        post.slot->counts[1] = ended;
      }
    }
  }

  // late is what becomes of the state where the blocks never began.
  __device__ __forceinline__ void late() { a.state->next = kNobody; }
};

template <class Direction, class Offset>
__device__ __forceinline__ void fused(const FusedArgs<Offset>& a, FusedShared<Offset>& sh) {
  Engine e(a.engine, sh.engine);
  Search<Offset, Direction> p(a, sh);
  persist(e, p);
}

}  // namespace foray

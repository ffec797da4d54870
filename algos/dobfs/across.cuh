// This file holds the search over several GPUs of one machine as one kernel on each, which
// stay until it ends. A vertex belongs to one GPU, which has its rows, labels it and pulls for it;
// all have a bitmap of all vertices that were visited, and a vertex's number there says whose it
// is. Compare Merrill, Garland, Grimshaw, PPoPP 2012, section 6, and Pan, Pearce, Owens, IPDPS 2018.
//
// All GPUs push a small frontier alike: each reads all of its rows, wherever they are, and
// marks all found vertices, so that nothing need be sent. A light push over more edges
// marks the vertices that it finds in its GPU's bitmap, and sends each to the inbox of the GPU that
// owns it; the owner claims it, labels it, and marks it in the bitmaps of all others. A heavy push
// only marks; then each GPU unites its own part of all bitmaps, and stores it to all. A pull probes
// a GPU's first bitmap, and stores the found vertices to the second bitmap of all GPUs, word by word.
// So there are two bitmaps, used in turn.
#pragma once

#include "algos/dobfs/across_args.cuh"

namespace foray {

// A heavy push takes less than a pull up to about kHeavyEdges edges for kHeavyLeft candidates that are left.
constexpr u64 kHeavyEdges = 5, kHeavyLeft = 3;

// Across is a search's view of a block.
template <class Offset>
struct Across {
  const AcrossArgs<Offset>& a;
  FusedShared<Offset>& sh;
  Peers peers;
  u32 depth = 0;       // of the frontier
  u32 k = 0;           // the present bitmap of the own vertices
  u32 c = 0;           // the present bitmap of all
  u32 q = 0;           // the queue that holds the frontier, if it is in one
  bool listed = true;  // it is
  bool marked = false; // a heavy push was
  bool again = false;  // the frontier is from one: pull
  bool rested = false; // the warps' rests are from the last pull
  bool dealt = false;  // there was a pull, whose chunks were dealt
  bool stale = true;   // the other bitmap of all isn't what it was before the present one
  u64 visited = 0, found = 0;  // by all GPUs
  u32 levels = 0;
  u64 left_over = 0;

  __device__ Across(const AcrossArgs<Offset>& args, AcrossShared<Offset>& shared) : a(args), sh(shared.own), peers(args.peers, shared.peers) {
    if (threadIdx.x == 0) sh.filled = false;
  }

  __device__ __forceinline__ const FusedArgs<Offset>& own() const { return a.own; }
  __device__ __forceinline__ u32* plane(u32 i) const { return a.own.planes + u64(i) * a.own.stride; }
  __device__ __forceinline__ u32* seen(u32 turn, u32 gpu) const { return a.seen[turn][gpu]; }
  __device__ __forceinline__ u32* seen() const { return a.seen[c][a.peers.me]; }
  __device__ __forceinline__ u32 base_word() const { return a.base >> 5; }
  __device__ __forceinline__ Queue<Offset> queue(u32 i) const { return Queue<Offset>{a.own.items[i], a.own.prefix[i], a.own.out.offsets, a.own.shift, 0}; }

  __device__ __forceinline__ void meet(u64 brought = 0) { peers.meet(brought, a.own.shift); }

  // note notes the level that begins: its frontier over all GPUs, by the first of them.
  __device__ __forceinline__ void note(u32 way, u64 count, u64 edges) const {
    const EngineArgs& e = a.own.engine;
    if (e.levels && peers.first() && depth <= e.room) e.levels[depth - 1] = LevelNote{count, edges, ptx::globaltimer(), way, 0};
  }

  __device__ __forceinline__ void begin() {
    depth = a.row ? 1 : 0;
    if (a.row) {
      levels = 1;
      visited = 1;
    }
    if (blockIdx.x != 0) return;
    Emitter<Offset> out(queue(0), peers.filling(), sh.stage);
    for (u32 base = 0; base < a.own.count; base += kBlock) {
      const u32 i = base + threadIdx.x;
      const bool have = i < a.own.count;
      const u32 s = have ? (a.own.sources ? a.own.sources[i] : a.own.source) : 0;
      if (have) start(s, s, 0);
      out.put(have && !a.row && s - a.base < a.stride, s);
      out.relieve();
    }
    if (a.row) row(out);
    out.flush();
  }

  // start marks a vertex of the first frontier, which all GPUs know. It reports whether it is new, and this one's own.
  __device__ __forceinline__ bool start(u32 t, u32 parent, u32 depth) const {
    const u32 v = t - a.base, bit = 1u << (t & 31);
    const bool got = !(atomicOr(seen() + (t >> 5), bit) & bit);
    if (!got || v >= a.stride) return false;
    atomicOr(plane(0) + (v >> 5), bit);
    atomicOr(a.own.written + (v >> 5), bit);
    label(a.own, v, depth, parent);
    return true;
  }

  // leap goes the first two levels at once, if they are short: every block knows the row of the only source, marks its
  // vertices, and pushes them, so that no block waits for another one, nor for a GPU whose kernel begins later. It leaves in
  // mine how many vertices of that row this thread has labeled.
  __device__ __forceinline__ bool leap(u32& mine) {
    const u32 s = a.own.source, owner = s / a.stride, i = threadIdx.x;
    const Offset* at = a.offsets[owner] + (s - owner * a.stride);
    const Offset first = at[0], size = at[1] - first;
    if (size == 0 || size > kBlock || a.own.limit < 2 || a.own.alpha > 0) return false;
    const u32* row = a.targets[owner] + first;
    const u32 t = i < size ? row[i] : s;
    const bool have = t != s && (i == 0 || row[i - 1] != t);
    Offset begin = 0, end = 0;
    if (have) {
      const u32 j = t / a.stride;
      begin = a.offsets[j][t - j * a.stride];
      end = a.offsets[j][t - j * a.stride + 1];
    }
    const u64 edges = list_row(t, begin, end, sh.merge, sh.totals);
    if (edges > a.alike) return false;
    const EngineArgs& e = a.own.engine;
    if (e.levels && peers.first()) e.levels[0] = LevelNote{1, size, ptx::globaltimer(), 0, 0};
    if (i == 0 && unmarked(s)) start(s, s, 0);
    __syncthreads();
    mine = have && unmarked(t) && start(t, s, 1);
    __syncthreads();  // the row is marked before anything else is found
    depth = levels = 2;
    if (e.levels && peers.first() && e.room > 1) e.levels[1] = LevelNote{0, edges, ptx::globaltimer(), 0, 0};
    Emitter<Offset> out(queue(q), peers.filling(), sh.stage);
    Alike<Offset> body{a, seen(), plane(k), depth, out};
    walk_rows(u32(size), edges, sh.merge, body, [&] { out.relieve(); });
    out.flush();
    return true;
  }

  __device__ __forceinline__ bool unmarked(u32 t) const { return !(*(const volatile u32*)(seen() + (t >> 5)) >> (t & 31) & 1); }

  // row makes the row of the only source the first frontier: every GPU reads it where it is.
  __device__ __forceinline__ void row(Emitter<Offset>& out) {
    const u32 s = a.own.source, owner = s / a.stride, v = s - owner * a.stride;
    __syncthreads();  // the source is marked
    const Offset begin = a.offsets[owner][v], end = a.offsets[owner][v + 1];
    const u32 size = u32(end - begin);
    for (u32 base = 0; base < size; base += kBlock) {
      const u32 i = base + threadIdx.x;
      const u32 t = i < size ? a.targets[owner][begin + i] : s;
      out.put(i < size && start(t, s, 1), t);
      out.relieve();
    }
    const EngineArgs& e = a.own.engine;
    if (e.levels && threadIdx.x == 0) e.levels[0] = LevelNote{1, size, ptx::globaltimer(), 0, 0};
  }

  __device__ __forceinline__ bool targets_reached() const {
    bool in = true;
    if (threadIdx.x < a.own.targets) {
      const u32 t = a.own.target[threadIdx.x];
      in = *(const volatile u32*)(seen() + (t >> 5)) >> (t & 31) & 1;
    }
    return __syncthreads_and(in);
  }

  __device__ __forceinline__ bool pulls(u64 edges, u64 left) const {
    const FusedArgs<Offset>& o = a.own;
    if (!o.in.targets) return false;
    if (listed && o.alpha > 0) return float(edges) * o.alpha > float(left) * o.mean_in_degree;
    if (!listed && o.beta > 0) return float(found) * o.beta >= float(a.stride) * float(a.peers.count);
    if (listed && heavily(edges) && kHeavyLeft * edges <= kHeavyEdges * left) return false;
    return listed ? edges > left : float(found) * o.mean_in_degree * 4 >= float(left) || left < a.candidates / 8;
  }

  // heavily reports whether a push of so many edges may be heavy.
  __device__ __forceinline__ bool heavily(u64 edges) const { return a.own.in.targets && !marked && k == 0 && edges > a.own.heavy; }

  // round is a level: kGoOn, or how the search ended. All blocks of all GPUs decide alike.
  __device__ __forceinline__ u64 round() {
    const PeersShared& told = peers.sh;
    u64 count = told.count, edges = told.edges;
    if (listed) {
      if (count == 0) return kEnded;
      visited += count;
    } else {
      count = found;
      edges = 0;
      if (found == 0) return kEnded;
    }
    levels = depth + 1;
    if (told.stopped) return kStoppedBy;
    if (depth == a.own.limit) {
      left_over = count;
      return kLimited;
    }
    if (a.own.targets) {
      const bool there = targets_reached();
      meet();  // no block marks before all have looked
      if (peers.late) return kEnded;
      if (there) {
        left_over = count;
        return kLimited;
      }
    }
    if (a.component && visited >= a.component) {  // all candidates are visited
      depth++;
      note(1, count, 0);
      return kEnded;
    }
    const u64 left = a.candidates > visited ? a.candidates - visited : 0;
    bool pull = again;
    if (!pull) pull = pulls(edges, left);
    depth++;
    if (pull) return pulled(count);
    rested = false;
    if (!listed) {
      list();
      meet();
      if (peers.late) return kEnded;
      edges = told.edges;
    }
    return pushed(count, edges);
  }

  // list makes a queue of the vertices that a pull found.
  __device__ __forceinline__ void list() {
    peers.turn();
    Emitter<Offset> out(queue(q), peers.filling(), sh.stage);
    const u32 *now = plane(k), *before = k ? plane(k - 1) : a.own.written;
    const u32 step = gridDim.x * kWarps * 32;
    for (u32 base = (blockIdx.x * kWarps + warp()) * 32; base < a.own.words; base += step) {
      const u32 w = base + lane(), fresh = w < a.own.words ? now[w] & ~before[w] : 0;
      for (u32 some = __ballot_sync(kAll, fresh != 0); some; some &= some - 1) {
        const u32 src = __ffs(some) - 1;
        out.put(__shfl_sync(kAll, fresh, src) >> lane() & 1, a.base + (base + src) * 32 + lane());
      }
    }
    out.flush();
    listed = true;
  }

  // expand_rows pushes this GPU's part of the frontier.
  template <class F>
  __device__ __forceinline__ void expand_rows(F& f, Emitter<Offset>& out) {
    In<Offset> in = In<Offset>{a.own.items[q], a.own.prefix[q], peers.filled(), 0, 0, a.own.shift}.sized();
    typename F::Shared none;
    if (in.count == 0) return;
    if (in.count <= kBlock) {
      const bool have = threadIdx.x < in.count;
      in.edges = list_rows(a.own.out, have, have ? in.items[threadIdx.x] : a.base, sh.merge, sh.totals);
      push_listed(a.own.out, in.count, in.edges, f, out, none, sh.merge);
    } else {
      push_merge(a.own.out, in, f, out, none, sh.merge);
    }
  }

  // Those of across_push.cuh.
  __device__ __forceinline__ u64 push_alike(u32 count, u64 edges);
  __device__ __forceinline__ void take(Sent<Offset>& f);
  __device__ __forceinline__ u64 heavy(u64 count, u64 edges);
  __device__ __forceinline__ void adopt();

  __device__ __forceinline__ u64 pushed(u64 count, u64 edges) {
    peers.turn();
    if (count <= a.room && edges <= a.alike) return push_alike(u32(count), edges);
    if (heavily(edges)) return heavy(count, edges);
    note(0, count, edges);
    Sent<Offset> f{a, seen(), plane(k), c, depth};
    Emitter<Offset> out(queue(q ^ 1), peers.filling(), sh.stage);
    expand_rows(f, out);
    out.flush();
    meet();
    if (peers.late) return kEnded;
    take(f);
    meet();
    q ^= 1;
    return kGoOn;
  }

  // pulled is a level in which the GPU's candidates look for a neighbor in the frontier.
  __device__ __forceinline__ u64 pulled(u64 count) {
    const FusedArgs<Offset>& o = a.own;
    note(1, count, 0);
    const u32 n = a.peers.count;
    bool all = stale;
    if (k + 1 == kPlanes) {
      bool ignored = false;
      expand(o, k, false, sh.depth_of, ignored, false);
      meet();
      if (peers.late) return kEnded;
      k = 0;
      all = true;
    }
    PullArgs<Offset> p{o.in, nullptr, seen(), plane(k), o.none, o.first, plane(k + 1), o.words, o.shift, o.ones, 1};
    Copied<Offset> x;
    x.rows = &sh.refill[warp()];
    x.rest = &sh.rest[warp()];
    for (u32 j = 0; j < n; j++) x.to[j] = seen(c ^ 1, (a.peers.me + j) % n) + base_word();
    x.before = k ? plane(k - 1) : o.written;
    x.count = n;
    x.all = all;
    x.next = a.next;
    x.grain = a.grain;
    const bool deals = a.grain && !dealt;  // later pulls have too little to do in each chunk
    x.deal = deals ? &peers.own->dealt : nullptr;
    Labelled sink{o.parents};
    NoTally<Offset> tally;
    const u32 fresh = rested && x.rest->n != Rest::kMany ? shared_out::sweep_rest(p, sink, *x.rest, x) : shared_out::sweep(p, sink, tally, sh.refill[warp()], x);
    rested = !deals;  // dealt chunks are other warps' in the next pull
    dealt = true;
    if (k == 0 && fills(o)) {
      fill_beyond(o);
      if (threadIdx.x == 0) sh.filled = true;
    }
    k++;
    if (threadIdx.x == 0) sh.depth_of[k] = i32(depth);
    meet(total(fresh, sh.totals));
    found = peers.sh.brought;
    visited += found;
    c ^= 1;
    stale = listed = again = false;
    return kGoOn;
  }

  __device__ __forceinline__ void end(u64 ended) {
    const FusedArgs<Offset>& o = a.own;
    const Post& post = o.engine.post;
    if (threadIdx.x == 0) sh.depth_of[k + 1] = -1;
    __syncthreads();
    const u64 before = o.engine.levels ? ptx::globaltimer() : 0;
    bool some = false;
    const bool late = peers.late;
    const u64 reached = late ? 0 : total(expand(o, k, true, sh.depth_of, some, sh.filled), sh.totals);
    // The first bitmap of all is zero for the next search: no other GPU stores to it any more.
    if (!late) {
      const u32 each = a.stride / 32;
      for (u32 j = 0; j < a.peers.count; j++) {
        u32* at = seen(0, a.peers.me) + u64(j) * each;
        for (u32 w = blockIdx.x * kBlock + threadIdx.x; w < a.words; w += gridDim.x * kBlock) at[w] = 0;
      }
    }
    if (threadIdx.x == 0) {
      atomicAdd(&post.slot->tail, reached);
      if (late) atomicAdd(&post.slot->counts[7], u64(1));
      if (peers.first()) {
        post.slot->counts[0] = levels;
        post.slot->counts[1] = ended;
        post.slot->counts[2] = before;
        post.slot->counts[3] = left_over;
      }
    }
  }
};

}  // namespace foray

#include "algos/dobfs/across_push.cuh"

namespace foray {

template <class Offset>
__device__ __forceinline__ void across(const AcrossArgs<Offset>& a, AcrossShared<Offset>& sh) {
  Across<Offset> s(a, sh);
  u32 mine = 0;
  const bool leaps = a.row && s.leap(mine);
  if (!leaps) s.begin();
  s.meet(total(mine, s.sh.totals));
  if (leaps) {
    s.visited = 1 + s.peers.sh.brought;
    if (s.visited == 1) s.levels = 1;  // the row has loops alone
    const EngineArgs& e = a.own.engine;
    if (e.levels && s.peers.first() && e.room > 1) e.levels[1].frontier = s.peers.sh.brought;
  }
  u64 ended = kEnded;
  while (!s.peers.late) {
    const u64 x = s.round();
    if (x == kGoOn) continue;
    ended = x;
    break;
  }
  s.peers.leave();
  if (s.peers.first()) s.peers.own->dealt = 0;
  s.end(ended);
  report(a.own.engine.post);
}

}  // namespace foray

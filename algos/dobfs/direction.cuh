// This file holds the direction of a search in one kernel: which levels are pushed and which
// are pulled, and how those go that algos/bfs hasn't (Beamer, Asanovic, Patterson, SC 2012).
//
// A heavy push, which comes once and before a pull, marks the present bitmap only. A pull
// makes a new bitmap out of the present one, without atomic operations: a neighbor that was
// visited at all was visited in the level before, else the vertex would have been found
// earlier.
//
// If degrees are uniform and a frontier is small compared with the candidates, most vertices that a
// pull probes aren't in it. Then a part of the frontier, or all of it, is pushed beforehand
// (prepush_share, functors.cuh), into a bitmap that the pull takes in. Warps remember the
// candidates that a pull left, if they are few; the next pull looks at those alone.
//
// On meshes of high degree, whose edges lead to near vertices, most candidates have no neighbor in the
// frontier and probe their whole row. The first pull shows it, if it finds less than an eighth of the
// candidates. The search pushes from then on, until the frontier has more edges than the candidates.
#pragma once

#include "algos/bfs/fused.cuh"
#include "algos/dobfs/functors.cuh"

namespace foray {

// kLongRows is the mean degree from which on a row is long: a pull of shorter ones costs little, whatever it finds.
constexpr float kLongRows = 12;

struct Optimising {
  static constexpr bool kPulls = true;

  // pulls reports whether a level is pulled.
  template <class S, class Offset>
  static __device__ __forceinline__ bool pulls(const S& s, const In<Offset>& in, u64 left) {
    const FusedArgs<Offset>& a = s.a;
    if (!a.in.targets) return false;
    // Beamer's rule, if alpha or beta is set.
    if (s.listed && a.alpha > 0) return float(in.edges) * a.alpha > float(left) * a.mean_in_degree;
    if (!s.listed && a.beta > 0) return float(s.found) * a.beta >= float(a.out.n);
    if (s.sh.local) return s.listed && float(in.edges) > float(left) * a.mean_in_degree;
    // The remaining candidates may be unreachable, and few: a pull then costs next to nothing.
    return s.listed ? in.edges > left : float(s.found) * a.mean_in_degree * 4 >= float(left) || left < a.candidates / 8;
  }

  // spread notes what becomes of the candidates by a heavy push over so many edges.
  template <class S>
  static __device__ __forceinline__ void spread(S& s, u64 edges, u64 left) {
    const float hit = 1 - __expf(-float(edges) / fmaxf(float(left), 1));
    s.share = float(left) * hit / float(s.a.candidates);
    s.unseen = float(left) * (1 - hit);
  }

  // list makes a queue of the vertices that a pull found; false: blocks gave up meanwhile.
  template <class S, class Offset>
  static __device__ __forceinline__ bool list(S& s, Engine& e, In<Offset>& in) {
    Emitter<Offset> out(s.queue(s.q), e.grid.filling(), s.sh.stage);
    list_new(s.plane(s.k), s.plane(s.k - 1), s.a.words, out);
    out.flush();
    e.sync();
    if (e.late()) return false;  // the queue may not be whole
    in = s.frontier(e).sized();
    s.listed = true;
    return true;
  }

  // heavy reports whether a push is heavy: nothing enters a queue, and a pull follows.
  template <class S, class Offset>
  static __device__ __forceinline__ bool heavy(const S& s, const In<Offset>& in) {
    return s.a.in.targets && !s.marked && !s.sh.local && s.k == 0 && in.edges > s.a.heavy;
  }

  // push is a heavy push; do_push is the search's way to share out edges.
  template <class S, class Offset, class Push>
  static __device__ __forceinline__ u64 push(S& s, Engine& e, const In<Offset>& in, u64 left, Push& do_push) {
    const FusedArgs<Offset>& a = s.a;
    e.note(s.depth, 2, in.count, in.edges);
    Heavy f{{}, s.plane(0), a.parents, a.uniform_degree == 0};
    Emitter<Offset> out(s.queue(s.q ^ 1), e.grid.filling(), s.sh.stage);
    do_push(f, out);
    s.marked = true;
    spread(s, in.edges, left);
    s.visited += in.edges < left ? in.edges : left;  // at most; few edges meet
    if (threadIdx.x == 0) s.sh.depth_of[0] = i32(s.depth);
    e.meet();
    s.listed = false;
    s.again = true;
    return kGoOn;
  }

  // recount counts the vertices that are visited, since a heavy push took edges for them. found was among them.
  template <class S>
  static __device__ __forceinline__ void recount(S& s, Engine& e) {
    const u64 met = e.met;
    u64 mine = 0;
    for (u32 w = blockIdx.x * kBlock + threadIdx.x; w < s.a.words; w += gridDim.x * kBlock) mine += __popc(s.plane(s.k)[w]);
    e.meet(total(mine, s.sh.totals));
    s.visited = (e.met & (kOpen - 1)) - s.found;
    e.met = met;
  }

  // pull is a level in which the candidates look for a neighbor in the frontier.
  template <class S, class Offset>
  static __device__ __forceinline__ u64 pull(S& s, Engine& e, const In<Offset>& in) {
    const FusedArgs<Offset>& a = s.a;
    e.note(s.depth, 1, s.listed ? in.count : s.again ? 0 : s.found, 0);
    typename Light::Shared none;
    bool known = !s.listed;  // what the frontier is, from two bitmaps
    if (s.k + 1 == kPlanes) {  // none is left
      bool ignored = false;
      expand(a, s.k, false, s.sh.depth_of, ignored, false);
      e.sync();
      s.k = 0;
      known = false;
    }
    PullArgs<Offset> p{a.in, nullptr, s.plane(s.k), s.plane(s.k), a.none, a.first, s.plane(s.k + 1), a.words, a.shift, a.ones, 1};
    Extras x;
    x.rest = &s.sh.rest[warp()];
    const u32 every = known && a.uniform_degree ? prepush_share(s.share, s.unseen, a.candidates, a.mean_in_degree, a.push_cost) : 0;
    if (every) {
      PrePush f{{}, s.plane(s.k), a.pushed, a.parents};
      Emitter<Offset> out(s.queue(s.q ^ 1), e.grid.filling(), s.sh.stage);
      Visit<Offset, PrePush> body{a.out, f, none, out};
      walk_new(a.out, s.plane(s.k), s.k ? s.plane(s.k - 1) : a.written, a.stride, every, body);
      e.sync();
      if (e.late()) return kEnded;
      x.pushed = a.pushed;
      x.rows = every > 1;
      s.rested = false;
    }
    Labelled sink{a.parents};
    NoTally<Offset> tally;
    const u32 fresh = s.rested && x.rest->n != Rest::kMany ? sweep_rest(p, sink, *x.rest) : sweep(p, sink, tally, s.sh.refill[warp()], x);
    s.rested = true;
    if (s.k == 0 && fills(a)) {
      fill_beyond(a);
      if (threadIdx.x == 0) s.sh.filled = true;
    }
    s.k++;
    if (threadIdx.x == 0) s.sh.depth_of[s.k] = i32(s.depth);
    u64 sum = total(fresh + (lane() == 0 && x.rest->n != 0 ? kOpen : 0), s.sh.totals);
    if (sum >= kOpen) sum = sum % kOpen + kOpen;
    e.meet(sum);
    s.found = e.met & (kOpen - 1);
    if (s.k == 1 && a.mean_in_degree >= kLongRows) {
      const u64 open = a.candidates > s.visited ? a.candidates - s.visited : 0;
      if (open > a.candidates / 8 && s.found < open / 8) {
        s.sh.local = true;  // all threads write it
        if (e.first()) e.a.post.slot->counts[7] = 1;  // for later searches
        recount(s, e);
      }
    }
    s.visited += s.found;
    s.share = float(s.found) / float(a.candidates);
    s.unseen = a.candidates > s.visited ? float(a.candidates - s.visited) : 0;
    s.listed = s.again = false;
    return kGoOn;
  }
};

}  // namespace foray

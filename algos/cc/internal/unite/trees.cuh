// This file finds components over several GPUs by trees of best neighbors. The parent of a vertex is its smallest
// neighbor, if that is smaller than the vertex. Every GPU has all parents, so it finds the tree of any vertex alone.
// Nearly all vertices are in the largest tree. The rows of the others alone are looked at: each GPU lists its vertices
// outside and their edges between trees, and all GPUs unite these trees alike, so that they meet twice in all, if no
// edge leads from tree to tree.
//
// Vertices have numbers over all GPUs (placed.Shards); names are the graph's vertices.
#pragma once

#include "frontier/peers.cuh"
#include "operators/advance/row.cuh"
#include "traverse/engine.cuh"

namespace foray {

constexpr u32 kDeep = 32;      // steps to a root that are taken at most: the host refuses trees with longer ways
constexpr u32 kShortRow = 8;   // edges of a row that one thread looks at; a warp looks at the rest
constexpr u64 kNoKey = ~u64(0);

// Forest is the trees, as one GPU knows them.
struct Forest {
  u32* parent;  // by number; the vertex itself at a root, kNoVertex of a vertex without neighbors
  u32 hub;      // a vertex of the largest tree
  u32 devices, me;
  u32 base, stride;  // of this GPU's own numbers
  u32 vertices;      // its own
  u32 pad;

  __device__ __forceinline__ u32 vertex(u32 number) const { return number % stride * devices + number / stride; }
  __device__ __forceinline__ u32 number(u32 v) const { return v % devices * stride + v / devices; }
  __device__ __forceinline__ u32 own(u32 i) const { return i * devices + me; }  // the vertex of an own number

  // top is the root of a vertex that has neighbors.
  __device__ __forceinline__ u32 top(u32 v) const {
    for (u32 k = 0; k < kDeep; k++) {
      const u32 next = parent[v];
      if (next == v) break;
      v = next;
    }
    return v;
  }

  // giant is the root of the largest tree.
  __device__ __forceinline__ u32 giant() const { return parent[hub] == kNoVertex ? hub : top(hub); }
};

// PlantArgs are for the trees' making.
struct PlantArgs {
  Forest f;
  const u32* first;         // of each own vertex, the number of its first neighbor
  const u32* none;          // a bit for each own vertex without neighbors
  const u32* ranks;         // of own vertices' ids; null: the vertices are the ranks
  u32* least[kMostPeers];   // of each GPU: the numbers of the vertices of the least ranks
  u32 ranked;               // so many
  u32 pad;
};

// plant stores the parents of own vertices.
__device__ __forceinline__ void plant(const PlantArgs& a) {
  const Forest& f = a.f;
  for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < f.stride; i += gridDim.x * kBlock) {
    u32 up = kNoVertex;
    if (i < f.vertices) {
      if (!(a.none[i >> 5] >> (i & 31) & 1)) {
        up = a.first[i];
        if (f.vertex(up) >= f.own(i)) up = f.base + i;
      }
      const u32 rank = a.ranks ? a.ranks[i] : f.own(i);
      if (rank < a.ranked) {
        for (u32 j = 0; j < f.devices; j++) a.least[j][rank] = f.base + i;
      }
    }
    f.parent[f.base + i] = up;
  }
}

// each_edge calls do for every edge of the rows of a warp's vertices, with lanes for several edges of a long row. Every
// lane of the warp calls it; rows of those without have are left out.
template <class Offset, class Do>
__device__ __forceinline__ void each_edge(const Csr<Offset>& g, bool have, u32 i, u32 root, const Do& act) {
  const Offset begin = have ? g.offsets[i] : 0, end = have ? g.offsets[i + 1] : 0;
  const bool is_long = end - begin > kShortRow;
  const u32 mine = is_long ? 0 : u32(end - begin);
  for (u32 k = 0; __any_sync(kAll, k < mine); k++) act(k < mine, k < mine ? g.targets[begin + k] : 0, root);
  for (u32 some = __ballot_sync(kAll, is_long); some; some &= some - 1) {
    const u32 src = __ffs(some) - 1;
    const Offset from = __shfl_sync(kAll, begin, src), to = __shfl_sync(kAll, end, src);
    const u32 of = __shfl_sync(kAll, root, src);
    for (Offset e = from; e < to; e += 32) {
      const bool in = e + lane() < to;
      act(in, in ? g.targets[e + lane()] : 0, of);
    }
  }
}

// crosses reports whether an edge from a tree outside leads to another one. One of the two edges between such trees
// does, and an edge to the largest tree.
__device__ __forceinline__ bool crosses(u32 root, u32 to, u32 giant) { return to != root && (to == giant || to < root); }

// CensusArgs are for a count of the vertices outside the largest tree, and of their edges.
template <class Offset>
struct CensusArgs {
  Forest f;
  Csr<Offset> g;  // rows of own vertices
  Post post;      // tail: vertices outside; counts: with long ways, edges between trees, the longest row
};

template <class Offset>
__device__ __forceinline__ void census(const CensusArgs<Offset>& a, u64* totals) {
  const Forest& f = a.f;
  const u32 giant = f.giant();
  u64 outside = 0, far = 0, edges = 0, longest = 0;
  for (u32 first = blockIdx.x * kBlock; first < f.vertices; first += gridDim.x * kBlock) {
    const u32 i = first + threadIdx.x;
    u32 root = giant;
    if (i < f.vertices && f.parent[f.base + i] != kNoVertex) {
      root = f.top(f.base + i);
      far += f.parent[root] != root;
    }
    const bool out = root != giant;
    if (out) {
      outside++;
      const u64 row = a.g.offsets[i + 1] - a.g.offsets[i];
      longest = row > longest ? row : longest;
    }
    if (__any_sync(kAll, out)) {
      each_edge(a.g, out, i, root, [&](bool in, u32 t, u32 of) { edges += in && crosses(of, f.top(t), giant); });
    }
  }
  Slot* slot = a.post.slot;
  add_up(outside, totals, &slot->tail);
  add_up(far, totals, &slot->counts[0]);
  add_up(edges, totals, &slot->counts[1]);
  if (longest) atomicMax(&slot->counts[2], longest);
  report(a.post);
}

// Tree is an entry of a table of the trees outside, by hash of the root.
struct Tree {
  u32 root;  // kNoVertex: no entry
  u32 up;    // another entry that it is united with; itself: none
  u64 best;  // the least key of its vertices
};

// NameArgs are for a run. A key is the rank of a vertex' id above its name.
template <class Offset>
struct NameArgs {
  EngineArgs engine;
  PeersArgs peers;
  Forest f;
  Csr<Offset> g;             // rows of own vertices
  const u32* ranks;          // as in PlantArgs
  const u32* least;          // this GPU's
  u32* names;                // of own vertices
  u64* outside[kMostPeers];  // of each GPU: keys of its vertices outside the largest tree
  u64* across[kMostPeers];   // of each GPU: roots that an edge of these vertices joins
  u64* minimum[kMostPeers];  // of each GPU: kNoKey before and after
  Tree* trees;
  u32 mask;                  // of so many entries and one more
  u32 ranked;                // entries of least
};

struct NameShared {
  PeersShared peers;
  u64 totals[kWarps];
  u64 key;
  u32 at;
};

// Naming is a block's view of a run.
template <class Offset>
struct Naming {
  const NameArgs<Offset>& a;
  const Forest f;
  NameShared& sh;
  Peers peers;
  u32 giant;     // the root of the largest tree
  u64 key;       // of the vertex of least rank in there
  u32 count = 0; // components whose name is this thread's vertex

  __device__ Naming(const NameArgs<Offset>& args, NameShared& shared) : a(args), f(args.f), sh(shared), peers(args.peers, shared.peers) {}

  __device__ __forceinline__ u32 threads() const { return gridDim.x * kBlock; }
  __device__ __forceinline__ u32 thread() const { return blockIdx.x * kBlock + threadIdx.x; }
  __device__ __forceinline__ u64 key_of(u32 i) const { return u64(a.ranks ? a.ranks[i] : f.own(i)) << 32 | f.own(i); }
  __device__ __forceinline__ bool in_giant(u32 v) const { return f.parent[v] != kNoVertex && f.top(v) == giant; }

  // put appends to a list. Every lane of the warp calls it.
  __device__ __forceinline__ void put(u64* list, bool keep, u64 x) const {
    const u32 some = __ballot_sync(kAll, keep);
    if (some == 0) return;
    u32 at = 0;
    if (lane() == 0) at = u32(atomicAdd(&peers.filling()->tail, u64(__popc(some))));
    at = __shfl_sync(kAll, at, 0);
    if (keep) list[at + __popc(some & lanes_below())] = x;
  }

  // find looks for the largest tree's vertex of least rank among those of the least ranks of all; every block does.
  __device__ __forceinline__ bool find() {
    for (u32 from = 0; from < a.ranked; from += kBlock) {
      if (threadIdx.x == 0) sh.at = kNoVertex;
      __syncthreads();
      const u32 rank = from + threadIdx.x;
      if (rank < a.ranked && in_giant(a.least[rank])) atomicMin(&sh.at, rank);
      __syncthreads();
      const u32 at = *(volatile u32*)&sh.at;
      __syncthreads();
      if (at != kNoVertex) {
        key = u64(at) << 32 | f.vertex(a.least[at]);
        return true;
      }
    }
    return false;
  }

  // search does so among all vertices. All GPUs meet.
  __device__ __forceinline__ void search() {
    u64 low = kNoKey;
    for (u32 i = thread(); i < f.vertices; i += threads()) {
      if (!in_giant(f.base + i)) continue;
      const u64 k = key_of(i);
      low = k < low ? k : low;
    }
    if (low != kNoKey) atomicMin(a.minimum[f.me], low);
    peers.meet(0, 0);
    if (peers.late) return;
    for (u32 j = 0; j < f.devices; j++) {
      const u64 k = *(const volatile u64*)a.minimum[j];
      key = k < key ? k : key;
    }
  }

  // name gives the vertices of the largest tree its name. With lists, those without neighbors get their own, and the
  // others are listed. Threads look at four vertices at once.
  template <bool kLists>
  __device__ __forceinline__ void name() {
    const uint4* parents = (const uint4*)(f.parent + f.base);
    const u32 quads = (f.vertices + 3) / 4, named = u32(key), step = threads();
    u32 q = thread();
    uint4 ahead = q < quads ? ptx::load_once(parents + q) : uint4{};
    for (u32 first = blockIdx.x * kBlock; first < quads; first += step, q += step) {
      const uint4 now = ahead;
      if (q + step < quads) ahead = ptx::load_once(parents + q + step);
      const u32 v[4] = {now.x, now.y, now.z, now.w};
      u32 up[4];
#pragma unroll
      for (u32 k = 0; k < 4; k++) up[k] = q >= quads || v[k] == kNoVertex ? giant : v[k];
      for (u32 hop = 1; hop < kDeep; hop++) {
        u32 next[4];
#pragma unroll
        for (u32 k = 0; k < 4; k++) next[k] = up[k] == giant ? giant : f.parent[up[k]];
        bool goes = false;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
          goes |= next[k] != up[k];
          up[k] = next[k];
        }
        if (!goes) break;
      }
      if (q < quads) {
        u32 x[4];
        bool all = true;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
          const bool none = v[k] == kNoVertex;
          x[k] = none ? f.own(4 * q + k) : named;
          if (kLists) count += none && 4 * q + k < f.vertices;
          all &= kLists || !none && up[k] == giant;
        }
        if (all) {
          *(uint4*)(a.names + 4 * q) = uint4{x[0], x[1], x[2], x[3]};  // there is room for a last one
        } else {
#pragma unroll
          for (u32 k = 0; k < 4; k++) {
            if (v[k] != kNoVertex && up[k] == giant) a.names[4 * q + k] = named;
          }
        }
      }
      if (kLists && __any_sync(kAll, (up[0] ^ giant) | (up[1] ^ giant) | (up[2] ^ giant) | (up[3] ^ giant))) {
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
          const bool out = up[k] != giant;
          put(a.outside[f.me], out, out ? key_of(4 * q + k) : 0);
        }
      }
    }
  }

  // slot returns the entry of a root, and makes it.
  __device__ __forceinline__ u32 slot(u32 root) const {
    for (u32 h = root * 0x9e3779b1u >> 7 & a.mask;; h = (h + 1) & a.mask) {
      u32 was = *(volatile u32*)&a.trees[h].root;
      if (was == kNoVertex) was = atomicCAS(&a.trees[h].root, kNoVertex, root);  // where all threads asked for one entry, this alone took 130 us
      if (was == kNoVertex || was == root) return h;
    }
  }

  // united returns the root of an entry.
  __device__ __forceinline__ u32 united(u32 s) const {
    for (;;) {
      const u32 up = *(volatile u32*)&a.trees[s].up;
      if (up == s) return s;
      s = up;
    }
  }

  __device__ __forceinline__ void unite(u32 x, u32 y) const {
    for (;;) {
      x = united(x), y = united(y);
      if (x == y) return;
      const u32 high = max(x, y);
      if (atomicCAS(&a.trees[high].up, high, min(x, y)) == high) return;
    }
  }

  __device__ __forceinline__ void clear() const {
    for (u32 s = thread(); s <= a.mask; s += threads()) a.trees[s] = Tree{kNoVertex, s, kNoKey};
  }

  // learn puts all GPUs' vertices outside into the table, and lists the edges between trees of this one's.
  __device__ __forceinline__ void learn(u32 mine) {
    for (u32 k = 0; k < f.devices; k++) {
      const u32 j = (f.me + k) % f.devices, n = peers.sh.count_of[j];
      for (u32 i = thread(); i < n; i += threads()) {
        const u64 x = *(const volatile u64*)(a.outside[j] + i);
        atomicMin(&a.trees[slot(f.top(f.number(u32(x))))].best, x);
      }
    }
    for (u32 from = blockIdx.x * kBlock; from < mine; from += threads()) {
      const u32 at = from + threadIdx.x;
      const bool have = at < mine;
      const u32 i = have ? u32(a.outside[f.me][at]) / f.devices : 0, root = have ? f.top(f.base + i) : 0;
      each_edge(a.g, have, i, root, [&](bool in, u32 t, u32 of) {
        const u32 to = in ? f.top(t) : 0;
        put(a.across[f.me], in && crosses(of, to, giant), u64(of) << 32 | to);
      });
    }
  }

  // join unites trees along the edges of all GPUs.
  __device__ __forceinline__ void join() {
    for (u32 j = 0; j < f.devices; j++) {
      const u32 n = peers.sh.count_of[j];
      for (u32 i = thread(); i < n; i += threads()) {
        const u64 x = *(const volatile u64*)(a.across[j] + i);
        const u32 to = slot(u32(x));
        if (u32(x) == giant) atomicMin(&a.trees[to].best, key);
        unite(slot(u32(x >> 32)), to);
      }
    }
  }

  // gather brings the keys of united trees together.
  __device__ __forceinline__ void gather() const {
    for (u32 s = thread(); s <= a.mask; s += threads()) {
      if (a.trees[s].root == kNoVertex) continue;
      const u32 of = united(s);
      if (of != s) atomicMin(&a.trees[of].best, a.trees[s].best);
    }
  }

  // settle names this GPU's vertices outside. all is the largest tree's entry, if it is united with others.
  __device__ __forceinline__ void settle(u32 mine, u32 all) {
    for (u32 at = thread(); at < mine; at += threads()) {
      const u32 v = u32(a.outside[f.me][at]), of = united(slot(f.top(f.number(v)))), named = u32(*(const volatile u64*)&a.trees[of].best);
      a.names[v / f.devices] = named;
      count += named == v && of != all;
    }
  }

  __device__ __forceinline__ void run() {
    const bool some = f.parent[f.hub] != kNoVertex;
    giant = f.giant();
    key = kNoKey;
    clear();
    if (some && !find()) {
      search();
      if (peers.late) return;
    }
    if (some && f.me == 0 && peers.first()) count++;
    name<true>();
    peers.meet(0, 0);
    if (peers.late) return;
    if (peers.first()) *a.minimum[f.me] = kNoKey;  // all GPUs have read it
    const u32 mine = peers.sh.count_of[f.me];
    if (peers.sh.count == 0) return;
    peers.turn();
    learn(mine);
    peers.meet(0, 0);
    if (peers.late) return;
    u32 all = kNoVertex;
    if (peers.sh.count > 0) {
      join();
      peers.meet(0, 0);
      if (peers.late) return;
      gather();
      peers.meet(0, 0);
      if (peers.late) return;
      all = united(slot(giant));
      const u64 now = *(const volatile u64*)&a.trees[all].best;
      if (now < key) {
        key = now;
        name<false>();
      }
    }
    settle(mine, all);
  }
};

template <class Offset>
__device__ __forceinline__ void name(const NameArgs<Offset>& a, NameShared& sh) {
  Naming<Offset> n(a, sh);
  if (!n.peers.late) n.run();
  Slot* slot = a.engine.post.slot;
  if (n.peers.late) {
    if (threadIdx.x == 0) atomicAdd(&slot->counts[7], u64(1));
  } else {
    add_up(n.count, sh.totals, &slot->tail);
  }
  n.peers.leave();
  report(a.engine.post);
}

}  // namespace foray

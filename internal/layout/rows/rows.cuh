// This file builds rows from edges: it counts entries, puts them into rows, sorts these, and removes
// duplicates (settle). Once the host has numbered the vertices, rows move to their places, with
// their targets renamed, and are sorted again (move).
#pragma once

#include "internal/layout/rows/key.cuh"
#include "internal/layout/rows/sort.cuh"

namespace foray {

// Rows of up to kWarpRow entries are sorted by a warp in registers, of up to kBlockRow by a block in
// shared memory, longer ones digit by digit.
template <class K>
constexpr u32 kWarpRow = sizeof(K) > 8 ? 128 : 256;
template <class K>
constexpr u32 kBlockRow = (32 << 10) / sizeof(K);
constexpr u32 kHugeRows = 32;  // times kBlockRow: longer ones come first, since others are done meanwhile

// The bits of RowsArgs::flags.
constexpr u32 kDirected = 1;        // an edge is an entry of its source's row alone
constexpr u32 kKeepSelfLoops = 2;
constexpr u32 kKeepDuplicates = 4;
constexpr u32 kAsTheyAre = 8;       // of move: rows stay in the order in which they are
constexpr u32 kEdgeIDs = 16;        // RowsArgs::weights are edge ids
constexpr u32 kMoves = 32;          // rows move to their places; without it they are settled

// Counters of the slot, which each kernel has to itself.
constexpr u32 kSelfLoops = 0;  // that were dropped
constexpr u32 kBlockRows = 1;  // how many there are
constexpr u32 kDigitRows = 2;
constexpr u32 kRowTicket = 3;  // of the list at work
constexpr u32 kHuge = 4;       // of those that kDigitRows doesn't count

// RowsArgs are the arguments of all kernels. Vertex numbers are those before the host has numbered the vertices.
struct RowsArgs {
  const u64* pairs;    // source << 32 | target, less base
  const u32* weights;  // of them, or their edge ids of 32 bits; or null
  const u64* wide;     // their edge ids of 64 bits; or null
  u64 count;           // of them
  u32* ends;           // of each number: entries of its row that aren't placed yet
  u32* seen;           // a bit for each number that an edge has; or null
  const u64* starts;   // where rows begin, and the last one ends
  void* entries;       // of the rows: keys
  u32* lengths;        // of the rows, once they are settled
  void* spare;         // keys, as many as the rows at work have that are sorted digit by digit
  const u64* spots;    // where in spare each of those rows has its part
  const u32* place;    // of move: the vertex of a number; null: the number itself
  const u64* offsets;  // where the rows of vertices begin
  u32* targets;        // which they have
  u32* heavy;          // and their weights; or null
  u64* ids;            // and their edge ids; or null
  u32* lists[2];       // numbers whose rows a block sorts, in shared memory or digit by digit: the huge
                       // ones at the beginning, the others from its end on
  u32* longs;          // how long the rows of the second list are
  const u64* back;     // of reverse: where the rows of the reverse begin
  void* sources;       // keys, which they have; null: their entries are counted
  u32* first;          // of vertices, for pulls (graph.Prepared)
  u32* none;           // a bit for each
  Post post;
  u32 space;           // numbers
  u32 base;
  u32 flags;
  u32 bits;            // of the largest target
  u32 listed;          // rows in the list at work
  u32 vertices;
  u32 huge;            // of them
  u32 room;            // of the second list
  u32 begin;           // of move: the number of the first row at work
  u32 skip;            // rows of the list at work that come before
  u32 warp_row;        // kWarpRow and kBlockRow of the keys
  u32 block_row;
};

// Kernels settle rows, move them, or do what RowsArgs::flags says.
enum Does { kSettles, kMovesOnly, kEither };

template <Does D>
__device__ __forceinline__ bool moves(const RowsArgs& a) {
  return D == kEither ? bool(a.flags & kMoves) : D == kMovesOnly;
}

struct Pair {
  u32 source, target;
  bool kept, both;  // it has an entry; and one in the row of its target, too
};

__device__ __forceinline__ Pair pair_of(const RowsArgs& a, u64 i) {
  const u64 x = a.pairs[i];
  Pair p{u32(x >> 32) - a.base, u32(x) - a.base, true, !(a.flags & kDirected)};
  if (p.source == p.target) {
    p.kept = a.flags & kKeepSelfLoops;
    p.both = false;
  }
  return p;
}

__device__ __forceinline__ void see(u32* seen, u32 v) {
  const u32 bit = 1u << (v & 31);
  if (!(*(const volatile u32*)(seen + (v >> 5)) & bit)) atomicOr(seen + (v >> 5), bit);  // most often it is there
}

// rows_count counts the entries of each row.
__device__ __forceinline__ void rows_count(const RowsArgs& a) {
  u32 loops = 0;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const Pair p = pair_of(a, i);
    if (a.seen) {
      see(a.seen, p.source);
      see(a.seen, p.target);
    }
    if (p.kept) atomicAdd(a.ends + p.source, 1u);
    if (p.kept && p.both) atomicAdd(a.ends + p.target, 1u);
    loops += !p.kept;
  }
  if (loops) atomicAdd(&a.post.slot->counts[kSelfLoops], u64(loops));
}

// rest_of returns the bits below the target in the key of an edge.
template <class K>
__device__ __forceinline__ K rest_of(const RowsArgs& a, u64 edge) {
  if constexpr (sizeof(K) > 8) {
    return K(a.weights ? weight_key(a.weights[edge]) : 0) << 64 | a.wide[edge];
  } else if constexpr (sizeof(K) > 4) {
    return a.flags & kEdgeIDs ? a.weights[edge] : weight_key(a.weights[edge]);
  } else {
    return 0;
  }
}

// rows_scatter puts the entries into their rows, from their ends, and leaves ends zero.
template <class K>
__device__ __forceinline__ void rows_scatter(const RowsArgs& a) {
  K* entries = (K*)a.entries;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const Pair p = pair_of(a, i);
    const K w = rest_of<K>(a, i);
    if (p.kept) entries[a.starts[p.source] + atomicAdd(a.ends + p.source, ~0u) - 1] = key_of<K>(p.target, w);
    if (p.kept && p.both) entries[a.starts[p.target] + atomicAdd(a.ends + p.target, ~0u) - 1] = key_of<K>(p.source, w);
  }
}

// Row is the row of a number on its way: to other keys, or to where it has its place.
template <class K>
struct Row {
  K* from;
  K* to;
  u32* targets;  // of a row that moves
  u32* heavy;
  u64* ids;
  u32 count;

  __device__ __forceinline__ void put(bool move, u32 at, K key) const {
    if (!move) {
      to[at] = key;
      return;
    }
    targets[at] = target_of(key);
    if constexpr (sizeof(K) > 8) {
      if (heavy) heavy[at] = weight_of(u32(key >> 64));
      ids[at] = u64(key);
    } else if constexpr (sizeof(K) > 4) {
      if (ids) {
        ids[at] = u32(key);
      } else {
        heavy[at] = weight_of(u32(key));
      }
    }
  }
};

template <Does D>
__device__ __forceinline__ u32 length_of(const RowsArgs& a, u64 i) {
  return moves<D>(a) ? a.lengths[i] : u32(a.starts[i + 1] - a.starts[i]);
}

template <Does D, class K>
__device__ __forceinline__ Row<K> row_of(const RowsArgs& a, u64 i) {
  K* from = (K*)a.entries + a.starts[i];
  const u32 count = length_of<D>(a, i);
  if (!moves<D>(a) || count == 0) return Row<K>{from, from, nullptr, nullptr, nullptr, count};  // a number that no vertex has has no place
  const u64 at = a.offsets[a.place ? a.place[a.begin + i] : a.begin + u32(i)];
  return Row<K>{from, from, a.targets + at, a.heavy ? a.heavy + at : nullptr, a.ids ? a.ids + at : nullptr, count};
}

// long_row is the k-th of the second list.
__device__ __forceinline__ u32 long_row(const RowsArgs& a, u64 k) {
  return a.lists[1][k < a.huge ? k : a.room - 1 - (k - a.huge)];
}

// rows_lists lists the rows that a warp doesn't sort.
__device__ __forceinline__ void rows_lists(const RowsArgs& a) {
  for (u64 base = (u64(blockIdx.x) * kWarps + warp()) * 32; base < a.space; base += u64(gridDim.x) * kWarps * 32) {
    const u64 i = base + lane();
    const u32 d = i < a.space ? length_of<kEither>(a, i) : 0;
#pragma unroll
    for (u32 kind = 0; kind < 3; kind++) {
      const bool in = kind == 0 ? d > a.warp_row && d <= a.block_row : d > a.block_row && (d > kHugeRows * a.block_row) == (kind == 2);
      const u32 mask = __ballot_sync(kAll, in);
      if (mask == 0) continue;
      u64 to = 0;
      if (lane() == 0) to = atomicAdd(&a.post.slot->counts[kind == 2 ? kHuge : kBlockRows + kind], u64(__popc(mask)));
      to = __shfl_sync(kAll, to, 0) + __popc(mask & lanes_below());
      if (kind == 1) to = a.room - 1 - to;
      if (in) a.lists[kind > 0][to] = u32(i);
      if (in && kind > 0) a.longs[to] = d;
    }
  }
}

// renamed is a key in a row of a vertex.
template <class K>
__device__ __forceinline__ K renamed(const RowsArgs& a, K key) {
  return a.place ? key_of(a.place[target_of(key)], key) : key;
}

// load_entries gives a warp the entries of a row from first on; past its end there is the largest key.
template <Does D, class K, u32 E>
__device__ __forceinline__ void load_entries(const RowsArgs& a, const Row<K>& r, u32 first, K (&x)[E]) {
#pragma unroll
  for (u32 e = 0; e < E; e++) {
    const u32 j = first + e * 32 + lane();
    x[e] = j < r.count ? r.from[j] : ~K(0);
  }
  if (moves<D>(a)) {
#pragma unroll
    for (u32 e = 0; e < E; e++) {
      if (first + e * 32 + lane() < r.count) x[e] = renamed(a, x[e]);
    }
  }
}

// sort_row sorts a row of up to 32 * E entries, and returns how many it has then.
template <Does D, u32 E, class K>
__device__ __forceinline__ u32 sort_row(const RowsArgs& a, const Row<K>& r) {
  const bool move = moves<D>(a);
  K x[E];
  load_entries<D>(a, r, 0, x);
  if (!move || !(a.flags & kAsTheyAre)) sort_runs(x, true);
  u32 kept = 0;
#pragma unroll
  for (u32 e = 0; e < E; e++) {
    u32 before = __shfl_up_sync(kAll, target_of(x[e]), 1);
    if (e > 0) {
      const u32 last = __shfl_sync(kAll, target_of(x[e > 0 ? e - 1 : 0]), 31);
      if (lane() == 0) before = last;
    }
    const u32 j = e * 32 + lane();
    const bool keep = j < r.count && (move || j == 0 || target_of(x[e]) != before || (a.flags & kKeepDuplicates));
    const u32 mask = __ballot_sync(kAll, keep);
    if (keep) r.put(move, kept + __popc(mask & lanes_below()), x[e]);
    kept += __popc(mask);
  }
  return kept;
}

// rows_warp sorts the short rows, each by a warp.
template <Does D, class K>
__device__ __forceinline__ void rows_warp(const RowsArgs& a) {
  for (u64 base = (u64(blockIdx.x) * kWarps + warp()) * 32; base < a.space; base += u64(gridDim.x) * kWarps * 32) {
    const u32 d = base + lane() < a.space ? length_of<D>(a, base + lane()) : 0;
    u32 rows = __ballot_sync(kAll, d != 0 && d <= kWarpRow<K>);
    u32 mine = 0;  // the length of the lane's own row
    while (rows) {
      const u32 src = __ffs(rows) - 1;
      rows &= rows - 1;
      const Row<K> r = row_of<D, K>(a, base + src);
      u32 kept;
      if (r.count <= 32) {
        kept = sort_row<D, 1>(a, r);
      } else if (sizeof(K) <= 8 && r.count <= 64) {
        kept = sort_row<D, sizeof(K) <= 8 ? 2 : 4>(a, r);
      } else if (r.count <= 128) {
        kept = sort_row<D, 4>(a, r);
      } else {
        kept = sort_row<D, kWarpRow<K> / 32>(a, r);
      }
      if (lane() == src) mine = kept;
    }
    if (!moves<D>(a) && base + lane() < a.space && d <= kWarpRow<K>) a.lengths[base + lane()] = mine;
  }
}

// rows_first writes what a pull probes of each row: its first target, or the vertex itself where it is
// empty, of which none has a bit. Words of none are of 64 bits; what lies past the last vertex is set.
__device__ __forceinline__ void rows_first(const RowsArgs& a) {
  const u64 words = (u64(a.vertices) + 63) / 64 * 2;
  for (u64 word = u64(blockIdx.x) * kWarps + warp(); word < words; word += u64(gridDim.x) * kWarps) {
    const u64 v = word * 32 + lane();
    const u64 at = v < a.vertices ? a.offsets[v] : 0;
    const bool empty = v >= a.vertices || at == a.offsets[v + 1];
    if (v < a.vertices) a.first[v] = empty ? u32(v) : a.targets[at];
    const u32 mask = __ballot_sync(kAll, empty);
    if (lane() == 0) a.none[word] = mask;
  }
}

}  // namespace foray

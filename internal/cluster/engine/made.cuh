// This file holds how GPUs make the parts of a generated graph: each makes all edges, some at a time, and keeps those
// that are its own. Package rows makes rows of them, which get the order and the numbers of searches where they are.
#pragma once

#include "frontier/bitmap.cuh"

namespace foray {

constexpr u32 kLists = 4;      // of pairs: of nd, dd, dn and nn, as the subgraphs are numbered
constexpr u32 kPairsEach = 4;  // pairs of a thread at a time
constexpr u32 kEntriesEach = 8;

// SplitArgs is of the kernels that go over edges: source << 32 | target.
struct SplitArgs {
  const u64* pairs;
  u64 count;
  u32* degrees;        // of this rank's vertices
  const u64* marks;    // of every 32 ids, which are delegates, and in the upper half how many there are before
  const u32* numbers;  // of delegates, as ids ascend
  u64* lists[kLists];  // of this rank's pairs; nn has its targets as owner * span + number there
  u64* counts;         // of these
  u32 ranks, rank;
  u32 span;            // vertices of a rank, at most
  u32 directed;
  u32 writes;          // 0: they are counted
  u32 pad;
};

// mixed spreads bits as mix of table.go does (the finalizer of SplitMix64).
__device__ __forceinline__ u64 mixed(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// Spot is where a vertex is, as homes.go has it: a delegate's number, or a normal vertex's owner and number there.
struct Spot {
  bool delegate;
  u32 owner, number;
};

__device__ __forceinline__ Spot home(const SplitArgs& a, u32 id) {
  const u32 row = id / a.ranks;
  u32 owner = id - row * a.ranks + u32(__umul64hi(mixed(row), u64(a.ranks)));
  if (owner >= a.ranks) owner -= a.ranks;
  return Spot{false, owner, row};
}

__device__ __forceinline__ Spot spot(const SplitArgs& a, u32 id) {
  const u64 word = a.marks[id >> 5];
  const u32 bits = u32(word), bit = 1u << (id & 31);
  if (bits & bit) return Spot{true, 0, a.numbers[u32(word >> 32) + __popc(bits & (bit - 1))]};
  return home(a, id);
}

__device__ __forceinline__ void count_degrees(const SplitArgs& a) {
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const u32 u = u32(a.pairs[i] >> 32), v = u32(a.pairs[i]);
    if (u == v) continue;
    const Spot x = home(a, u);
    if (x.owner == a.rank) atomicAdd(a.degrees + x.number, 1u);
    if (a.directed) continue;
    const Spot y = home(a, v);
    if (y.owner == a.rank) atomicAdd(a.degrees + y.number, 1u);
  }
}

struct SplitShared {
  u32 counts[kLists];
  u64 begins[kLists];
};

// Own is what of an edge belongs to this rank: a pair of a list, and one of nn.
struct Own {
  u32 list;  // kLists: none
  u64 pair;
  bool far;
  u64 other;
};

__device__ __forceinline__ Own own(const SplitArgs& a, u64 edge) {
  Own o{kLists, 0, false, 0};
  const u32 u = u32(edge >> 32), v = u32(edge);
  if (u == v) return o;
  const Spot x = spot(a, u), y = spot(a, v);
  u32 owner = x.owner;
  if (x.delegate && y.delegate) {
    o.list = 1;
    o.pair = u64(x.number) << 32 | y.number;
    const u64 key = u64(min(x.number, y.number)) << 32 | max(x.number, y.number);
    owner = u32(__umul64hi(mixed(key), u64(a.ranks)));
  } else if (y.delegate) {
    o.list = 0;
    o.pair = u64(x.number) << 32 | y.number;
  } else if (x.delegate) {
    owner = y.owner;
    o.list = a.directed ? 2 : 0;
    o.pair = a.directed ? u64(x.number) << 32 | y.number : u64(y.number) << 32 | x.number;
  } else {
    o.list = 3;
    o.pair = u64(x.number) << 32 | (y.owner * a.span + y.number);
    o.far = !a.directed && y.owner == a.rank;
    o.other = u64(y.number) << 32 | (x.owner * a.span + x.number);
  }
  if (owner != a.rank) o.list = kLists;
  return o;
}

// place_in gives lanes their places in a block's share of a list.
__device__ __forceinline__ u32 place_in(u32* count, bool is) {
  const u32 mask = __ballot_sync(kAll, is);
  if (mask == 0) return 0;
  u32 at = 0;
  if (lane() == 0) at = atomicAdd(count, u32(__popc(mask)));
  return __shfl_sync(kAll, at, 0) + __popc(mask & lanes_below());
}

// split counts this rank's pairs, or writes them into its lists: a block takes room for those of a tile at once.
__device__ __forceinline__ void split(const SplitArgs& a, SplitShared& sh) {
  constexpr u64 kTile = u64(kPairsEach) * kBlock;
#pragma unroll 1
  for (u64 base = blockIdx.x * kTile; base < a.count; base += gridDim.x * kTile) {
    if (threadIdx.x < kLists) sh.counts[threadIdx.x] = 0;
    __syncthreads();
    Own mine[kPairsEach];
    u32 at[kPairsEach], far[kPairsEach];
#pragma unroll
    for (u32 k = 0; k < kPairsEach; k++) {
      const u64 i = base + k * kBlock + threadIdx.x;
      mine[k] = i < a.count ? own(a, a.pairs[i]) : Own{kLists, 0, false, 0};
      at[k] = 0;
#pragma unroll
      for (u32 l = 0; l < kLists; l++) {
        const u32 p = place_in(sh.counts + l, mine[k].list == l);
        if (mine[k].list == l) at[k] = p;
      }
      far[k] = place_in(sh.counts + 3, mine[k].far);
    }
    __syncthreads();
    if (threadIdx.x < kLists && sh.counts[threadIdx.x]) sh.begins[threadIdx.x] = atomicAdd(a.counts + threadIdx.x, u64(sh.counts[threadIdx.x]));
    __syncthreads();
    if (a.writes) {
#pragma unroll
      for (u32 k = 0; k < kPairsEach; k++) {
        const u32 l = mine[k].list;
        if (l < kLists) a.lists[l][sh.begins[l] + at[k]] = mine[k].pair;
        if (mine[k].far) a.lists[3][sh.begins[3] + far[k]] = mine[k].other;
      }
    }
    __syncthreads();
  }
}

// PackArgs: rows with gaps between them move to where they have none.
struct PackArgs {
  const u32* offsets;  // of n rows
  const u64* starts;   // where they are
  const u32* entries;
  u32* to;
  u64* pairs;          // of the reverse, entry << 32 | row; or null
  u32 n, pad;
};

// first_row is the last of n rows that begins at an entry or before.
__device__ __forceinline__ u32 first_row(const u32* offsets, u32 n, u64 entry) {
  u32 low = 0, high = n - 1;
  while (low < high) {
    const u32 mid = low + (high - low + 1) / 2;
    if (offsets[mid] <= entry) {
      low = mid;
    } else {
      high = mid - 1;
    }
  }
  return low;
}

// each_entry calls visit for the entries of n rows, as the whole grid: the entry and its row.
template <class Visit>
__device__ __forceinline__ void each_entry(const u32* offsets, u32 n, const Visit& visit) {
  const u64 count = offsets[n];
  for (u64 first = (u64(blockIdx.x) * kBlock + threadIdx.x) * kEntriesEach; first < count; first += u64(gridDim.x) * kBlock * kEntriesEach) {
    u32 row = first_row(offsets, n, first);
    for (u64 e = first; e < min(first + kEntriesEach, count); e++) {
      while (e >= offsets[row + 1]) row++;
      visit(e, row);
    }
  }
}

__device__ __forceinline__ void pack(const PackArgs& a) {
  each_entry(a.offsets, a.n, [&](u64 e, u32 row) {
    const u32 t = a.entries[a.starts[row] + (e - a.offsets[row])];
    a.to[e] = t;
    if (a.pairs) a.pairs[e] = u64(t) << 32 | row;
  });
}

constexpr u32 kNowhere = ~u32(0);  // the number of a row that searches leave out: it is empty

// OrderArgs: rows get another order.
struct OrderArgs {
  const u32* offsets;  // of n rows
  const u32* numbers;  // the row that each becomes, or kNowhere
  u32* lengths;        // of the rows in their new order
  const u32* places;   // where these begin
  const u32* from;     // entries
  u32* to;
  u32 n, pad;
};

__device__ __forceinline__ void lengths(const OrderArgs& a) {
  for (u32 v = blockIdx.x * kBlock + threadIdx.x; v < a.n; v += gridDim.x * kBlock) {
    if (a.numbers[v] != kNowhere) a.lengths[a.numbers[v]] = a.offsets[v + 1] - a.offsets[v];
  }
}

__device__ __forceinline__ void reorder(const OrderArgs& a) {
  each_entry(a.offsets, a.n, [&](u64 e, u32 row) { a.to[a.places[a.numbers[row]] + (e - a.offsets[row])] = a.from[e]; });
}

// RenumberArgs: targets from low on, span of them, get the numbers of a table, and base more.
struct RenumberArgs {
  u32* to;
  u64 count;
  const u32* table;
  u32 low, span, base, pad;
};

__device__ __forceinline__ void renumber(const RenumberArgs& a) {
  for (u64 e = u64(blockIdx.x) * kBlock + threadIdx.x; e < a.count; e += u64(gridDim.x) * kBlock) {
    const u32 t = a.to[e] - a.low;
    if (t < a.span) a.to[e] = a.base + a.table[t];
  }
}

}  // namespace foray

// This file holds a level of many searches at once, pulled: a vertex has words of 64 lanes, one for each
// search, and takes over the lanes that its in-neighbours have seen. Three kernels do it. The first
// looks at rows by threads and then by groups of lanes, and lists pieces of long rows that it leaves; the
// second looks at these by warps; the third makes what was found part of what was seen, and counts.
#pragma once

#include "operators/advance/row.cuh"

namespace foray {

constexpr u32 kMostWords = 8;  // of a vertex

// What a level leaves, in LanesArgs.results, which is zero before. Any lanes follow, and counts of each lane.
constexpr u32 kLaneEdges = 0;   // out of the vertices that were reached
constexpr u32 kLaneDone = 1;    // into those that have seen all lanes from now on
constexpr u32 kLanePieces = 2;  // listed
constexpr u32 kLaneAny = 3;

template <class Offset>
struct LanesArgs {
  Csr<Offset> in;     // rows of in-edges
  const Offset* out;  // where rows of out-edges begin
  const u64* all;     // by each lane, in all levels before, by the numbers that targets have
  u64* seen;          // the same of the vertices of the rows
  u64* found;         // what this level brings
  u64* before;        // of a part of a graph: seen as the level before left it, of which a push changes all; else null
  u64* pieces;        // of long rows: vertex, and number in the upper half. Or what was pushed. Zero between levels
  u64* results;
  const u32* items;      // of a level that was pushed: the vertices that it reached
  u64 room;              // for pieces
  u64 full[kMostWords];  // lanes that still search
  u32 count;             // of items; of a level that was pulled all vertices
  u32 pushed;            // not 0: a level was pushed, and pieces has what it found
  u32 looks;             // edges of a row that groups look at; what is longer goes into pieces
  u32 piece;             // edges of a piece
  u32 first;             // the number that items have of the first vertex
  u32 pad;
};
static_assert(sizeof(LanesArgs<u32>) == 184, "the host has the same layout");

// LanesList is vertices of a graph that is dealt out, and a word for each.
struct LanesList {
  const u32* items;
  u64* words;
  u64* of;    // the array, by number
  u64 count;  // of items
  u32 first, own;  // a part's vertices
};
static_assert(sizeof(LanesList) == 40, "the host has the same layout");

// lanes_begin gives vertices their lanes, those of other parts too.
__device__ __forceinline__ void lanes_begin(const LanesList& a) {
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) a.of[a.items[i]] = a.words[i];
}

// lanes_look fetches the words of a part's own vertices.
__device__ __forceinline__ void lanes_look(const LanesList& a) {
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const u32 v = a.items[i];
    if (v - a.first < a.own) a.words[i] = a.of[v];
  }
}

// gather_lanes gathers a word of the rows of kGroup lanes, which have a row together: word lane%kWords,
// in other lanes of other edges. It ends at a row's end, or when no lane misses anything in any group. All
// lanes of the warp come here, those without a row with begin == end. All lanes of a group learn
// their word's union.
template <u32 kWords, u32 kGroup, class Offset>
__device__ __forceinline__ u64 gather_lanes(const LanesArgs<Offset>& a, Offset begin, Offset end, u64 have, u64 missing) {
  constexpr u32 kEdges = kGroup / kWords, kAhead = 4;
  const u32 word = lane() % kWords, mine = lane() % kGroup / kWords;
  const u32 group = (kGroup == 32 ? kAll : (1u << kGroup % 32) - 1) << (lane() / kGroup * kGroup);
  bool open = begin < end && missing & ~have;
  open = __ballot_sync(kAll, open) & group;
  while (__any_sync(kAll, open)) {
    u64 x = 0;
    if (open) {
      u32 t[kAhead];
#pragma unroll
      for (u32 j = 0; j < kAhead; j++) t[j] = a.in.targets[min(Offset(begin + mine + j * kEdges), Offset(end - 1))];
#pragma unroll
      for (u32 j = 0; j < kAhead; j++) x |= a.all[u64(t[j]) * kWords + word];
    }
#pragma unroll
    for (u32 d = kWords; d < kGroup; d *= 2) x |= __shfl_xor_sync(kAll, x, d);
    have |= x;
    const u32 more = __ballot_sync(kAll, open && missing & ~have) & group;
    open = open && more && end - begin > Offset(kEdges * kAhead);
    begin = min(end, Offset(begin + kEdges * kAhead));
  }
  return have;
}

// lanes_first looks at rows that aren't long, and at the beginnings of all.
template <u32 kWords, class Offset>
__device__ __forceinline__ void lanes_first(const LanesArgs<Offset>& a) {
  constexpr u32 kGroup = 8, kGroups = 32 / kGroup, kLooks = 4;  // kLooks: edges of a row that its thread looks at
  for (u64 base = u64(blockIdx.x) * kBlock + warp() * 32; base < a.in.n; base += u64(gridDim.x) * kBlock) {
    const u32 v = u32(base) + lane();
    Offset begin = 0, end = 0;
    u64 have = 0, missing = 0;  // of one word: the vertex' own
    bool open = false;
    if (v < a.in.n) {
      begin = a.in.offsets[v];
      end = a.in.offsets[v + 1];
      if (kWords == 1) {
        missing = a.full[0] & ~a.seen[v];
        open = missing && begin < end;
        if (open) {
          u32 t[kLooks];
#pragma unroll
          for (u32 j = 0; j < kLooks; j++) t[j] = a.in.targets[min(Offset(begin + j), Offset(end - 1))];
#pragma unroll
          for (u32 j = 0; j < kLooks; j++) have |= a.all[t[j]];
          open = missing & ~have && end - begin > kLooks;
          begin = min(end, Offset(begin + kLooks));
        }
      } else {
        for (u32 k = 0; k < kWords; k++) missing |= a.full[k] & ~a.seen[u64(v) * kWords + k];
        open = missing && begin < end;
        if (!open) {
          for (u32 k = 0; k < kWords; k++) a.found[u64(v) * kWords + k] = 0;
        }
      }
    }
    // What is long goes into pieces, if there is room.
    u32 n = 0;
    if (open && end - begin > a.looks) n = u32((end - a.in.offsets[v] + a.piece - 1) / a.piece);
    if (__any_sync(kAll, n > 0)) {
      const u64 upto = warp_inclusive(u64(n));
      u64 first = 0;
      if (lane() == 31) first = atomicAdd(&a.results[kLanePieces], upto);
      first = __shfl_sync(kAll, first, 31) + upto - n;
      if (n > 0 && first + n <= a.room) {
        for (u32 i = 0; i < n; i++) a.pieces[first + i] = u64(i) << 32 | v;
        if (kWords > 1) {
          for (u32 k = 0; k < kWords; k++) a.found[u64(v) * kWords + k] = 0;
        }
        open = false;
      }  // entries that are left are zero, which is the first piece of vertex 0: nothing but a look too many
    }
    for (u32 todo = __ballot_sync(kAll, open); todo;) {
      u32 rest = todo;
      for (u32 g = lane() / kGroup; g > 0; g--) rest &= rest - 1;
      const u32 from = rest ? __ffs(rest) - 1 : 0, word = lane() % kWords, whose = u32(base) + from;
      const Offset b = __shfl_sync(kAll, begin, from), e = __shfl_sync(kAll, end, from);
      u64 had = __shfl_sync(kAll, have, from), misses = __shfl_sync(kAll, missing, from), seen = 0;
      if (kWords > 1 && rest) {
        seen = a.seen[u64(whose) * kWords + word];
        misses = a.full[word] & ~seen;
      }
      const u64 all = gather_lanes<kWords, kGroup>(a, b, rest ? e : b, had, rest ? misses : 0);
      if (kWords > 1 && rest && lane() % kGroup < kWords) a.found[u64(whose) * kWords + word] = all & ~seen;
      const u32 turn = __popc(todo & lanes_below());  // the group that had this lane's row, if it is below kGroups
      const u64 got = __shfl_sync(kAll, all, min(turn, kGroups - 1) * kGroup);
      if (kWords == 1 && todo >> lane() & 1 && turn < kGroups) have = got;
      for (u32 g = 0; g < kGroups && todo; g++) todo &= todo - 1;
    }
    if (kWords == 1 && v < a.in.n) a.found[v] = have & ~a.seen[v];
  }
}

// lanes_rest looks at the pieces of long rows, as long as lanes are missing.
template <u32 kWords, class Offset>
__device__ __forceinline__ void lanes_rest(const LanesArgs<Offset>& a) {
  const u64 listed = a.results[kLanePieces], pieces = listed < a.room ? listed : a.room;
  const u32 word = lane() % kWords;
  for (u64 i = u64(blockIdx.x) * kWarps + warp(); i < pieces; i += u64(gridDim.x) * kWarps) {
    const u64 piece = a.pieces[i];
    __syncwarp();
    if (lane() == 0) a.pieces[i] = 0;
    const u32 v = u32(piece);
    const u64 at = u64(v) * kWords + word;
    const u64 missing = a.full[word] & ~a.seen[at], had = *(volatile u64*)&a.found[at];
    if (!__any_sync(kAll, (missing & ~had) != 0)) continue;
    Offset end = a.in.offsets[v + 1];
    const Offset begin = a.in.offsets[v] + Offset(piece >> 32) * a.piece;
    if (end - begin > a.piece) end = begin + a.piece;
    const u64 all = gather_lanes<kWords, 32>(a, begin, end, had, missing);
    const u64 adds = all & missing & ~had;
    if (lane() < kWords && adds) atomicOr(&a.found[at], adds);
  }
}

// Planes count how often each bit of a word is set, bit by bit: plane p has bit p of 64 counters.
struct Planes {
  static constexpr u32 kPlanes = 4, kMost = (1 << kPlanes) - 1;
  u64 plane[kPlanes];

  __device__ __forceinline__ void add(u64 x) {
#pragma unroll
    for (u32 p = 0; p < kPlanes; p++) {
      const u64 carry = plane[p] & x;
      plane[p] ^= x;
      x = carry;
    }
  }
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (u32 p = 0; p < kPlanes; p++) plane[p] = 0;
  }
};

// LaneCounts are counters of lanes lane() and lane() + 32 of each word, kept by a warp. A lane of the warp
// brings word lane() % kWords.
template <u32 kWords>
struct LaneCounts {
  u32 count[kWords][2];

  __device__ __forceinline__ void take(Planes& x) {
    constexpr u32 kMine = kWords == 1 ? kAll : kWords == 4 ? 0x11111111u : 0x01010101u;  // the lanes that bring word 0
    static_assert(kWords == 1 || kWords == 4 || kWords == 8, "a mask for each");
#pragma unroll
    for (u32 p = 0; p < Planes::kPlanes; p++) {
#pragma unroll
      for (u32 half = 0; half < 2; half++) {
        const u32 bits = u32(x.plane[p] >> 32 * half);
        if (!__any_sync(kAll, bits != 0)) continue;
#pragma unroll 1
        for (u32 bit = 0; bit < 32; bit++) {
          const u32 who = __ballot_sync(kAll, bits >> bit & 1);
#pragma unroll
          for (u32 k = 0; k < kWords; k++) {
            const u32 n = __popc(who & kMine << k) << p;
            if (lane() == bit) count[k][half] += n;
          }
        }
      }
    }
    x.clear();
  }
};

// lanes_settle makes what was found part of what was seen, and counts it. A lane of a warp has a word of a
// vertex.
template <u32 kWords, class Offset>
__device__ __forceinline__ void lanes_settle(const LanesArgs<Offset>& a) {
  __shared__ u32 counts[64 * kWords];
  __shared__ u64 any[kWords];
  __shared__ u64 sums[2];
  for (u32 i = threadIdx.x; i < 64 * kWords; i += kBlock) counts[i] = 0;
  if (threadIdx.x < kWords) any[threadIdx.x] = 0;
  if (threadIdx.x < 2) sums[threadIdx.x] = 0;
  __syncthreads();
  constexpr u32 kVertices = 32 / kWords;
  const u32 word = lane() % kWords, vertex = ((1u << kWords) - 1) << (lane() - word);  // the lanes of this one's vertex
  u64 edges = 0, done = 0, mine = 0;
  LaneCounts<kWords> all;
  Planes planes;
  planes.clear();
#pragma unroll
  for (u32 k = 0; k < kWords; k++) all.count[k][0] = all.count[k][1] = 0;
  u32 added = 0;
  for (u64 base = (u64(blockIdx.x) * kWarps + warp()) * kVertices; base < a.count; base += u64(gridDim.x) * kWarps * kVertices) {
    const u64 i = base + lane() / kWords;
    const bool have = i < a.count;
    const u32 v = !have ? 0 : a.items ? a.items[i] - a.first : u32(i);
    const u64 at = u64(v) * kWords + word;
    u64 d = 0;
    if (have) d = !a.pushed ? a.found[at] : a.before ? a.seen[at] & ~a.before[at] : a.pieces[at];
    if (have && a.pushed) {
      a.found[at] = d;
      if (d && !a.before) a.pieces[at] = 0;
    }
    const u32 reached = __ballot_sync(kAll, d != 0);
    if (!reached) continue;
    u64 missing = 0;
    if (reached & vertex) {
      const u64 seen = a.seen[at] | d;
      if (d) {
        a.seen[at] = seen;
        if (a.before) a.before[at] = seen;
      }
      missing = a.full[word] & ~seen;
      mine |= d;
    }
    const u32 lacks = __ballot_sync(kAll, missing != 0) & vertex;
    if (word == 0 && reached & vertex) {
      edges += a.out[v + 1] - a.out[v];
      if (!lacks) done += a.in.offsets[v + 1] - a.in.offsets[v];
    }
    planes.add(d);
    if (++added == Planes::kMost) {
      all.take(planes);
      added = 0;
    }
  }
  if (added) all.take(planes);
#pragma unroll
  for (u32 k = 0; k < kWords; k++) {
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
      if (all.count[k][half]) atomicAdd(&counts[64 * k + 32 * half + lane()], all.count[k][half]);
    }
  }
  if (mine) atomicOr(&any[word], mine);
  if (edges) atomicAdd(&sums[0], edges);
  if (done) atomicAdd(&sums[1], done);
  __syncthreads();
  for (u32 i = threadIdx.x; i < 64 * kWords; i += kBlock) {
    if (counts[i]) atomicAdd(&a.results[kLaneAny + kWords + i], u64(counts[i]));
  }
  if (threadIdx.x < kWords && any[threadIdx.x]) atomicOr(&a.results[kLaneAny + threadIdx.x], any[threadIdx.x]);
  if (threadIdx.x == 0 && sums[0]) atomicAdd(&a.results[kLaneEdges], sums[0]);
  if (threadIdx.x == 1 && sums[1]) atomicAdd(&a.results[kLaneDone], sums[1]);
}

}  // namespace foray

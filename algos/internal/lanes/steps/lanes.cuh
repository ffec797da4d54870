// This file holds a pulled level of many searches at once: a vertex has words of 64 lanes, one for each
// search, and takes over the lanes that its in-neighbors have seen. Three kernels do it. The first
// reads rows by threads and then by groups of lanes, and lists pieces of long rows that it leaves; the
// second reads these by warps; the third (settle.cuh) merges found lanes into seen lanes, and counts.
// Lanes that have few edges out of the frontier are pushed before (behind.cuh), so that no row is read for them.
#pragma once

#include "operators/advance/row.cuh"

namespace foray {

constexpr u32 kMostWords = 8;  // of a vertex

// What a level leaves, in LanesArgs.results, which is zero before. Any lanes follow, and counts of each lane; then what
// lanes_sample leaves (behind.cuh).
constexpr u32 kLaneEdges = 0;   // out of the vertices that were reached
constexpr u32 kLaneDone = 1;    // into those that have seen all lanes from now on
constexpr u32 kLanePieces = 2;  // listed by a pull
constexpr u32 kLaneParts = 3;   // listed by a push
constexpr u32 kLaneAny = 4;

__host__ __device__ constexpr u32 lanes_behind(u32 words) { return kLaneAny + 65 * words; }

template <class Offset>
struct LanesArgs {
  Csr<Offset> in;     // rows of in-edges
  Csr<Offset> out;    // rows of out-edges; a push alone reads their targets
  const u64* all;     // by each lane, in all levels before, by the numbers that targets have
  u64* seen;          // the same of the vertices of the rows
  u64* found;         // what this level brings
  u64* before;        // of a part of a graph: seen as the level before left it, of which a push changes all; else null
  u64* next;          // what was pushed; zero between levels. Null for a part of a graph
  u64* pieces;        // of long rows: vertex, and number in the upper half. Zero between levels
  u64* results;
  const u32* items;      // of a level that was pushed: the vertices that it reached
  u64 room;              // for pieces
  u64 full[kMostWords];  // lanes that still search
  u32 count;             // of items; of a level that was pulled all vertices
  u32 from;              // kPulled: found has what was found; kPushed: next has it; or both
  u32 looks;             // edges of a row that groups look at; what is longer goes into pieces
  u32 piece;             // edges of a piece
  u32 first;             // the number that items have of the first vertex
  u32 least, most;       // see lanes_sample
  u32 pad;

  // behind has the lanes of a word that are pushed while others are pulled.
  __device__ __forceinline__ u64 behind(u32 word, u32 words) const { return results[lanes_behind(words) + word]; }
  // pulls has those that the pull looks for.
  __device__ __forceinline__ u64 pulls(u32 word, u32 words) const { return full[word] & ~behind(word, words); }
  __device__ __forceinline__ bool some_behind(u32 words) const {
    u64 some = 0;
    for (u32 k = 0; k < words; k++) some |= behind(k, words);
    return some != 0;
  }
};
static_assert(sizeof(LanesArgs<u32>) == 216, "the host has the same layout");

// Of LanesArgs.from.
constexpr u32 kPulled = 0, kPushed = 1, kBoth = 2;

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
  const u64 full = a.pulls(0, kWords);
  for (u64 base = u64(blockIdx.x) * kBlock + warp() * 32; base < a.in.n; base += u64(gridDim.x) * kBlock) {
    const u32 v = u32(base) + lane();
    Offset begin = 0, end = 0;
    u64 have = 0, missing = 0;  // of one word: the vertex' own
    bool open = false;
    if (v < a.in.n) {
      begin = a.in.offsets[v];
      end = a.in.offsets[v + 1];
      if (kWords == 1) {
        missing = full & ~a.seen[v];
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
        for (u32 k = 0; k < kWords; k++) missing |= a.pulls(k, kWords) & ~a.seen[u64(v) * kWords + k];
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
        misses = a.pulls(word, kWords) & ~seen;
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
    const u64 missing = a.pulls(word, kWords) & ~a.seen[at], had = *(volatile u64*)&a.found[at];
    if (!__any_sync(kAll, (missing & ~had) != 0)) continue;
    Offset end = a.in.offsets[v + 1];
    const Offset begin = a.in.offsets[v] + Offset(piece >> 32) * a.piece;
    if (end - begin > a.piece) end = begin + a.piece;
    const u64 all = gather_lanes<kWords, 32>(a, begin, end, had, missing);
    const u64 adds = all & missing & ~had;
    if (lane() < kWords && adds) atomicOr(&a.found[at], adds);
  }
}

}  // namespace foray

// This file holds lanes that are behind: they have few edges out of the frontier, while others have many. A pull would
// read nearly all rows to their ends for them. So they are pushed first, and the pull looks for the other lanes alone. Three
// kernels do it: one samples edges and chooses the lanes, one pushes along short rows and lists parts of long rows, and one
// pushes along those parts. Beamer, Asanovic and Patterson (SC 2012) choose between push and pull for one search.
#pragma once

#include "algos/internal/lanes/steps/lanes.cuh"

namespace foray {

// Tuning: so many edges are sampled, times 64 lanes. A lane that has seen one in 16 edges is met 512 times.
constexpr u32 kSamples = 8192;

// lanes_sample chooses the lanes that are behind. Edges at even distances say how many edges come from vertices that a lane has
// seen, and how many from those that it reached in the last level. A lane is behind if it has seen 1/a.least of the edges that
// the lane with most has, or less, and if it has, with all lanes that have seen less, at most 1/a.most of the graph's edges out
// of the frontier. The last block chooses. results has the lanes, then how many blocks are done, then the counts.
template <u32 kWords, class Offset>
__device__ __forceinline__ void lanes_sample(const LanesArgs<Offset>& a) {
  constexpr u32 kLanes = 64 * kWords, kTaken = kSamples / kWords, kMine = kWords == 1 ? kAll : kWords == 4 ? 0x11111111u : 0x01010101u;
  u64* const behind = a.results + lanes_behind(kWords);
  u64* const saw = behind + kWords + 1;
  u64* const ahead = saw + kLanes;
  const u32 word = lane() % kWords;
  const u64 edges = a.in.offsets[a.in.n];
  for (u64 base = (u64(blockIdx.x) * kBlock + warp() * 32) / kWords; base < kTaken; base += u64(gridDim.x) * kBlock / kWords) {
    const u64 i = base + lane() / kWords, at = u64(a.in.targets[edges * i / kTaken]) * kWords + word;
    const u64 seen = a.seen[at] & a.full[word], last = a.found[at] & a.full[word];
#pragma unroll 1
    for (u32 bit = 0; bit < 64; bit++) {
      const u32 s = __ballot_sync(kAll, seen >> bit & 1), l = __ballot_sync(kAll, last >> bit & 1);
      if (lane() < kWords) {
        const u32 mine = kMine << lane();
        if (s & mine) atomicAdd(&saw[64 * lane() + bit], u64(__popc(s & mine)));
        if (l & mine) atomicAdd(&ahead[64 * lane() + bit], u64(__popc(l & mine)));
      }
    }
  }
  __shared__ u32 last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(&behind[kWords], u64(1)) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  __shared__ u32 seen[kLanes];
  __shared__ u32 reached[kLanes];
  for (u32 i = threadIdx.x; i < kLanes; i += kBlock) {
    seen[i] = a.full[i / 64] >> i % 64 & 1 ? u32(*(volatile u64*)&saw[i]) : kAll;
    reached[i] = u32(*(volatile u64*)&ahead[i]);
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < kLanes; i += kBlock) {
    if (seen[i] == kAll) continue;
    u32 most = 0, sum = 0;
    for (u32 j = 0; j < kLanes; j++) {
      if (seen[j] == kAll) continue;
      most = max(most, seen[j]);
      if (seen[j] < seen[i] || (seen[j] == seen[i] && j <= i)) sum += reached[j];
    }
    if (u64(seen[i]) * a.least <= most && u64(sum) * a.most <= kTaken) atomicOr(&behind[i / 64], u64(1) << i % 64);
  }
}

// Tuning: rows of more than kShortPush edges are listed in parts of kPart edges. A warp takes a part, with kAtATime edges at a
// time for each thread, which waits for their targets, and then for the words of these.
constexpr u32 kShortPush = 32, kPart = 256, kAtATime = 4;

// push_lanes pushes the lanes of a source's words along some edges, those below end.
template <u32 kWords, class Offset>
__device__ __forceinline__ void push_lanes(const LanesArgs<Offset>& a, const u32* from, const u64* first, const Offset* edges, u32 count) {
  u32 to[kAtATime];
#pragma unroll
  for (u32 j = 0; j < kAtATime; j++) to[j] = j < count ? a.out.targets[edges[j]] : 0;
#pragma unroll 1
  for (u32 k = 0; k < kWords; k++) {
    u64 lanes[kAtATime];
#pragma unroll
    for (u32 j = 0; j < kAtATime; j++) {
      lanes[j] = 0;
      if (j < count) lanes[j] = kWords == 1 ? first[j] : a.found[u64(from[j]) * kWords + k] & a.behind(k, kWords);
    }
#pragma unroll
    for (u32 j = 0; j < kAtATime; j++) {
      const u64 at = u64(to[j]) * kWords + k;
      if (lanes[j]) lanes[j] &= ~(a.seen[at] | *(const volatile u64*)&a.next[at]);
    }
#pragma unroll
    for (u32 j = 0; j < kAtATime; j++) {
      if (lanes[j]) atomicOr(&a.next[u64(to[j]) * kWords + k], lanes[j]);
    }
  }
}

// push_row pushes along a row, or a part of one, by a warp.
template <u32 kWords, class Offset>
__device__ __forceinline__ void push_row(const LanesArgs<Offset>& a, u32 v, u64 first, Offset begin, Offset end) {
  for (u64 base = begin; base < end; base += 32 * kAtATime) {
    u32 from[kAtATime], count = 0;
    u64 lanes[kAtATime];
    Offset edges[kAtATime];
#pragma unroll
    for (u32 j = 0; j < kAtATime; j++) {
      const u64 e = base + j * 32 + lane();
      from[j] = v, lanes[j] = first, edges[j] = Offset(e);
      count += e < end;
    }
    push_lanes<kWords>(a, from, lanes, edges, count);
  }
}

// lanes_push pushes along rows that aren't long.
template <u32 kWords, class Offset>
__device__ __forceinline__ void lanes_push(const LanesArgs<Offset>& a) {
  if (!a.some_behind(kWords)) return;
  for (u64 base = u64(blockIdx.x) * kBlock + warp() * 32; base < a.count; base += u64(gridDim.x) * kBlock) {
    const u64 i = base + lane();
    u32 v = 0, size = 0, parts = 0;
    Offset begin = 0, end = 0;
    u64 first = 0, any = 0;  // lanes to push: of word 0, of any
    if (i < a.count) {
      v = a.items ? a.items[i] : u32(i);
#pragma unroll
      for (u32 k = 0; k < kWords; k++) any |= a.found[u64(v) * kWords + k] & a.behind(k, kWords);
      if (kWords == 1) first = any;
      if (any) {
        begin = a.out.offsets[v];
        end = a.out.offsets[v + 1];
        if (end - begin <= kShortPush) {
          size = u32(end - begin);
        } else {
          parts = u32((end - begin + kPart - 1) / kPart);
        }
      }
    }
    bool left = false;  // a long row that the list has no room for
    if (__any_sync(kAll, parts > 0)) {
      const u64 upto = warp_inclusive(u64(parts));
      u64 at = 0;
      if (lane() == 31) at = atomicAdd(&a.results[kLaneParts], upto);
      at = __shfl_sync(kAll, at, 31) + upto - parts;
      left = parts > 0 && at + parts > a.room;  // entries that remain are zero: vertex 0, which pushes what its neighbors have
      if (!left) {
        for (u32 j = 0; j < parts; j++) a.pieces[at + j] = u64(j) << 32 | v;
      }
    }
    // The rows of a warp one after the other, by all its lanes.
    const u32 upto = warp_inclusive(size), total = __shfl_sync(kAll, upto, 31);
    for (u32 e = 0; e < total; e += 32 * kAtATime) {
      u32 from[kAtATime], count = 0;
      u64 lanes[kAtATime];
      Offset edges[kAtATime];
#pragma unroll
      for (u32 j = 0; j < kAtATime; j++) {
        const u32 mine = e + j * 32 + lane();
        u32 row = 0;  // the first whose end is above
#pragma unroll
        for (u32 s = 16; s > 0; s /= 2) {
          if (__shfl_sync(kAll, upto, row + s - 1) <= mine) row += s;
        }
        const u32 before = __shfl_sync(kAll, upto - size, row);
        from[j] = __shfl_sync(kAll, v, row);
        edges[j] = __shfl_sync(kAll, begin, row) + (mine - before);
        lanes[j] = __shfl_sync(kAll, first, row);
        count += mine < total;
      }
      push_lanes<kWords>(a, from, lanes, edges, count);
    }
    for (u32 todo = __ballot_sync(kAll, left); todo; todo &= todo - 1) {
      const u32 row = __ffs(todo) - 1;
      push_row<kWords>(a, __shfl_sync(kAll, v, row), __shfl_sync(kAll, first, row), __shfl_sync(kAll, begin, row), __shfl_sync(kAll, end, row));
    }
  }
}

// lanes_parts pushes along the parts of long rows.
template <u32 kWords, class Offset>
__device__ __forceinline__ void lanes_parts(const LanesArgs<Offset>& a) {
  const u64 listed = a.results[kLaneParts], parts = listed < a.room ? listed : a.room;
  for (u64 i = u64(blockIdx.x) * kWarps + warp(); i < parts; i += u64(gridDim.x) * kWarps) {
    const u64 part = a.pieces[i];
    __syncwarp();
    if (lane() == 0) a.pieces[i] = 0;
    const u32 v = u32(part);
    u64 first = 0;
    if (kWords == 1) first = a.found[v] & a.behind(0, kWords);
    Offset end = a.out.offsets[v + 1];
    const Offset begin = a.out.offsets[v] + Offset(part >> 32) * kPart;
    if (begin < end && end - begin > kPart) end = begin + kPart;
    push_row<kWords>(a, v, first, begin, end);
  }
}

}  // namespace foray

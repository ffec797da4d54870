// This file counts the triangles whose largest vertex has a long row: a block has a part of
// the row in shared memory.
#pragma once

#include "operators/intersect/oriented.cuh"

namespace foray {

// kFilter is the bits of a filter of a part's entries, by their lower bits: one in 32 is set at
// most, so that few pass that the part hasn't.
constexpr u32 kFilter = 1 << 14;

// LongShared is a part of a row, its entries below hubs as words of a bit row, and how many
// triangles each entry is in.
template <Mode M>
struct LongShared {
  u32 row[kRowPart], count[kRowPart], word[kRowPart], mask[kRowPart];
  u32 twins[M == kTwice ? kRowPart : 1];  // of a word's entries those whose edge counts twice
  uint16_t first[kRowPart];  // entry of a word
  u32 filter[kFilter / 32];
  u64 totals[kWarps];
  u32 sums[kWarps];
  u64 task;
};

__device__ __forceinline__ bool passes(const u32* filter, u32 bits, u32 w) {
  return filter[(w & (bits - 1)) >> 5] >> (w & 31) & 1;
}

// place returns where an ascending row in shared memory has w, or n.
__device__ __forceinline__ u32 place(const u32* row, u32 n, u32 w) {
  u32 lo = 0, hi = n;
  while (lo < hi) {
    const u32 m = (lo + hi) / 2;
    if (row[m] < w) {
      lo = m + 1;
    } else {
      hi = m;
    }
  }
  return lo < n && row[lo] == w ? lo : n;
}

// Planes count each bit of a word separately: plane p has bit p of all counts. Eight words are
// added at a time (Harley and Seal).
constexpr u32 kHighPlanes = 4;
constexpr u32 kMostWords = 1 << (kHighPlanes + 3);  // from so many on counts overflow

__device__ __forceinline__ void add_bits(u32& carry, u32& sum, u32 x, u32 y) {
  const u32 u = sum ^ x;
  carry = (sum & x) | (u & y);
  sum = u ^ y;
}

template <Mode M>
struct Planes {
  u32 ones = 0, twos = 0, fours = 0;
  u32 high[kHighPlanes] = {};  // but for kInAll
  u32 eights = 0;              // for kInAll: how many of those there are in all bits

  __device__ __forceinline__ void add(const u32 (&x)[8]) {
    u32 a, b, c, d, carry;
    add_bits(a, ones, x[0], x[1]);
    add_bits(b, ones, x[2], x[3]);
    add_bits(c, twos, a, b);
    add_bits(a, ones, x[4], x[5]);
    add_bits(b, ones, x[6], x[7]);
    add_bits(d, twos, a, b);
    add_bits(carry, fours, c, d);
    if (M != kInAll) {
#pragma unroll
      for (u32 p = 0; p < kHighPlanes; p++) {
        const u32 next = high[p] & carry;
        high[p] ^= carry;
        carry = next;
      }
    } else {
      eights += __popc(carry);
    }
  }

  __device__ __forceinline__ u32 total() const { return __popc(ones) + 2 * __popc(twos) + 4 * __popc(fours) + 8 * eights; }

  __device__ __forceinline__ u32 of(u32 bit) const {
    u32 n = (ones >> bit & 1) | (twos >> bit & 1) << 1 | (fours >> bit & 1) << 2;
#pragma unroll
    for (u32 p = 0; p < kHighPlanes; p++) n |= (high[p] >> bit & 1) << (3 + p);
    return n;
  }
};

// LongRow is a task under way.
template <Mode M, class Offset>
struct LongRow {
  const TriangleArgs<Offset>& a;
  LongShared<M>& sh;
  Offset begin, end;  // of the part, and of the row
  u32 n;              // entries of the part
  u64 found;          // the thread's share of the triangles
  u64 more;           // of those whose edge opposite to the row's vertex counts twice

  // note adds to the count of the vertex v at place e of the row.
  __device__ __forceinline__ void note(Offset e, u32 v, u32 k) const {
    if (e < begin + n) {
      atomicAdd(&sh.count[e - begin], k);
    } else {
      a.add(v, k);
    }
  }

  // flush adds what the planes have counted to the counts of the word's entries.
  __device__ __forceinline__ void flush(Planes<M>& planes, u32 mask, u32 first) const {
    if (M != kInAll) {
      for (u32 m = mask; m; m &= m - 1) {
        const u32 k = planes.of(__ffs(m) - 1);
        if (k) atomicAdd(&sh.count[first], k);
        first++;
      }
    }
    planes = Planes<M>{};
  }

  // join looks up the part's words, of which there are so many, in the matrix' rows of the
  // vertices behind them in the row, which goes up to mid there. A lane has a word.
  __device__ __forceinline__ void join(u32 words, Offset mid) {
    for (u32 c = 0; c < words; c += 32) {
      const u32 k = c + lane();
      const bool have = k < words;
      const i32 word = have ? i32(sh.word[k]) : 0x7fffffff;
      const u32 mask = have ? sh.mask[k] : 0, first = have ? sh.first[k] : 0;
      const u32 twins = M == kTwice && have ? sh.twins[k] : 0;
      Planes<M> planes;
      u32 since = 0;
      for (Offset base = begin + sh.first[c] + 1 + warp(); base < mid; base += 32 * kWarps) {
        const Offset e = base + lane() * kWarps;
        u32 v = 0, at = 0, mine = 0;
        i32 limit = -1;
        if (e < mid) {
          v = a.g.targets[e];
          at = bits_of(v);
          limit = i32(v >> 5);
        }
        const u32 doubled = M == kTwice ? __ballot_sync(kAll, e < mid && a.is_twice(e)) : 0;
        const u32 many = u32(min(u64(32), (u64(mid - base) + kWarps - 1) / kWarps));
        for (u32 s = 0; s < many; s += 8) {
          u32 x[8], row[8];
#pragma unroll
          for (u32 q = 0; q < 8; q++) {
            row[q] = __shfl_sync(kAll, at, s + q) + u32(word);
            x[q] = word <= __shfl_sync(kAll, limit, s + q) ? a.bits[row[q]] : 0;
          }
#pragma unroll
          for (u32 q = 0; q < 8; q++) x[q] &= mask;
          if (M != kInAll) {
#pragma unroll
            for (u32 q = 0; q < 8; q++) {
              u32 k = __popc(x[q]);
              if (M == kTwice) {
                found += k;
                k += __popc(x[q] & twins);
                if (x[q]) more += __popc(x[q] & a.twins[row[q]]);
              }
              const u32 sum = warp_sum(k);
              if (lane() == s + q) mine = sum;
            }
          }
          planes.add(x);
          if (M == kTwice) {
#pragma unroll
            for (u32 q = 0; q < 8; q++) x[q] = doubled >> (s + q) & 1 ? x[q] : 0;
            planes.add(x);
          }
        }
        if (M != kInAll) {
          if (mine) note(e, v, mine);
          if (M == kAt) found += mine;
          constexpr u32 kBatch = M == kTwice ? 64 : 32;
          since += kBatch;
          if (since + kBatch >= kMostWords) {
            flush(planes, mask, first);
            since = 0;
          }
        }
      }
      if (M == kInAll) found += planes.total();
      flush(planes, mask, first);
    }
  }

  // stream looks up the rows of the vertices from a place of the row on in the part.
  __device__ __forceinline__ void stream(Offset from) {
    const u32* targets = a.g.targets;
    for (Offset base = from + warp(); base < end; base += 32 * kWarps) {
      const Offset e = base + lane() * kWarps;
      u32 v = 0, mine = 0;
      Bounds<Offset> b{0, 0};
      if (e < end) {
        v = targets[e];
        b = a.bounds[v];
      }
      const u32 doubled = M == kTwice ? __ballot_sync(kAll, e < end && a.is_twice(e)) : 0;
      const u32 many = u32(min(u64(32), (u64(end - base) + kWarps - 1) / kWarps));
      for (u32 s = 0; s < many; s++) {
        const Offset last = __shfl_sync(kAll, b.end, s);
        u32 k = 0;
        for (Offset i = __shfl_sync(kAll, b.begin, s) + lane(); i < last; i += 64) {
          const u32 w[2] = {targets[i], i + 32 < last ? targets[i + 32] : kNoVertex};
#pragma unroll
          for (u32 q = 0; q < 2; q++) {
            if (!passes(sh.filter, kFilter, w[q])) continue;
            const u32 at = place(sh.row, n, w[q]);
            if (at == n) continue;
            if (M == kTwice) {
              found++;
              more += a.is_twice(i + 32 * q);
              k += 1 + a.is_twice(begin + at);
              atomicAdd(&sh.count[at], 1 + (doubled >> s & 1));
            } else {
              k++;
              if (M == kAt) atomicAdd(&sh.count[at], 1u);
            }
          }
        }
        if (M == kInAll) {
          found += k;
          continue;
        }
        __syncwarp();
        const u32 sum = warp_sum(k);
        if (lane() == s) mine = sum;
      }
      if (M != kInAll) {
        if (mine) note(e, v, mine);
        if (M == kAt) found += mine;
      }
    }
  }
};

// split_words makes words of the part's first entries, as many as there are below hubs, and
// returns how many words there are. All threads of the block call it together.
template <Mode M, class Offset>
__device__ __forceinline__ u32 split_words(const TriangleArgs<Offset>& a, LongShared<M>& sh, Offset begin, u32 entries) {
  constexpr u32 kEach = kRowPart / kBlock;
  u32 starts = 0, words;
#pragma unroll
  for (u32 k = 0; k < kEach; k++) {
    const u32 i = threadIdx.x * kEach + k;
    if (i < entries && (i == 0 || sh.row[i] >> 5 != sh.row[i - 1] >> 5)) starts |= 1u << k;
  }
  u32 at = block_exclusive(u32(__popc(starts)), sh.sums, words);
  for (; starts; starts &= starts - 1) {
    const u32 first = threadIdx.x * kEach + __ffs(starts) - 1, word = sh.row[first] >> 5;
    u32 mask = 0, twins = 0;
    for (u32 i = first; i < entries && sh.row[i] >> 5 == word; i++) {
      mask |= 1u << (sh.row[i] & 31);
      if (M == kTwice) twins |= a.is_twice(begin + i) << (sh.row[i] & 31);
    }
    if (M == kTwice) sh.twins[at] = twins;
    sh.word[at] = word;
    sh.mask[at] = mask;
    sh.first[at++] = uint16_t(first);
  }
  __syncthreads();
  return words;
}

// long_rows does tasks until there are no more.
template <Mode M, class Offset>
__device__ __forceinline__ void long_rows(const TriangleArgs<Offset>& a, LongShared<M>& sh) {
  u64 total = 0;
  for (u32 i = threadIdx.x; i < kFilter / 32; i += kBlock) sh.filter[i] = 0;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) sh.task = atomicAdd(&a.post.slot->counts[kTaken], 1ull);
    __syncthreads();
    if (sh.task >= a.count) break;
    const u64 task = a.tasks[sh.task];
    const u32 u = u32(task >> 32);
    const Bounds<Offset> row = a.bounds[u];
    LongRow<M, Offset> r{a, sh, Offset(row.begin + Offset(u32(task)) * kRowPart), row.end, 0, 0, 0};
    r.n = u32(min(u64(kRowPart), u64(row.end - r.begin)));
    const bool beyond = a.g.targets[row.end - 1] >= a.hubs;
    for (u32 i = threadIdx.x; i < r.n; i += kBlock) {
      const u32 w = a.g.targets[r.begin + i];
      sh.row[i] = w;
      if (M != kInAll) sh.count[i] = 0;
      if (beyond) atomicOr(&sh.filter[(w & (kFilter - 1)) >> 5], 1u << (w & 31));
    }
    const Offset mid = beyond ? lower_bound(a.g.targets, Span<Offset>{r.begin, row.end}, a.hubs) : row.end;
    __syncthreads();
    const u32 entries = u32(min(u64(r.n), u64(mid - r.begin)));
    if (entries) r.join(split_words(a, sh, r.begin, entries), mid);
    if (beyond) r.stream(max(mid, Offset(r.begin + 1)));
    total += r.found;
    __syncthreads();
    for (u32 i = threadIdx.x; i < r.n; i += kBlock) {
      if (beyond) sh.filter[(sh.row[i] & (kFilter - 1)) >> 5] = 0;
      if (M != kInAll && sh.count[i]) a.add(sh.row[i], sh.count[i]);
    }
    if (M != kInAll) {
      u64 own = r.found + r.more;
#pragma unroll
      for (u32 s = 16; s > 0; s /= 2) own += __shfl_xor_sync(kAll, own, s);
      if (lane() == 0 && own) a.add(u, own);
    }
  }
  add_up(total, sh.totals, &a.post.slot->tail);
  report(a.post);
}

}  // namespace foray

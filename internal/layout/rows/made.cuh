// This file holds the generators whose edges a GPU makes: those of package gen, the same for a seed. Each
// edge is made of its number alone.
#pragma once

#include "frontier/bitmap.cuh"

namespace foray {

// kMadeBlock is how many edges are of one stretch of random numbers, which is kStretchBits long.
constexpr u32 kMadeBlock = 1 << 16;
constexpr u32 kStretchBits = 24;
constexpr u64 kGamma = 0x9e3779b97f4a7c15;  // of SplitMix64
constexpr u32 kLevels = 5;                  // of R-MAT that one draw decides
constexpr u32 kOutcomes = 1 << (2 * kLevels);

// MadeArgs is what the kernels take, as placed.Maker says.
struct MadeArgs {
  u64* pairs;
  float* weights;    // or null
  u64 count;         // of all edges
  u64 start;         // of the random numbers
  const u64* full;   // tables of R-MAT: kLevels levels at once,
  const u64* rest;   // and the remaining levels
  u64 vertices;
  u64 key;           // of weights
  double low, high;
  u64 width;         // of whole weights, how many there are; 0: any
  u64 sides[3];      // of a lattice
  u64 plane;         // edges of all its planes but the last
  u32 mul[3], add[3];  // of the permutation
  u32 mask, shift;
  u32 scale;
  u32 torus;
  u32 dims;
  u32 pad;
  u64 from, to;      // the edges to make; pairs and weights have those alone
};

__device__ __forceinline__ u64 mix64(u64 z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// Stretch is the random numbers of the edges that an edge is among.
struct Stretch {
  u64 start, at, count;  // the edge is the at-th of count

  __device__ __forceinline__ Stretch(const MadeArgs& a, u64 edge) {
    const u64 block = edge / kMadeBlock;
    start = a.start + (block << kStretchBits) * kGamma;
    at = edge % kMadeBlock;
    count = min(u64(kMadeBlock), a.count - block * kMadeBlock);
  }
  __device__ __forceinline__ u64 number(u64 i) const { return mix64(start + (i + 1) * kGamma); }
};

// put_edge writes an edge, and its weight.
__device__ __forceinline__ void put_edge(const MadeArgs& a, u64 edge, u32 source, u32 target) {
  a.pairs[edge - a.from] = u64(source) << 32 | target;
  if (!a.weights) return;
  const u64 x = mix64(a.key + (u64(min(source, target)) << 32 | max(source, target)) * kGamma);
  if (a.width) {
    a.weights[edge - a.from] = float((long long)(a.low) + (long long)(__umul64hi(x, a.width)));
    return;
  }
  const double share = __ddiv_rn(double(x >> 11), double((1ull << 53) - 1));
  const double w = __dadd_rn(__dmul_rn(a.low, __dadd_rn(1, -share)), __dmul_rn(a.high, share));  // not fused
  a.weights[edge - a.from] = float(w < a.low ? a.low : w > a.high ? a.high : w);
}

__device__ __forceinline__ u32 permuted(const MadeArgs& a, u32 v) {
#pragma unroll
  for (u32 round = 0; round < 3; round++) {
    v = (v * a.mul[round] + a.add[round]) & a.mask;
    v ^= v >> a.shift;
  }
  return v;
}

// outcome_of returns the outcome of a draw from a table of so many levels: the source's bits in the upper
// byte, the target's in the lower.
__device__ __forceinline__ u32 outcome_of(const u64* table, u32 levels, u64 x) {
  const u64 column = table[x >> (64 - 2 * levels)];
  return u32(column >> (u32(x) < u32(column >> 32) ? 0 : 16)) & 0xffff;
}

struct MadeShared {
  u64 full[kOutcomes], rest[kOutcomes / 4];
};

__device__ __forceinline__ void make_rmat(const MadeArgs& a, MadeShared& sh) {
  const u32 left = a.scale % kLevels;
  for (u32 i = threadIdx.x; i < kOutcomes; i += kBlock) sh.full[i] = a.full[i];
  for (u32 i = threadIdx.x; left > 0 && i < 1u << (2 * left); i += kBlock) sh.rest[i] = a.rest[i];
  __syncthreads();
  for (u64 e = a.from + u64(blockIdx.x) * kBlock + threadIdx.x; e < a.to; e += u64(gridDim.x) * kBlock) {
    const Stretch s(a, e);
    u32 source = 0, target = 0;
    u64 draw = s.at;
    for (u32 l = 0; l < a.scale / kLevels; l++, draw += s.count) {
      const u32 x = outcome_of(sh.full, kLevels, s.number(draw));
      source = source << kLevels | x >> 8;
      target = target << kLevels | (x & 0xff);
    }
    if (left > 0) {
      const u32 x = outcome_of(sh.rest, left, s.number(draw));
      source = source << left | x >> 8;
      target = target << left | (x & 0xff);
    }
    put_edge(a, e, permuted(a, source), permuted(a, target));
  }
}

__device__ __forceinline__ void make_uniform(const MadeArgs& a) {
  for (u64 e = a.from + u64(blockIdx.x) * kBlock + threadIdx.x; e < a.to; e += u64(gridDim.x) * kBlock) {
    const Stretch s(a, e);
    put_edge(a, e, u32(__umul64hi(s.number(2 * s.at), a.vertices)), u32(__umul64hi(s.number(2 * s.at + 1), a.vertices)));
  }
}

// make_lattice: edges come line by line, those of a line first within it, then to the next line, then to
// the next plane.
__device__ __forceinline__ void make_lattice(const MadeArgs& a) {
  const u64 w = a.sides[0], h = a.sides[1], d = a.sides[2];
  const u64 within = a.torus ? w : w - 1;
  for (u64 e = a.from + u64(blockIdx.x) * kBlock + threadIdx.x; e < a.to; e += u64(gridDim.x) * kBlock) {
    const u64 z = min(e / a.plane, d - 1);
    u64 x = e - z * a.plane;
    const u64 deep = a.dims == 3 && (a.torus || z < d - 1) ? w : 0;
    const u64 line = within + (a.torus || h > 1 ? w : 0) + deep;  // of all lines but the last
    const u64 y = min(x / line, h - 1);
    x -= y * line;
    const u64 at = (z * h + y) * w;
    u64 source = at + x, target;
    if (x < within) {
      target = x == w - 1 ? at : source + 1;
    } else if (x -= within; (a.torus || y < h - 1) && x < w) {
      source = at + x;
      target = (y == h - 1 ? z * h * w : at + w) + x;
    } else {
      if (a.torus || y < h - 1) x -= w;
      source = at + x;
      target = (z == d - 1 ? y * w : at + w * h) + x;
    }
    put_edge(a, e, u32(source), u32(target));
  }
}

}  // namespace foray

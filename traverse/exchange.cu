// The kernels by which GPUs bring their copies of arrays together.

#include "frontier/peers.cuh"

namespace foray {

// ExchangeArgs are 16 bytes each, so many of them.
struct ExchangeArgs {
  const uint4* from;
  uint4* to[kMostPeers];  // the others, count of them
  u64 n;
  u32 count;
  u32 pad;
};

// kMostFolded is how many arrays a step may change at vertices of other GPUs.
constexpr u32 kMostFolded = 6;

// How what the copies have of an entry becomes one value (splice.Fold).
enum : u32 { kTake, kMinU32, kMaxU32, kMinS32, kMaxS32, kMinF32, kMaxF32, kOrB32, kAndB32, kAddU32, kAddU64 };

// Folded is an array: the copy of each GPU.
struct Folded {
  u32* of[kMostPeers];
  const void* before;  // of kAdd, this GPU's own entries before the step
  u32 fold;
  u32 wide;  // entries have 64 bits
};

struct FoldArgs {
  Folded arrays[kMostFolded];
  const u32* found[kMostPeers];  // bitmaps of what each GPU let through
  u32* seen;                     // what was seen before: not let through again; or null
  u32 first;                     // number of this GPU's first vertex, a multiple of 1024
  u32 n;                         // how many it has
  u32 count;                     // arrays
  u32 peers;                     // GPUs
  u32 me;
  u32 pad;
};

__device__ __forceinline__ u32 folded(u32 fold, u32 a, u32 b) {
  switch (fold) {
    case kMinU32: return min(a, b);
    case kMaxU32: return max(a, b);
    case kMinS32: return u32(min(i32(a), i32(b)));
    case kMaxS32: return u32(max(i32(a), i32(b)));
    case kMinF32: return __float_as_uint(fminf(__uint_as_float(a), __uint_as_float(b)));
    case kMaxF32: return __float_as_uint(fmaxf(__uint_as_float(a), __uint_as_float(b)));
    case kOrB32: return a | b;
    default: return a & b;
  }
}

// summed gives an entry what each GPU has added.
template <class T>
__device__ __forceinline__ void summed(const Folded& x, const FoldArgs& a, u64 v, u32 which) {
  const T before = ((const T*)x.before)[v - a.first];
  T had[kMostPeers], all = before;
#pragma unroll
  for (u32 j = 0; j < kMostPeers; j++) {
    had[j] = which >> j & 1 ? ((const T*)x.of[j])[v] : before;
    all += had[j] - before;
  }
#pragma unroll
  for (u32 j = 0; j < kMostPeers; j++) {
    if (j < a.peers && had[j] != all) ((T*)x.of[j])[v] = all;
  }
}

// fold brings the copies of an entry together; those of GPUs that aren't in which are as they were before.
__device__ __forceinline__ void fold(const Folded& x, const FoldArgs& a, u64 v, u32 which) {
  if (x.fold == kTake) {
    const u32 from = __ffs(which) - 1;
    for (u32 j = 0; j < a.peers; j++) {
      if (j == from) continue;
      if (x.wide) {
        ((u64*)x.of[j])[v] = ((const u64*)x.of[from])[v];
      } else {
        x.of[j][v] = x.of[from][v];
      }
    }
    return;
  }
  if (x.fold == kAddU32) return summed<u32>(x, a, v, which);
  if (x.fold == kAddU64) return summed<u64>(x, a, v, which);
  u32 had[kMostPeers];
  u32 all = x.of[a.me][v];
#pragma unroll
  for (u32 j = 0; j < kMostPeers; j++) had[j] = which >> j & 1 ? x.of[j][v] : 0;
#pragma unroll
  for (u32 j = 0; j < kMostPeers; j++) {
    if (which >> j & 1) all = folded(x.fold, all, had[j]);
  }
#pragma unroll
  for (u32 j = 0; j < kMostPeers; j++) {
    if (j < a.peers && !(which >> j & 1 && had[j] == all)) x.of[j][v] = all;
  }
}

// kFoundWords is how many words of the bitmaps a warp takes at a time: what a block finds in them never fills
// its stage while that is relieved.
constexpr u32 kFoundWords = kStage / 2 / 32 / kWarps;

// fold_found makes the union of what the GPUs let through, of a GPU's own vertices, its frontier, and brings the
// arrays' entries of these together on all GPUs.
template <class Offset>
__device__ void fold_found(const FoldArgs& a, Emitter<Offset>& out) {
  const u32 words = (a.n + 31) / 32, begin = a.first / 32;
  for (u64 base = u64(blockIdx.x) * kBlock; base < words; base += u64(gridDim.x) * kBlock) {
    const u64 mine = base + threadIdx.x;
    u32 of[kMostPeers], any = 0;
#pragma unroll
    for (u32 j = 0; j < kMostPeers; j++) {
      of[j] = j < a.peers && mine < words ? a.found[j][begin + mine] : 0;
      any |= of[j];
    }
    if (!__syncthreads_or(any != 0)) continue;
    for (u32 part = 0; part < 32; part += kFoundWords) {
      for (u32 from = part; from < part + kFoundWords; from++) {
        const u32 word = __shfl_sync(kAll, any, from);
        if (word == 0) continue;
        u32 which = 0;
#pragma unroll
        for (u32 j = 0; j < kMostPeers; j++) which |= (__shfl_sync(kAll, of[j], from) >> lane() & 1) << j;
        const u64 at = begin + base + warp() * 32 + from;
        const u64 v = at * 32 + lane();
        bool keep = which != 0;
        if (keep) {
          for (u32 i = 0; i < a.count; i++) fold(a.arrays[i], a, v, which);
        }
        if (a.seen) {
          const u32 seen = a.seen[at];
          keep = keep && !(seen >> lane() & 1);
          __syncwarp();
          if (lane() == 0 && (word & ~seen)) a.seen[at] = seen | word;
        }
        out.put(keep, u32(v));
      }
      out.relieve();
    }
  }
  out.flush();
}

template <class Offset>
__device__ void found(const FoldArgs& a, const Queue<Offset>& q, const Post& post) {
  __shared__ Stage sh;
  Emitter<Offset> out(q, post.slot, sh);
  fold_found(a, out);
  report(post);
}

}  // namespace foray

// Stores over the link take no answer, so they are faster than loads; each word goes to all GPUs at once, so that
// all links are in use.
extern "C" __global__ void __launch_bounds__(256) traverse_exchange(foray::ExchangeArgs a) {
  using namespace foray;
  const u64 step = u64(gridDim.x) * blockDim.x;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < a.n; i += step) {
    const uint4 x = a.from[i];
    for (u32 j = 0; j < a.count; j++) a.to[j][i] = x;
  }
}

// All entries of a GPU's own vertices, whoever let them through.
extern "C" __global__ void __launch_bounds__(256) traverse_fold(foray::FoldArgs a) {
  using namespace foray;
  const u64 step = u64(gridDim.x) * blockDim.x;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < a.n; i += step) {
    for (u32 k = 0; k < a.count; k++) fold(a.arrays[k], a, a.first + i, (1u << a.peers) - 1);
  }
}

extern "C" __global__ void __launch_bounds__(256) traverse_found_o32(foray::FoldArgs a, foray::Queue<foray::u32> q, foray::Post post) {
  foray::found(a, q, post);
}

extern "C" __global__ void __launch_bounds__(256) traverse_found_o64(foray::FoldArgs a, foray::Queue<foray::u64> q, foray::Post post) {
  foray::found(a, q, post);
}

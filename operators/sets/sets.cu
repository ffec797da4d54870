// The kernels of the set operators.
#include "frontier/bitmap.cuh"

namespace foray {

// SetsArgs is what all of them take. sets.go has the same numbers of operators.
template <class Offset>
struct SetsArgs {
  const u32* items;
  const u32* more;
  u32* mask;  // a bitmap
  const u32* a;
  const u32* b;
  u32* to;
  Queue<Offset> out;
  Post post;
  u32 count, more_count;  // of items and more
  u32 words;              // of a, b and to
  u32 op;
};
static_assert(sizeof(SetsArgs<u32>) == 120, "the host has the same layout");

constexpr u32 kUnion = 0;
constexpr u32 kIntersection = 1;

// combine_words combines two bitmaps by words.
template <class Offset>
__device__ __forceinline__ void combine_words(const SetsArgs<Offset>& a) {
  __shared__ u64 totals[kWarps];
  u64 sum = 0;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.words; i += u64(gridDim.x) * kBlock) {
    const u32 x = a.a[i], y = a.b[i];
    const u32 z = a.op == kUnion ? x | y : a.op == kIntersection ? x & y : x & ~y;
    a.to[i] = z;
    for (u32 w = z; w; w &= w - 1) sum += a.out.packed(u32(i) * 32 + __ffs(w) - 1);
  }
  add_up(sum, totals, &a.post.slot->tail);
  report(a.post);
}

// first reports whether v is to be in the result and isn't yet: it sets its bit
// in the mask, or, where the mask has what is wanted, takes it out.
__device__ __forceinline__ bool first(u32* mask, u32 v, bool takes) {
  if (!takes) return claim(mask, v);
  u32* at = mask + (v >> 5);
  const u32 bit = 1u << (v & 31);
  if (!(*(volatile u32*)at & bit)) return false;
  return (atomicAnd(at, ~bit) & bit) != 0;
}

template <class Offset>
__device__ __forceinline__ void emit_first(const SetsArgs<Offset>& a) {
  __shared__ Stage stage;
  Emitter<Offset> out(a.out, a.post.slot, stage);
  const bool takes = a.op == kIntersection;
  const u64 all = u64(a.count) + a.more_count;
  for (u64 base = u64(blockIdx.x) * kBlock; base < all; base += u64(gridDim.x) * kBlock) {
    const u64 i = base + threadIdx.x;
    u32 v = kNoVertex;
    if (i < all) v = i < a.count ? a.items[i] : a.more[i - a.count];
    out.put(i < all && first(a.mask, v, takes), v);
    out.relieve();
  }
  out.flush();
  report(a.post);
}

}  // namespace foray

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

FORAY_KERNEL sets_mark(foray::SetsArgs<foray::u32> a) {
  for (foray::u64 i = foray::u64(blockIdx.x) * foray::kBlock + threadIdx.x; i < a.count; i += foray::u64(gridDim.x) * foray::kBlock) {
    foray::claim(a.mask, a.items[i]);
  }
}
FORAY_KERNEL sets_words_o32(foray::SetsArgs<foray::u32> a) { foray::combine_words(a); }
FORAY_KERNEL sets_words_o64(foray::SetsArgs<foray::u64> a) { foray::combine_words(a); }
FORAY_KERNEL sets_emit_o32(foray::SetsArgs<foray::u32> a) { foray::emit_first(a); }
FORAY_KERNEL sets_emit_o64(foray::SetsArgs<foray::u64> a) { foray::emit_first(a); }

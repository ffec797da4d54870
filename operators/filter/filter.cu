// The kernels of filter: culling and claiming against a bitmap, of queues in
// their order and of bitmaps by words.
#include "operators/filter/cull.cuh"
#include "operators/filter/entries.cuh"

namespace foray {

template <bool Claims, class Offset>
__device__ __forceinline__ void enter_flag(const FlagArgs<Offset>& a) {
  __shared__ TileShared sh;
  flag_tiles(a.items, a.count, a.out, a.flags, a.tiles, sh,
             [&](u32 v) { return Claims ? claim(a.seen, v) : !has(a.seen, v); });
}

template <class Offset>
__device__ __forceinline__ void enter_move(const FlagArgs<Offset>& a) {
  __shared__ TileShared sh;
  move_tiles(a.items, a.count, a.out, a.flags, a.tiles, sh);
}

// WordArgs is what the filters of bitmaps take.
template <class Offset>
struct WordArgs {
  u32* words;
  u32* seen;
  Queue<Offset> out;  // for degrees
  Post post;
  u32 count;   // of words
  u32 claims;  // add to seen what stays
};

template <class Offset>
__device__ __forceinline__ void enter_words(const WordArgs<Offset>& a) {
  __shared__ TileShared sh;
  u64 sum = 0;
  for (u64 i = u64(blockIdx.x) * kBlock + threadIdx.x; i < a.count; i += u64(gridDim.x) * kBlock) {
    const u32 had = a.words[i], seen = a.seen[i], stay = had & ~seen;
    if (stay != had) a.words[i] = stay;
    if (a.claims && stay) a.seen[i] = seen | stay;
    for (u32 w = stay; w; w &= w - 1) sum += a.out.packed(u32(i) * 32 + __ffs(w) - 1);
  }
  add_up(sum, sh.totals, &a.post.slot->tail);
  report(a.post);
}

}  // namespace foray

FORAY_KERNEL cull_flag_o32(foray::FlagArgs<foray::u32> a) { foray::enter_flag<false>(a); }
FORAY_KERNEL cull_flag_o64(foray::FlagArgs<foray::u64> a) { foray::enter_flag<false>(a); }
FORAY_KERNEL claim_flag_o32(foray::FlagArgs<foray::u32> a) { foray::enter_flag<true>(a); }
FORAY_KERNEL claim_flag_o64(foray::FlagArgs<foray::u64> a) { foray::enter_flag<true>(a); }
FORAY_KERNEL move_o32(foray::FlagArgs<foray::u32> a) { foray::enter_move(a); }
FORAY_KERNEL move_o64(foray::FlagArgs<foray::u64> a) { foray::enter_move(a); }
FORAY_KERNEL words_o32(foray::WordArgs<foray::u32> a) { foray::enter_words(a); }
FORAY_KERNEL words_o64(foray::WordArgs<foray::u64> a) { foray::enter_words(a); }


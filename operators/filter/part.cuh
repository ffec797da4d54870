// This file holds the split of a frontier into what a predicate keeps and what
// it turns down, each as a queue or as a bitmap.
#pragma once

#include "frontier/bitmap.cuh"

namespace foray {

// PartArgs is what a split takes. An output is a queue, or a bitmap where its
// words are there; then its queue is for degrees only.
template <class Offset>
struct PartArgs {
  const u32* items;  // the input as a queue
  const u32* words;  // or as a bitmap
  u32* yes_words;
  u32* no_words;
  Queue<Offset> yes, no;
  Post yes_post, no_post;
  u32 count;   // of items or words
  u32 adds;    // no_words keeps what it has
  u32 splits;  // what is turned down is wanted
  u32 pad;
};
static_assert(sizeof(PartArgs<u32>) == 160, "the host has the same layout");

// part_words splits a bitmap into a bitmap, which may be itself, and either. A
// warp has a word a lane and asks about the bits of one of them at a time, so
// that it reads what belongs to 32 vertices side by side.
template <class Offset, class P>
__device__ void part_words(const PartArgs<Offset>& a, const P& p, Stage& stage) {
  Emitter<Offset> no(a.no, a.no_post.slot, stage);
  u64 yes_sum = 0, no_sum = 0;
  for (u64 base = u64(blockIdx.x) * kBlock; base < a.count; base += u64(gridDim.x) * kBlock) {
    const u64 i = base + threadIdx.x;
    const u32 had = i < a.count ? a.words[i] : 0;
    const u32 there = a.adds && i < a.count ? a.no_words[i] : 0;
    u32 stays = 0;
    for (u32 todo = __ballot_sync(kAll, had != 0); todo; todo &= todo - 1) {
      const u32 from = __ffs(todo) - 1;
      const u32 word = __shfl_sync(kAll, had, from), others = __shfl_sync(kAll, there, from);
      const u32 v = u32(base + (threadIdx.x & ~31u) + from) * 32 + lane();
      const bool have = word >> lane() & 1, keep = have && p.keep(v), drop = have && !keep;
      const u32 kept = __ballot_sync(kAll, keep);
      if (lane() == from) stays = kept;
      if (keep) yes_sum += a.yes.packed(v);
      if (!a.splits) continue;
      if (!a.no_words) {
        no.put(drop, v);
      } else if (drop && !(others >> lane() & 1)) {
        no_sum += a.no.packed(v);
      }
    }
    if (i < a.count) {
      if (a.words != a.yes_words || stays != had) a.yes_words[i] = stays;
      if (a.no_words) a.no_words[i] = there | (had & ~stays);
    }
    if (a.splits && !a.no_words) no.relieve();
  }
  add_up(yes_sum, stage.totals, &a.yes_post.slot->tail);
  if (!a.splits) return;
  if (a.no_words) {
    add_up(no_sum, stage.totals, &a.no_post.slot->tail);
  } else {
    no.flush();
  }
}

}  // namespace foray

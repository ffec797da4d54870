// This file holds the kernels that ask a predicate: thin entries that a
// predicate's .cu file instantiates by FORAY_KEEP. An entry's name says
// predicate, operator and the width of offsets: below_keep_flag_o32.
#pragma once

#include "operators/filter/compact.cuh"
#include "operators/filter/part.cuh"

namespace foray {

// FlagArgs is what flagging and moving the entries of a queue take.
template <class Offset>
struct FlagArgs {
  const u32* items;
  u32* flags;
  u64* tiles;
  u32* seen;  // of filters against a bitmap
  Queue<Offset> out;
  u32 count;
  u32 pad;
};

template <class Offset, class P>
__device__ __forceinline__ void enter_keep_flag(const FlagArgs<Offset>& a, const P& p) {
  __shared__ TileShared sh;
  flag_tiles(a.items, a.count, a.out, a.flags, a.tiles, sh, [&](u32 v) { return p.keep(v); });
}

template <class Offset, class P>
__device__ __forceinline__ void enter_part_queue(const PartArgs<Offset>& a, const P& p) {
  __shared__ Stage stages[2];
  part_queue(a, p, stages);
  report(a.no_post);
  report(a.yes_post);
}

template <class Offset, class P>
__device__ __forceinline__ void enter_part_words(const PartArgs<Offset>& a, const P& p) {
  __shared__ Stage stage;
  part_words(a, p, stage);
  if (a.splits) report(a.no_post);
  report(a.yes_post);
}

}  // namespace foray

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

#define FORAY_KEEP_WIDTH(name, P, width, Offset)                                                              \
  FORAY_KERNEL name##_keep_flag_##width(foray::FlagArgs<Offset> a, P p) { foray::enter_keep_flag(a, p); }     \
  FORAY_KERNEL name##_part_queue_##width(foray::PartArgs<Offset> a, P p) { foray::enter_part_queue(a, p); } \
  FORAY_KERNEL name##_part_words_##width(foray::PartArgs<Offset> a, P p) { foray::enter_part_words(a, p); }

#define FORAY_KEEP(name, P)                 \
  FORAY_KEEP_WIDTH(name, P, o32, foray::u32) \
  FORAY_KEEP_WIDTH(name, P, o64, foray::u64)

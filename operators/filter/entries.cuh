// This file holds the kernels that ask a predicate, as thin entries that
// internal/functor/link/skeletons.cu instantiates.
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
__device__ __forceinline__ void enter_part_words(const PartArgs<Offset>& a, const P& p) {
  __shared__ Stage stage;
  part_words(a, p, stage);
  if (a.splits) report(a.no_post);
  report(a.yes_post);
}

}  // namespace foray

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

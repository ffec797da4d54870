// The kernels of a frontier's conversion.
#include "frontier/convert.cuh"

namespace foray {

// ConvertArgs is what all of them take.
template <class Offset>
struct ConvertArgs {
  const u32* items;  // of a queue
  u32* words;        // of a bitmap
  u64* tiles;
  Queue<Offset> out;
  Post post;
  u32 count;  // of items, or of tiles
  u32 n;      // vertices
};

template <class Offset>
__device__ __forceinline__ void enter_count(const ConvertArgs<Offset>& a) {
  __shared__ TileShared sh;
  count_words(a.words, a.n, a.out, a.tiles, sh);
}

template <class Offset>
__device__ __forceinline__ void enter_list(const ConvertArgs<Offset>& a) {
  __shared__ TileShared sh;
  list_words(a.words, a.n, a.out, a.tiles, sh);
}

template <class Offset>
__device__ __forceinline__ void enter_emit(const ConvertArgs<Offset>& a) {
  __shared__ Stage stage;
  Emitter<Offset> out(a.out, a.post.slot, stage);
  emit_words(a.words, a.n, out);
  out.flush();
  report(a.post);
}

template <class Offset>
__device__ __forceinline__ void enter_mark(const ConvertArgs<Offset>& a) {
  __shared__ TileShared sh;
  mark_items(a.items, a.count, a.words, a.out, a.post.slot, sh);
  report(a.post);
}

template <class Offset>
__device__ __forceinline__ void enter_degrees(const ConvertArgs<Offset>& a) {
  __shared__ TileShared sh;
  count_degrees(a.items, a.count, a.out, a.tiles, sh);
}

template <class Offset>
__device__ __forceinline__ void enter_prefix(const ConvertArgs<Offset>& a) {
  __shared__ TileShared sh;
  list_degrees(a.items, a.count, a.out, a.tiles, sh);
}

}  // namespace foray

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

FORAY_KERNEL convert_count_o32(foray::ConvertArgs<foray::u32> a) { foray::enter_count(a); }
FORAY_KERNEL convert_count_o64(foray::ConvertArgs<foray::u64> a) { foray::enter_count(a); }
FORAY_KERNEL convert_list_o32(foray::ConvertArgs<foray::u32> a) { foray::enter_list(a); }
FORAY_KERNEL convert_list_o64(foray::ConvertArgs<foray::u64> a) { foray::enter_list(a); }
FORAY_KERNEL convert_emit_o32(foray::ConvertArgs<foray::u32> a) { foray::enter_emit(a); }
FORAY_KERNEL convert_emit_o64(foray::ConvertArgs<foray::u64> a) { foray::enter_emit(a); }
FORAY_KERNEL convert_mark_o32(foray::ConvertArgs<foray::u32> a) { foray::enter_mark(a); }
FORAY_KERNEL convert_mark_o64(foray::ConvertArgs<foray::u64> a) { foray::enter_mark(a); }
FORAY_KERNEL convert_degrees_o32(foray::ConvertArgs<foray::u32> a) { foray::enter_degrees(a); }
FORAY_KERNEL convert_degrees_o64(foray::ConvertArgs<foray::u64> a) { foray::enter_degrees(a); }
FORAY_KERNEL convert_prefix_o32(foray::ConvertArgs<foray::u32> a) { foray::enter_prefix(a); }
FORAY_KERNEL convert_prefix_o64(foray::ConvertArgs<foray::u64> a) { foray::enter_prefix(a); }

FORAY_KERNEL scan_tiles(foray::u64* tiles, foray::u32 count, foray::Post post) {
  __shared__ foray::TileShared sh;
  foray::scan_tiles(tiles, count, post.slot, sh);
  foray::report(post);
}

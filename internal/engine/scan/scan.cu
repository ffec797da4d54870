// The kernels of scan. A name says the widths of input and output.
#include "internal/engine/scan/scan.cuh"

namespace foray {

// ScanArgs is what all of them take.
struct ScanArgs {
  const void* in;
  void* out;
  u64* sums;  // of the parts, then of the parts before each; null: there is one part
  u64 n;
  u64 per;  // entries of a part, a multiple of kTile
  Post post;
  u32 parts;
  u32 total;  // out[n] becomes the sum
};
static_assert(sizeof(ScanArgs) == 72, "the host has the same layout");

template <class In>
__device__ __forceinline__ void enter_sum(const ScanArgs& a) {
  __shared__ TileShared sh;
  sum_parts((const In*)a.in, a.n, a.per, a.parts, a.sums, sh);
}

template <class In, class Out>
__device__ __forceinline__ void enter_write(const ScanArgs& a) {
  __shared__ TileShared sh;
  for (u32 part = blockIdx.x; part < a.parts; part += gridDim.x) {
    const u64 before = a.sums ? a.sums[part] : 0;
    const u64 behind = scan_part((const In*)a.in, (Out*)a.out, part * a.per, min(a.n, (part + 1) * a.per), before, sh);
    if (part != a.parts - 1 || threadIdx.x != 0) continue;
    if (a.total) ((Out*)a.out)[a.n] = Out(behind);
    a.post.slot->tail = behind;
  }
  report(a.post);
}

}  // namespace foray

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

FORAY_KERNEL scan_sum_32(foray::ScanArgs a) { foray::enter_sum<foray::u32>(a); }
FORAY_KERNEL scan_sum_64(foray::ScanArgs a) { foray::enter_sum<foray::u64>(a); }
FORAY_KERNEL scan_parts(foray::ScanArgs a) {
  __shared__ foray::TileShared sh;
  foray::scan_tiles(a.sums, a.parts, a.post.slot, sh);
}
FORAY_KERNEL scan_write_32_32(foray::ScanArgs a) { foray::enter_write<foray::u32, foray::u32>(a); }
FORAY_KERNEL scan_write_32_64(foray::ScanArgs a) { foray::enter_write<foray::u32, foray::u64>(a); }
FORAY_KERNEL scan_write_64_32(foray::ScanArgs a) { foray::enter_write<foray::u64, foray::u32>(a); }
FORAY_KERNEL scan_write_64_64(foray::ScanArgs a) { foray::enter_write<foray::u64, foray::u64>(a); }

// The kernels that count triangles of an undirected graph in order of degree.
#define FORAY_BLOCK 128
#include "operators/intersect/short_rows.cuh"

#define FORAY_KERNEL(blocks) extern "C" __global__ void __launch_bounds__(foray::kBlock, blocks)

#define FORAY_TRIANGLES(width, Offset)                                                          \
  FORAY_KERNEL(8) orient_##width(foray::TriangleArgs<Offset> a) {                               \
    __shared__ foray::u64 totals[foray::kWarps];                                                \
    foray::orient(a, totals);                                                                   \
  }                                                                                             \
  FORAY_KERNEL(8) fill_bits_##width(foray::TriangleArgs<Offset> a) { foray::fill_bits(a); }     \
  FORAY_KERNEL(8) long_count_##width(foray::TriangleArgs<Offset> a) {                           \
    __shared__ foray::LongShared sh;                                                            \
    foray::long_rows<false>(a, sh);                                                             \
  }                                                                                             \
  FORAY_KERNEL(8) long_at_##width(foray::TriangleArgs<Offset> a) {                              \
    __shared__ foray::LongShared sh;                                                            \
    foray::long_rows<true>(a, sh);                                                              \
  }                                                                                             \
  FORAY_KERNEL(12) short_count_##width(foray::TriangleArgs<Offset> a) {                         \
    __shared__ foray::ShortShared sh[foray::kWarps];                                            \
    __shared__ foray::u64 totals[foray::kWarps];                                                \
    foray::short_rows<false>(a, sh, totals);                                                    \
  }                                                                                             \
  FORAY_KERNEL(12) short_at_##width(foray::TriangleArgs<Offset> a) {                            \
    __shared__ foray::ShortShared sh[foray::kWarps];                                            \
    __shared__ foray::u64 totals[foray::kWarps];                                                \
    foray::short_rows<true>(a, sh, totals);                                                     \
  }

FORAY_TRIANGLES(o32, foray::u32)
FORAY_TRIANGLES(o64, foray::u64)

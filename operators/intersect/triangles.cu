// The kernels that count triangles of an undirected graph in order of degree.
#define FORAY_BLOCK 128
#include "operators/intersect/short_rows.cuh"

#define FORAY_KERNEL(blocks) extern "C" __global__ void __launch_bounds__(foray::kBlock, blocks)

#define FORAY_COUNT(name, M, width, Offset)                                                     \
  FORAY_KERNEL(8) long_##name##_##width(foray::TriangleArgs<Offset> a) {                        \
    __shared__ foray::LongShared<M> sh;                                                         \
    foray::long_rows<M>(a, sh);                                                                 \
  }                                                                                             \
  FORAY_KERNEL(12) short_##name##_##width(foray::TriangleArgs<Offset> a) {                      \
    __shared__ foray::ShortShared sh[foray::kWarps];                                            \
    __shared__ foray::u64 totals[foray::kWarps];                                                \
    foray::short_rows<M>(a, sh, totals);                                                        \
  }

#define FORAY_TRIANGLES(width, Offset)                                                          \
  FORAY_KERNEL(8) orient_##width(foray::TriangleArgs<Offset> a) {                               \
    __shared__ foray::u64 totals[foray::kWarps];                                                \
    foray::orient(a, totals);                                                                   \
  }                                                                                             \
  FORAY_KERNEL(8) fill_bits_##width(foray::TriangleArgs<Offset> a) { foray::fill_bits(a); }     \
  FORAY_COUNT(inall, foray::kInAll, width, Offset)                                              \
  FORAY_COUNT(at, foray::kAt, width, Offset)                                                    \
  FORAY_COUNT(twice, foray::kTwice, width, Offset)

FORAY_TRIANGLES(o32, foray::u32)
FORAY_TRIANGLES(o64, foray::u64)

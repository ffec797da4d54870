// The kernels that count triangles of an undirected graph in rows by degree, and that make those.
#define FORAY_BLOCK 128
#include "operators/intersect/ranked.cuh"
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

#define FORAY_RANKED(width, Offset)                                                             \
  FORAY_KERNEL(8) count_degrees_##width(foray::RankArgs<Offset> a) {                            \
    __shared__ foray::u32 counts[foray::kDegrees];                                              \
    foray::count_degrees(a, counts);                                                            \
  }                                                                                             \
  FORAY_KERNEL(8) first_ranks_##width(foray::RankArgs<Offset> a) {                              \
    __shared__ foray::u32 sums[foray::kWarps];                                                  \
    foray::first_ranks(a, sums);                                                                \
  }                                                                                             \
  FORAY_KERNEL(8) assign_ranks_##width(foray::RankArgs<Offset> a) {                             \
    __shared__ foray::u32 next[foray::kDegrees];                                                \
    foray::assign_ranks(a, next);                                                               \
  }                                                                                             \
  FORAY_KERNEL(8) size_rows_##width(foray::RankArgs<Offset> a) {                                \
    __shared__ foray::RankedShared sh;                                                          \
    foray::size_rows(a, sh);                                                                    \
  }                                                                                             \
  FORAY_KERNEL(8) fill_rows_##width(foray::RankArgs<Offset> a) {                                \
    __shared__ foray::RankedShared sh;                                                          \
    foray::fill_rows(a, sh);                                                                    \
  }                                                                                             \
  FORAY_KERNEL(8) sort_short_##width(foray::RankArgs<Offset> a) { foray::sort_short(a); }       \
  FORAY_KERNEL(8) sort_parts_##width(foray::RankArgs<Offset> a) {                               \
    __shared__ foray::u32 entries[foray::kRowPart];                                             \
    foray::sort_parts(a, entries);                                                              \
  }                                                                                             \
  FORAY_KERNEL(8) merge_parts_##width(foray::RankArgs<Offset> a) { foray::merge_parts(a); }

FORAY_TRIANGLES(o32, foray::u32)
FORAY_TRIANGLES(o64, foray::u64)
FORAY_RANKED(o32, foray::u32)
FORAY_RANKED(o64, foray::u64)

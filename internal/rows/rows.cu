// The kernels that make rows of edges. See rows.cuh. Those that end in 32 are for edges alone, those
// in 64 for edges with weights or ids.
#include "internal/rows/ids.cuh"
#include "internal/rows/long.cuh"
#include "internal/rows/made.cuh"
#include "internal/rows/part.cuh"

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

FORAY_KERNEL rows_count(foray::RowsArgs a) {
  foray::rows_count(a);
  foray::report(a.post);
}
FORAY_KERNEL rows_lengths(foray::RowsArgs a) { foray::rows_lengths(a); }
FORAY_KERNEL rows_first(foray::RowsArgs a) { foray::rows_first(a); }

FORAY_KERNEL ids_insert(foray::IdArgs a) {
  foray::ids_insert(a);
  foray::report(a.post);
}
FORAY_KERNEL ids_list(foray::IdArgs a) {
  foray::ids_list(a);
  foray::report(a.post);
}
FORAY_KERNEL ids_rank(foray::IdArgs a) { foray::ids_rank(a); }
FORAY_KERNEL ids_pairs(foray::IdArgs a) { foray::ids_pairs(a); }

FORAY_KERNEL part_count(foray::PartArgs a) {
  __shared__ foray::PartCounts sh;
  foray::part_count(a, sh);
  foray::report(a.post);
}
FORAY_KERNEL part_begin(foray::PartArgs a) {
  __shared__ foray::PartSums sh;
  foray::part_begin(a, sh);
}
FORAY_KERNEL part_scatter_32(foray::PartArgs a) {
  __shared__ foray::PartShared<1536, false> sh;
  foray::part_scatter(a, sh);
}
FORAY_KERNEL part_scatter_64(foray::PartArgs a) {
  __shared__ foray::PartShared<1024, true> sh;
  foray::part_scatter(a, sh);
}

FORAY_KERNEL rows_parted_count(foray::RowsArgs a) { foray::parted_count(a); }

FORAY_KERNEL make_rmat(foray::MadeArgs a) {
  __shared__ foray::MadeShared sh;
  foray::make_rmat(a, sh);
}
FORAY_KERNEL make_uniform(foray::MadeArgs a) { foray::make_uniform(a); }
FORAY_KERNEL make_lattice(foray::MadeArgs a) { foray::make_lattice(a); }

#define FORAY_ROWS(name, kMove, K)                                                                \
  FORAY_KERNEL rows_lists_##name(foray::RowsArgs a) {                                             \
    foray::rows_lists<kMove, foray::K>(a);                                                        \
    foray::report(a.post);                                                                        \
  }                                                                                               \
  FORAY_KERNEL rows_warp_##name(foray::RowsArgs a) { foray::rows_warp<kMove, foray::K>(a); }      \
  FORAY_KERNEL rows_block_##name(foray::RowsArgs a) {                                             \
    __shared__ foray::K row[foray::kBlockRow<foray::K>];                                          \
    __shared__ foray::u32 totals[foray::kWarps];                                                  \
    __shared__ foray::u64 at;                                                                     \
    foray::rows_block<kMove>(a, row, totals, &at);                                                \
  }                                                                                               \
  FORAY_KERNEL rows_digits_##name(foray::RowsArgs a) {                                            \
    __shared__ foray::DigitShared sh;                                                             \
    __shared__ foray::u64 at;                                                                     \
    foray::rows_digits<kMove, foray::K>(a, sh, &at);                                              \
  }

#define FORAY_KEYS(bits)                                                                               \
  FORAY_KERNEL rows_scatter_##bits(foray::RowsArgs a) { foray::rows_scatter<foray::u##bits>(a); }      \
  FORAY_KERNEL rows_parted_scatter_##bits(foray::RowsArgs a) {                                          \
    __shared__ foray::u64 at;                                                                          \
    foray::parted_scatter<foray::u##bits>(a, &at);                                                     \
  }                                                                                                    \
  FORAY_KERNEL rows_reverse_##bits(foray::RowsArgs a) { foray::rows_reverse<foray::u##bits>(a); }      \
  FORAY_ROWS(settle_##bits, false, u##bits)                                                            \
  FORAY_ROWS(move_##bits, true, u##bits)

FORAY_KEYS(32)
FORAY_KEYS(64)

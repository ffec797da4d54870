// The kernels that build rows from edges. See rows.cuh. Those that end in 32 are for edges alone, those in 64
// for edges with weights or with ids below 2^32, those in 128 for edges with any ids, and with weights too.
// Each kernel adds to the size of every clone: a kernel that can settle rows and move them at almost no cost
// does both.
#include "internal/layout/rows/deal.cuh"
#include "internal/layout/rows/fold.cuh"
#include "internal/layout/rows/ids.cuh"
#include "internal/layout/rows/long.cuh"
#include "internal/layout/rows/made.cuh"
#include "internal/layout/rows/part.cuh"
#include "internal/layout/rows/relabel.cuh"

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

FORAY_KERNEL deal_pairs(foray::DealArgs a) { foray::deal_pairs(a); }
FORAY_KERNEL deal_rows(foray::DealArgs a) { foray::deal_rows(a); }
FORAY_KERNEL deal_targets(foray::DealArgs a) { foray::deal_targets(a); }
FORAY_KERNEL deal_first(foray::DealArgs a) {
  foray::deal_first(a);
  foray::report(a.post);
}

FORAY_KERNEL relabel_edges(foray::RelabelArgs a) {
  foray::relabel_edges(a);
  foray::report(a.post);
}
FORAY_KERNEL fold_64(foray::FoldArgs a) {
  foray::rows_fold<foray::u64>(a);
  foray::report(a.post);
}
FORAY_KERNEL fold_128(foray::FoldArgs a) {
  foray::rows_fold<foray::u128>(a);
  foray::report(a.post);
}

FORAY_KERNEL rows_lists(foray::RowsArgs a) {
  foray::rows_lists(a);
  foray::report(a.post);
}

#define FORAY_ROWS_WARP(name, kDoes, K) \
  FORAY_KERNEL rows_warp_##name(foray::RowsArgs a) { foray::rows_warp<foray::kDoes, foray::K>(a); }

#define FORAY_ROWS_BLOCK(name, kDoes, K)                               \
  FORAY_KERNEL rows_block_##name(foray::RowsArgs a) {             \
    __shared__ foray::K row[foray::kBlockRow<foray::K>];          \
    __shared__ foray::u32 totals[foray::kWarps];                  \
    __shared__ foray::u64 at;                                     \
    foray::rows_block<foray::kDoes>(a, row, totals, &at);         \
  }

#define FORAY_PARTED(bits)                                        \
  FORAY_KERNEL rows_parted_scatter_##bits(foray::RowsArgs a) {    \
    __shared__ foray::u64 at;                                     \
    foray::parted_scatter<foray::u##bits>(a, &at);                \
  }

#define FORAY_KEYS(bits)                                                                           \
  FORAY_KERNEL rows_scatter_##bits(foray::RowsArgs a) { foray::rows_scatter<foray::u##bits>(a); }  \
  FORAY_KERNEL rows_reverse_##bits(foray::RowsArgs a) { foray::rows_reverse<foray::u##bits>(a); }  \
  extern "C" __global__ void __launch_bounds__(foray::kBlock, bits == 32 ? 8 : bits == 64 ? 5 : 4) rows_digits_##bits(foray::RowsArgs a) {                                             \
    __shared__ foray::DigitShared sh;                                                              \
    __shared__ foray::u64 at;                                                                      \
    foray::rows_digits<foray::kEither, foray::u##bits>(a, sh, &at);                                \
  }

#define FORAY_EACH(bits)                            \
  FORAY_KEYS(bits)                                  \
  FORAY_PARTED(bits)                                \
  FORAY_ROWS_WARP(settle_##bits, kSettles, u##bits)      \
  FORAY_ROWS_WARP(move_##bits, kMovesOnly, u##bits)      \
  FORAY_ROWS_BLOCK(settle_##bits, kSettles, u##bits)     \
  FORAY_ROWS_BLOCK(move_##bits, kMovesOnly, u##bits)

FORAY_EACH(32)
FORAY_EACH(64)

FORAY_KEYS(128)
FORAY_ROWS_WARP(128, kEither, u128)
FORAY_ROWS_BLOCK(128, kEither, u128)

// The kernels that make rows of edges. See rows.cuh.
#include "internal/rows/rows.cuh"

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

FORAY_KERNEL rows_count(foray::RowsArgs a) {
  foray::rows_count(a);
  foray::report(a.post);
}
FORAY_KERNEL rows_scatter(foray::RowsArgs a) { foray::rows_scatter(a); }
FORAY_KERNEL rows_reverse(foray::RowsArgs a) { foray::rows_reverse(a); }
FORAY_KERNEL rows_lengths(foray::RowsArgs a) { foray::rows_lengths(a); }

#define FORAY_ROWS(name, kMove)                                \
  FORAY_KERNEL rows_lists_##name(foray::RowsArgs a) {         \
    foray::rows_lists<kMove>(a);                               \
    foray::report(a.post);                                      \
  }                                                             \
  FORAY_KERNEL rows_warp_##name(foray::RowsArgs a) { foray::rows_warp<kMove>(a); } \
  FORAY_KERNEL rows_block_##name(foray::RowsArgs a) {         \
    __shared__ foray::u32 row[foray::kBlockRow];                \
    __shared__ foray::u32 totals[foray::kWarps];                \
    __shared__ foray::u64 at;                                   \
    foray::rows_block<kMove>(a, row, totals, &at);             \
  }                                                             \
  FORAY_KERNEL rows_digits_##name(foray::RowsArgs a) {        \
    __shared__ foray::DigitShared sh;                           \
    __shared__ foray::u64 at;                                   \
    foray::rows_digits<kMove>(a, sh, &at);                     \
  }

FORAY_ROWS(settle, false)
FORAY_ROWS(move, true)

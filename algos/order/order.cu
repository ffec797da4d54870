// The kernels that number vertices by degree. See order.cuh and rows.cuh.
#include "algos/order/rows.cuh"

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

#define FORAY_ORDER(suffix, Offset)                                                      \
  FORAY_KERNEL order_keys_##suffix(foray::OrderArgs<Offset> a) {                         \
    foray::order_keys(a);                                                                \
    foray::report(a.post);                                                               \
  }                                                                                      \
  FORAY_KERNEL order_count_##suffix(foray::OrderArgs<Offset> a) {                        \
    __shared__ foray::u32 counts[foray::kDigits];                                        \
    foray::order_count(a, counts);                                                       \
  }                                                                                      \
  FORAY_KERNEL order_scatter_##suffix(foray::OrderArgs<Offset> a) {                      \
    __shared__ foray::u32 next[foray::kWarps * foray::kDigits];                          \
    foray::order_scatter(a, next);                                                       \
  }                                                                                      \
  FORAY_KERNEL order_lengths_##suffix(foray::OrderArgs<Offset> a) {                      \
    __shared__ foray::TileShared sh;                                                     \
    foray::order_lengths(a, sh);                                                         \
  }                                                                                      \
  FORAY_KERNEL order_offsets_##suffix(foray::OrderArgs<Offset> a) {                      \
    __shared__ foray::TileShared sh;                                                     \
    foray::order_offsets(a, sh);                                                         \
    foray::report(a.post);                                                               \
  }                                                                                      \
  FORAY_KERNEL order_short_##suffix(foray::OrderArgs<Offset> a) { foray::order_short(a); } \
  FORAY_KERNEL order_middle_##suffix(foray::OrderArgs<Offset> a) {                       \
    __shared__ foray::u32 row[foray::kMiddleRow];                                        \
    __shared__ foray::u64 at;                                                            \
    foray::order_middle(a, row, &at);                                                    \
  }                                                                                      \
  FORAY_KERNEL order_long_##suffix(foray::OrderArgs<Offset> a) {                         \
    __shared__ foray::u32 totals[foray::kWarps];                                         \
    __shared__ foray::u64 at;                                                            \
    foray::order_long(a, totals, &at);                                                   \
    foray::report(a.post);                                                               \
  }                                                                                      \
  FORAY_KERNEL order_first_##suffix(foray::OrderArgs<Offset> a) { foray::order_first(a); }

FORAY_ORDER(o32, foray::u32)
FORAY_ORDER(o64, foray::u64)

FORAY_KERNEL order_scan(foray::u64* tiles, foray::u64 count) {
  __shared__ foray::u64 totals[foray::kWarps];
  foray::order_scan(tiles, count, totals);
}

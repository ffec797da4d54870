// The kernels that sort rows by weight. See rows.cuh.
#include "internal/layout/byweight/rows.cuh"

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

#define FORAY_ASCEND(suffix, Offset)                                                            \
  FORAY_KERNEL ascend_short_##suffix(foray::AscendArgs<Offset> a) { foray::ascend_short(a); }   \
  FORAY_KERNEL ascend_middle_##suffix(foray::AscendArgs<Offset> a) {                            \
    __shared__ foray::u64 row[foray::kTileSorts];                                               \
    __shared__ foray::u32 at;                                                                   \
    foray::ascend_middle(a, row, &at);                                                          \
  }                                                                                             \
  FORAY_KERNEL ascend_long_##suffix(foray::AscendArgs<Offset> a) {                              \
    __shared__ foray::u64 row[foray::kTileSorts];                                               \
    __shared__ foray::u32 at;                                                                   \
    foray::ascend_long(a, row, &at);                                                            \
  }

FORAY_ASCEND(o32, foray::u32)
FORAY_ASCEND(o64, foray::u64)

// The kernels that fill heads (operators/advance/heads.cuh).
#include "operators/advance/heads.cuh"

#define FORAY_KERNEL extern "C" __global__ void __launch_bounds__(foray::kBlock)

FORAY_KERNEL heads_o32(foray::Csr<foray::u32> g, uint4* heads) { foray::fill_heads(g, heads); }
FORAY_KERNEL heads_o64(foray::Csr<foray::u64> g, uint4* heads) { foray::fill_heads(g, heads); }

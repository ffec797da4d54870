// The kernel that puts all vertices into a pile.
#include "frontier/queue.cuh"

extern "C" __global__ void __launch_bounds__(foray::kBlock) pile_all(foray::u32* items, foray::u32* far, foray::u32 n) {
  for (foray::u64 base = foray::u64(blockIdx.x) * foray::kBlock; base < n; base += foray::u64(gridDim.x) * foray::kBlock) {
    const foray::u32 v = foray::u32(base) + threadIdx.x;
    const foray::u32 word = __ballot_sync(foray::kAll, v < n);
    if (v < n) items[v] = v;
    if (foray::lane() == 0 && word) far[v >> 5] = word;
  }
}

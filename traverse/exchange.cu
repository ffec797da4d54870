// The kernel by which a GPU brings its part of an array to the other GPUs' copies.

#include "frontier/peers.cuh"

namespace foray {

// ExchangeArgs are 16 bytes each, so many of them.
struct ExchangeArgs {
  const uint4* from;
  uint4* to[kMostPeers];  // the others, count of them
  const uint4* where;     // what isn't zero there goes; null: all of it
  u64 n;
  u32 count;
  u32 pad;
};

}  // namespace foray

// Stores over the link take no answer, so they are faster than loads; each word goes to all GPUs at once, so that
// all links are in use.
extern "C" __global__ void __launch_bounds__(256) traverse_exchange(foray::ExchangeArgs a) {
  using namespace foray;
  const u64 step = u64(gridDim.x) * blockDim.x;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < a.n; i += step) {
    if (a.where) {
      const uint4 w = a.where[i];
      if (!(w.x | w.y | w.z | w.w)) continue;
    }
    const uint4 x = a.from[i];
    for (u32 j = 0; j < a.count; j++) a.to[j][i] = x;
  }
}

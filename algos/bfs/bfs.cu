// The kernels of breadth-first search, level by level, from which AutoCoupling
// chooses. The other kernels are in laboratory/extra.cu. See visitor.cuh for what happens at an
// edge and operators/advance for how edges are divided among threads.
#include "algos/bfs/search.cuh"
#include "algos/bfs/visitor.cuh"
#include "operators/advance/entries.cuh"

namespace foray {

template <class Offset>
__device__ __forceinline__ void enter_start(const StartArgs<Offset>& a) {
  __shared__ TileShared sh;
  start(a, sh);
  report(a.post);
}

}  // namespace foray

FORAY_PUSH(bfs, foray::Visitor)
FORAY_PULL(bfs, foray::Visitor)

FORAY_KERNEL bfs_fill_o32(foray::StartArgs<foray::u32> a) { foray::fill(a); }
FORAY_KERNEL bfs_fill_o64(foray::StartArgs<foray::u64> a) { foray::fill(a); }
FORAY_KERNEL bfs_start_o32(foray::StartArgs<foray::u32> a) { foray::enter_start(a); }
FORAY_KERNEL bfs_start_o64(foray::StartArgs<foray::u64> a) { foray::enter_start(a); }

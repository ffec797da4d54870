// The kernels of breadth-first search. See visitor.cuh for what happens at an
// edge and operators/advance for how edges are shared out.
#include "algos/bfs/search.cuh"
#include "algos/bfs/visitor.cuh"
#include "operators/advance/entries.cuh"

namespace foray {

using Culling = CullingVisitor<false>;
using Counting = CullingVisitor<true>;

template <class Offset>
__device__ __forceinline__ void enter_start(const StartArgs<Offset>& a) {
  __shared__ TileShared sh;
  start(a, sh);
  report(a.post);
}

template <class Offset>
__device__ __forceinline__ void enter_quadratic(const QuadraticArgs<Offset>& a) {
  __shared__ TileShared sh;
  pull_quadratic(a, sh);
  report(a.post);
}

}  // namespace foray

FORAY_PUSH(bfs, foray::Visitor)
FORAY_PUSH(bfs_culling, foray::Culling)
FORAY_PUSH(bfs_counting, foray::Counting)
FORAY_PULL(bfs, foray::Visitor)

FORAY_KERNEL bfs_fill_o32(foray::StartArgs<foray::u32> a) { foray::fill(a); }
FORAY_KERNEL bfs_fill_o64(foray::StartArgs<foray::u64> a) { foray::fill(a); }
FORAY_KERNEL bfs_start_o32(foray::StartArgs<foray::u32> a) { foray::enter_start(a); }
FORAY_KERNEL bfs_start_o64(foray::StartArgs<foray::u64> a) { foray::enter_start(a); }
FORAY_KERNEL bfs_quadratic_o32(foray::QuadraticArgs<foray::u32> a) { foray::enter_quadratic(a); }
FORAY_KERNEL bfs_quadratic_o64(foray::QuadraticArgs<foray::u64> a) { foray::enter_quadratic(a); }

FORAY_KERNEL bfs_reached(foray::ReachArgs a) {
  __shared__ foray::TileShared sh;
  foray::reached(a, sh);
  foray::report(a.post);
}

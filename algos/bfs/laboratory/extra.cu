// The kernels of breadth-first search that are launched only where Options ask for
// them: strategies and couplings that AutoCoupling never takes, the ways of culling
// but the exact one, and what searches with those need.
#include "algos/bfs/search.cuh"
#include "algos/bfs/visitor.cuh"
#include "operators/advance/entries.cuh"

namespace foray {

using Culling = CullingVisitor<false>;
using Counting = CullingVisitor<true>;

template <class Offset>
__device__ __forceinline__ void enter_quadratic(const QuadraticArgs<Offset>& a) {
  __shared__ TileShared sh;
  pull_quadratic(a, sh);
  report(a.post);
}

}  // namespace foray

FORAY_PUSH_EXTRA(bfs, foray::Visitor)
FORAY_PUSH(bfs_culling, foray::Culling)
FORAY_PUSH_EXTRA(bfs_culling, foray::Culling)
FORAY_PUSH(bfs_counting, foray::Counting)
FORAY_PUSH_EXTRA(bfs_counting, foray::Counting)

FORAY_KERNEL bfs_quadratic_o32(foray::QuadraticArgs<foray::u32> a) { foray::enter_quadratic(a); }
FORAY_KERNEL bfs_quadratic_o64(foray::QuadraticArgs<foray::u64> a) { foray::enter_quadratic(a); }

FORAY_KERNEL bfs_reached(foray::ReachArgs a) {
  __shared__ foray::TileShared sh;
  foray::reached(a, sh);
  foray::report(a.post);
}

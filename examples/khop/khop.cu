// The device side of khop.go's functor.
#include "traverse/traversal.cuh"

struct Hop : foray::EdgeFunctor {
  foray::i32* depth;     // of every vertex, -1 where not reached
  const float* weights;  // of every edge
  float most;            // the largest weight that is crossed
  __device__ bool edge(const foray::Edge& e) const {
    const foray::i32 now = *(volatile foray::i32*)(depth + e.target);
    return now < 0 && weights[e.index] <= most && atomicCAS((foray::u32*)depth + e.target, ~foray::u32(0), e.level) == ~foray::u32(0);
  }
};

FORAY_TRAVERSAL(khop, foray::EdgeFunctors<Hop>, foray::VertexFunctors<>, foray::GatherFunctors<>)

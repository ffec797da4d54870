// The device side of components.go's functor.
#include "traverse/traversal.cuh"

struct Lower : foray::EdgeFunctor {
  foray::u32* label;  // of every vertex
  __device__ bool edge(const foray::Edge& e) const {
    const foray::u32 l = *(volatile foray::u32*)(label + e.source);
    return l < *(volatile foray::u32*)(label + e.target) && l < atomicMin(label + e.target, l);
  }
};

FORAY_TRAVERSAL(components, foray::EdgeFunctors<Lower>, foray::VertexFunctors<>, foray::GatherFunctors<>)

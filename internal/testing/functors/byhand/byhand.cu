// The device side of byhand.go's functors, each in separate kernels.
#include "traverse/traversal.cuh"

using foray::u32;

// Relax lowers distances. Those that aren't negative are in the order of their bits.
struct Relax : foray::EdgeFunctor {
  float* dist;  // of every vertex
  const float* weights;
  __device__ bool edge(const foray::Edge& e) const {
    const float d = *(volatile float*)(dist + e.source) + weights[e.index];
    return d < *(volatile float*)(dist + e.target) && __float_as_int(d) < atomicMin((int*)dist + e.target, __float_as_int(d));
  }
};

struct Lower : foray::EdgeFunctor {
  u32* label;  // of every vertex
  __device__ bool edge(const foray::Edge& e) const {
    const u32 l = *(volatile u32*)(label + e.source);
    return l < *(volatile u32*)(label + e.target) && l < atomicMin(label + e.target, l);
  }
};

struct Update : foray::VertexFunctor<double, foray::kSum> {
  const float* sum;
  float *rank, *share;
  const u32* degree;
  float damping;
  u32 n;
  __device__ double vertex(u32 v, u32) const {
    const float was = rank[v], now = (1 - damping) / n + damping * sum[v];
    rank[v] = now;
    share[v] = now / (degree[v] ? degree[v] : 1);
    return now > was ? double(now - was) : double(was - now);
  }
};

FORAY_TRAVERSAL(relax, foray::EdgeFunctors<Relax>, foray::VertexFunctors<>, foray::GatherFunctors<>)
FORAY_TRAVERSAL(lower, foray::EdgeFunctors<Lower>, foray::VertexFunctors<>, foray::GatherFunctors<>)
FORAY_TRAVERSAL(rank, foray::EdgeFunctors<>, foray::VertexFunctors<Update>, foray::GatherFunctors<foray::SumOfValues>)

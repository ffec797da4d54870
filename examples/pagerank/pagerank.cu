// The device side of pagerank.go's functor.
#include "traverse/traversal.cuh"

struct Update : foray::VertexFunctor<double, foray::kSum> {
  const float* sum;
  float *rank, *share;
  const foray::u32* degree;
  float damping;
  foray::u32 n;
  __device__ double vertex(foray::u32 v, foray::u32) const {
    const float was = rank[v], now = (1 - damping) / n + damping * sum[v];
    rank[v] = now;
    share[v] = now / (degree[v] ? degree[v] : 1);
    return now > was ? double(now - was) : double(was - now);
  }
};

FORAY_TRAVERSAL(pagerank, foray::EdgeFunctors<>, foray::VertexFunctors<Update>, foray::GatherFunctors<foray::SumOfValues>)

// The pull whose sink takes edges. It has a separate image, so that other pulls needn't load it.
#include "operators/advance/entries.cuh"
#include "operators/advance/functors.cuh"

FORAY_PULL(in_edges, foray::InEdges)

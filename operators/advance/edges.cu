// The pull whose sink asks for edges. It is an image of its own: others needn't load it.
#include "operators/advance/entries.cuh"
#include "operators/advance/functors.cuh"

FORAY_PULL(in_edges, foray::InEdges)

// Package gen generates graphs: random and regular ones for measurements and
// tests of traversals.
//
// Parse makes a Generator from a spec such as "kron20" or
// "road:400x400,seed=7". A Generator holds no edges: it makes any
// block of them on request. Edges makes all blocks in parallel, Ordered makes
// them in parallel and passes them on in order, and Build makes a graph.Graph.
// With weights=MIN:MAX in the spec edges have weights.
//
// # Always the same edges
//
// The edges of a spec are the same, in the same order, on any number of
// workers, on any machine, and in later versions. Block i draws its random
// numbers from a part of a SplitMix64 sequence that depends only on the seed
// and i. Edges depend on no floating-point result that machines could round
// differently. Tests compare the hashes of the edges.
//
// # The benchmark graphs
//
// These names stand for the graphs of measurements, all with seed 0:
//
//	kronS   R-MAT as in Graph500: A = .57, B = .19, C = .19, 16 edges per
//	        vertex, 2^S vertices, permuted ids
//	urandS  uniform, 16 edges per vertex, 2^S vertices
//	grid2d  lattice of 2000 by 2000 vertices
//	road    road-like, 4,000,000 vertices, 4,795,125 edges; see Road
//
// Random graphs have self-loops and repeated edges, which graph.Builder drops
// unless told to keep them, so a built graph has somewhat fewer edges.
package gen

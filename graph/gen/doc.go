// Package gen generates graphs: random and regular ones for measurements and
// tests of traversals.
//
// The guide is [docs/tune.md].
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
//	hubs    grid2d in which 4,000 vertices have 1,000 random edges more each
//	road    road-like: chains of vertices between junctions of a lattice;
//	        4,000,000 vertices, 4,795,125 edges
//
// # Stand-ins for graphs of publications
//
// These specs have about the size, degree and search depth of the graphs in table 1 of Merrill, Garland and
// Grimshaw, "Scalable GPU graph traversal" (PPoPP 2012):
//
//	road:4302x4302,chain=10,even                  europe.osm
//	grid2d:5000x5000, grid3d:300x300x300          the lattices
//	mesh:3256x3256                                hugebubbles-00020
//	kkt:160x160x160                               nlpkkt160
//	fem:68x68x68                                  audikw1
//	banded:n=5154859,band=105000                  cage15, directed
//	smallworld:n=2063494,k=6,p=0.03               kkt_power
//	cliques:n=434102,count=360000,window=15500    coPapersCiteseer
//	web:n=3566907                                 wikipedia-20070206, directed
//	kron20:edgefactor=48                          kron_g500-logn20
//	urand:n=2000000,edgefactor=32                 random.2Mv.128Me
//	kron21:edgefactor=32,a=.45,b=.15,c=.15        rmat.2Mv.128Me
//
// Random graphs have self-loops and repeated edges, which graph.Builder drops
// unless told to keep them, so a built graph has somewhat fewer edges.
//
// [docs/tune.md]: https://github.com/foray-graph/foray/blob/main/docs/tune.md
package gen

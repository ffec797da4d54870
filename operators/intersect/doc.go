// Package intersect holds the operator that finds the common neighbours of the
// two ends of edges: triangles, clustering, similarity of neighbourhoods.
//
// For an edge from u to v these are the vertices w that both rows of Graph.Out
// have. Run visits all edges, or those out of a frontier's vertices, or only
// those with u < v, and calls a functor; Count only counts. Options.Triangles
// has every triangle of an undirected graph come once.
//
// # What works where
//
//	                                   host              GPU
//	functor                            any Functor       KernelFunctor
//	Count, Corners, Opposite, Totals   yes               yes
//	Options.From: queue or bitmap      yes               yes
//	Merge                              a worker          a thread an edge
//	Search                             galloping         a warp an edge
//	Table                              a bitmap          hash tables in shared memory
//	Auto                               by both lengths   by both lengths
//	Auto, triangles undirected         by degree         by degree
//
// Auto counts triangles of an undirected graph without parallel edges and self-loops (Count and Corners
// with Triangles, Opposite with Ascending) in rows that lead from lower to higher degree, and
// by a bit matrix of the hubs. They are made once for a placed graph, whatever the order of its vertices
// (Intersector.Prepare, Bytes). A GPU leaves rows as they are where vertices are in another order and
// there are no hubs.
//
// What doesn't work is device.ErrNotSupported. Edges are shared out evenly by
// number, so that hubs are split over workers or blocks.
//
// # Rows
//
// Rows must ascend, as graph.Builder leaves them; others are graph.ErrMalformed.
// Self-loops and parallel edges are taken literally where a graph has them
// (graph.Options.KeepSelfLoops, KeepDuplicates):
//
//   - A common neighbour comes once for each edge, even if a row has it several
//     times: rows are sets.
//   - Of two parallel edges each is visited.
//   - A self-loop at u is an edge from u to u: all of u's neighbours are common.
//     Ascending and Triangles leave it out.
//   - u itself is a common neighbour of u and v where it has a self-loop and v
//     leads to it. With Triangles it isn't, since w < u < v.
//
// # Functors of your own on a GPU
//
// The device side of a functor is a struct that kernels get by value. It is
// written once, in a .cu file:
//
//	#include "operators/intersect/entries.cuh"
//
//	// Between counts the pairs of neighbours that every vertex joins.
//	struct Between {
//	  foray::u32* at;  // of every vertex
//
//	  __device__ void common(foray::u32 u, foray::u32 v, foray::u32 w, foray::u64 edge) const {
//	    atomicAdd(at + w, 1u);
//	  }
//	};
//
//	FORAY_INTERSECT(between, Between)
//
// common is called once for every common neighbour w of every edge visited;
// edge is the edge's number in Graph.Out. Calls come in no order and at the same
// time, by threads of which others do something else: common must not use warp
// operations or barriers.
//
// FORAY_INTERSECT(name, F) makes the kernels of all strategies, for offsets of 32
// and of 64 bits. The file is compiled as one with functors of a push is (go doc
// ./operators/advance has the command line), and the host's side embeds the
// result:
//
//	//go:embed between.fatbin
//	var image []byte
//
//	type between struct{ at *device.Buffer[uint32] }
//
//	func (f *between) Kernels() ([]byte, string) { return image, "between" }
//	func (f *between) Params(words *intersect.Params) { words[0] = uint64(f.at.Pointer()) }
//
// and Common, which a GPU never calls. Kernels returns the same slice each time:
// it is loaded once. Params writes the fields of the struct as C++ lays them
// out, 64 bytes at most.
package intersect

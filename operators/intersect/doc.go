// Package intersect holds the operator that finds the common neighbors of the
// two ends of edges: triangles, clustering, similarity of neighborhoods.
//
// The guide is [docs/operators/intersect.md].
//
// Triangles is a step of a traversal: it calls a functor in Go for every triangle. The rest of
// the package is Intersector, which isn't a step.
//
// For an edge from u to v these are the vertices w that both rows of Graph.Out
// have. Run visits all edges, or those out of a frontier's vertices, or only
// those with u < v, and calls a functor; Count only counts. Options.Triangles
// has every triangle of an undirected graph come once.
//
// # What works where
//
//	                                   host              GPU
//	Func, functors of your own         yes               no
//	Count, Corners, Opposite, Totals   yes               yes
//	Options.From: queue or bitmap      yes               yes
//	rows of similar length             merged            merged by a thread
//	a short and a long row             galloping         search by a warp
//	long rows of many edges            a bitmap          hash tables in shared memory
//	triangles undirected               by degree         by degree
//
// Run counts triangles of an undirected graph without parallel edges and self-loops (Count and Corners
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
//   - A common neighbor comes once for each edge, even if a row has it several
//     times: rows are sets.
//   - Of two parallel edges each is visited.
//   - A self-loop at u is an edge from u to u: all of u's neighbors are common.
//     Ascending and Triangles leave it out.
//   - u itself is a common neighbor of u and v where it has a self-loop and v
//     leads to it. With Triangles it isn't, since w < u < v.
//
// [docs/operators/intersect.md]: https://github.com/foray-graph/foray/blob/main/docs/operators/intersect.md
package intersect

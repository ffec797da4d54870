// Package filter holds the operators that drop vertices from a frontier: vertices
// seen before (culling by bitmask), duplicates (exact dedupe), and vertices that a
// predicate rejects. They also close the gaps (compaction).
//
// The guide is [docs/operators/filter.md].
//
// # What works where
//
// The device is the placed graph's. Queues and bitmaps are taken everywhere.
//
//	                   host             GPU                order of a queue
//	Cull               yes              yes                kept
//	Unvisited, Unique  yes              yes                kept; it is unspecified which copy
//	Keep               any Predicate    functors in Go     kept
//	step Keep          any Predicate    functors in Go,    kept on the host only
//	                                    KernelFunctor
//
// Anything else is device.ErrNotSupported. Culls names what a search on a GPU does at each edge
// instead of a filter after the push.
//
// On a GPU operators are enqueued: the call returns before the kernel has run,
// and Frontier.Len waits for it.
//
// docs/compose.md shows predicates written in Go, and one in CUDA C++: a foray::VertexFunctor,
// whose Go side is an operators.KernelFunctor. The step Keep takes both. It needs one pass on a
// GPU, and can be part of one kernel with other steps.
//
// [docs/operators/filter.md]: https://github.com/foray-graph/foray/blob/main/docs/operators/filter.md
package filter

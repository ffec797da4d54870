// Package advance holds the operator that visits the neighbors of a frontier, with
// the work balanced whatever the degrees are.
//
// The guides are [docs/operators/push.md] and [docs/operators/pull.md].
//
// Push goes from the frontier along out-edges and calls a functor on tiles of
// neighbors; Pull goes from candidates along in-edges and stops at the first
// neighbor in the frontier; PushLevel is Push over the vertices that a level
// array marks, read in order. The names follow Gunrock (Wang et al., PPoPP
// 2016) and Beamer et al. (SC 2012).
//
// An Advancer runs these in a loop written by hand. The functions Push, PushBits,
// PushNear, Pull, Visit and VisitAll make steps of a traversal (package traverse), which
// runs them by the same operators or, but for Pull, in one kernel:
//
//	step                 output
//	Push(f)              a queue
//	PushBits(f)          a bitmap
//	PushNear(s, far)     a queue of the vertices due now; the rest waits in a pile
//	Pull(f, seen)        a bitmap of the vertices found, which is added to seen
//	Visit(v)             none; the frontier stays
//	VisitAll(v)          none; all edges of the graph
//
// # What works where
//
// The device is the placed graph's.
//
//	                             host          GPU
//	Push                         any Functor   in Go, All, Claim, operators.KernelFunctor
//	steps                        any           in Go, All, Claim, operators.KernelFunctor
//	Pull, as a step too          any Sink      in Go, with a method Hit; Parents, InEdges
//	PushLevel                    any Functor   All, Claim
//	Expand                       no            yes
//	Contract, ContractExpand     no            All, Claim
//	Advancer.Strategy            ignored       used
//	weights of edges             yes           yes, traverse.Weights
//
// In Go means a functor that foray generate compiles. Anything else is device.ErrNotSupported:
// Func, and every other functor or sink of your own, is for the host. Traversals with
// functors in Go are in operators/advance/example_test.go, and one operator each in
// example_push_test.go and example_pull_test.go beside it.
//
// On a GPU operators are enqueued: the call returns before the kernel has run, a
// later call or Stream.Sync returns its errors, and Frontier.Len waits for it.
//
// # Functors of your own on a GPU
//
// Write them in Go: foray generate compiles them. A functor in CUDA C++ is a
// foray::EdgeFunctor (operators/functor.cuh), which processes one edge in one thread;
// FORAY_TRAVERSAL generates its kernels, and its Go side is an operators.KernelFunctor.
// docs/compose.md has examples of both. An Advancer takes both too, for Push by AutoBalance,
// ThreadMapped, TWC and MergePath.
//
// [docs/operators/push.md]: https://github.com/foray-graph/foray/blob/main/docs/operators/push.md
// [docs/operators/pull.md]: https://github.com/foray-graph/foray/blob/main/docs/operators/pull.md
package advance

// Package advance holds the operator that visits the neighbors of a frontier, with
// the work balanced whatever the degrees are.
//
// Push goes from the frontier along out-edges and calls a functor on tiles of
// neighbours; Pull goes from candidates along in-edges and stops at the first
// neighbour in the frontier; PushLevel is Push over the vertices that a level
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
//	PushNear(s, far)     a queue of what is due now; the rest waits in a pile
//	Pull(f, seen)        a bitmap of what was found, which is added to seen
//	Visit(v)             none; the frontier stays
//	VisitAll(v)          none; all edges of the graph
//
// # What works where
//
// The device is the placed graph's.
//
//	                                  host            GPU
//	Push                              any Functor     operators.KernelFunctor, KernelFunctor
//	steps                             any             operators.KernelFunctor
//	Pull, as a step too               any Sink        KernelSink; in Go, with a method Hit
//	PushLevel                         any Functor     KernelFunctor
//	Expand                            no              yes
//	Contract, ContractExpand          no              KernelFunctor
//	Pull, with the edge               EdgeSink        KernelSink whose found takes it; in Go
//	Pull, rejecting edges             RejectingSink   in Go
//	RowsFunctor, FoursFunctor         used            ignored
//	Advancer.Strategy                 ignored         used
//	weights of edges                  yes             yes, graph.Placed.Weights, InWeights
//
// Anything else is device.ErrNotSupported. All and Claim are KernelFunctors; Parents
// and InEdges are KernelSinks; searches have their own functor and sink. Func, and
// every other functor or sink without kernels, is for the host. Traversals with
// functors in Go are in operators/advance/example_test.go, and one operator each in
// example_push_test.go and example_pull_test.go beside it.
//
// On a GPU operators are enqueued: the call returns before the kernel has run, a
// later call or Stream.Sync returns its errors, and Frontier.Len waits for it.
//
// # Functors of your own on a GPU
//
// There are two ways. Start with the first.
//
// A foray::EdgeFunctor (operators/functor.cuh) processes one edge in one thread, and
// FORAY_TRAVERSAL generates all kernels that steps need, the persistent one
// included; docs/compose.md has an example. Its Go side is an
// operators.KernelFunctor. An Advancer takes it too, for Push by AutoBalance,
// ThreadMapped, TWC and MergePath.
//
// A functor of FORAY_PUSH can use more of the hardware: shared memory of the block,
// whole warps that call it together, a look ahead of several targets at once
// (fresh), counters of the slot, and every strategy and edge frontiers. algos/bfs
// uses it, for hand-written loops. The steps can't run it in one kernel, nor fuse it
// with a filter. The rest of this page is about it.
//
// The device side of a functor is a struct that kernels get by value, one copy
// a thread. It is written once, in a .cu file:
//
//	#include "operators/advance/entries.cuh"
//
//	// InDegrees counts edges and lets the first one to a vertex through.
//	struct InDegrees {
//	  foray::u32* count;  // of every vertex
//
//	  struct Shared {};  // of the block, in shared memory; may be empty
//	  __device__ void begin(Shared&) const {}
//	  __device__ bool fresh(foray::u32 target) const { return true; }
//	  __device__ bool visit(Shared&, bool active, foray::u32 source, foray::u32 target, foray::u64 edge) const {
//	    return active && atomicAdd(count + target, 1u) == 0;
//	  }
//	  __device__ void end(Shared&, foray::Slot*) const {}
//	};
//
//	FORAY_PUSH(in_degrees, InDegrees)
//
// begin and end are called once by all threads of a block, before the first and
// after the last visit of a kernel, so that they may use __syncthreads. A Push
// by HubQueue or Buckets is several kernels. end may add to the counts of the
// slot, which arrive in the output's Remote().Mail().Counts; its other fields
// are the operator's.
//
// visit processes one edge and returns whether target enters the next frontier.
// Whole warps call it together, so that it may use warp operations but not
// __syncthreads; warps, blocks and edges to the same target come in no order and at
// the same time. If active is false there is no edge: source and target are
// undefined, and it returns false. edge is the edge's number in Graph.Out; in
// Contract and ContractExpand it is its place in the edge frontier, and source is 0
// unless that keeps sources.
//
// fresh is a check before visit, without side effects: false means that visit would
// certainly return false, and then active is false. Not every operator calls it, so
// visit must be correct without it.
//
// A functor whose Unique is true must keep that promise: on a GPU nothing
// checks it, and a vertex let through twice may be written past the frontier.
//
// Three macros make kernels, each for offsets of 32 and of 64 bits
// (name_push_twc_o32 and so on):
//
//	FORAY_PUSH(name, F)        Push by AutoBalance, ThreadMapped, TWC and MergePath;
//	                           ContractExpand
//	FORAY_PUSH_EXTRA(name, F)  Push by WarpMapped and ScanMapped; PushLevel; Contract; with
//	                           FORAY_PUSH, Push by HubQueue and Buckets
//	FORAY_PULL(name, S)        Pull
//
// An operator whose kernel the image lacks returns device.ErrNotSupported, and the
// error names the macro. FORAY_PUSH_EXTRA may be compiled into a separate image,
// which is loaded on first use (ExtraFunctor). The S of FORAY_PULL is a sink, a
// struct whose method found is called once for each candidate that found a parent:
//
//	// Nearest notes the parents.
//	struct Nearest {
//	  foray::u32* parents;  // of every vertex
//
//	  __device__ void found(foray::u32 vertex, foray::u32 parent) const { parents[vertex] = parent; }
//	};
//
//	FORAY_PULL(nearest, Nearest)
//
// One struct can be both functor and sink. A sink with a method found4
// (operators/advance/pull.cuh) gets up to four candidates in one call. A found with
// a third argument, foray::u64 edge, gets the edge's number in Graph.In, as in
// EdgeSink: the index of its weight in graph.Placed.InWeights, and of its id. The
// file is compiled with CUDA 11.8 or later, against the headers in Foray's own
// folder:
//
//	nvcc -std=c++17 -O3 --fatbin \
//	  -gencode arch=compute_90,code=sm_90 \
//	  -gencode arch=compute_70,code=compute_70 \
//	  -I "$(go list -m -f '{{.Dir}}' github.com/foray-graph/foray)" \
//	  -o indegrees.fatbin indegrees.cu
//
// The first -gencode makes machine code for one kind of GPU, the second PTX,
// which the driver compiles for any that is newer. The host's side embeds the
// result:
//
//	//go:embed indegrees.fatbin
//	var image []byte
//
//	type inDegrees struct{ count *device.Buffer[uint32] }
//
//	func (f *inDegrees) Kernels() ([]byte, string) { return image, "in_degrees" }
//	func (f *inDegrees) Params(words *advance.Params) { words[0] = uint64(f.count.Pointer()) }
//	func (f *inDegrees) Unique() bool { return true }
//
// and Visit, which a GPU never calls. Kernels returns the same slice each time:
// it is loaded once. Params writes the fields of the struct as C++ lays them
// out, 64 bytes at most; Buffer.Pointer is an array's address on the device,
// Frontier.Remote().Words that of a bitmap.
package advance

//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels that need no functor of an algorithm's own. An
// image is loaded when one of its kernels is first launched.
//
// A KernelFunctor is a struct in CUDA C++ that kernels get by value, a copy per thread. It can use
// the shared memory of the block (Shared), check several targets before it visits them (fresh), and
// add to the counters of the slot (end). A persistent kernel can't run it, and no filter is fused
// with it. operators/advance/functors.cuh has examples.
//
// begin and end are called once by all threads of a block, before the first and
// after the last visit of a kernel, so that they may use __syncthreads. A Push
// by hubQueue or Buckets is several kernels. end may add to the counts of the
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
//	FORAY_PUSH_EXTRA(name, F)  Push by warpMapped and scanMapped; PushLevel; Contract; with
//	                           FORAY_PUSH, Push by hubQueue and Buckets
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

package advance

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -o advance.fatbin.zst advance.cu

//go:generate go run ../../internal/tools/fatbin -ptx -o edges.fatbin.zst edges.cu

//go:embed advance.fatbin.zst
var image []byte

//go:embed edges.fatbin.zst
var edgesImage []byte

// Package filter holds the operators that drop vertices from a frontier: vertices
// seen before (culling by bitmask), duplicates (exact dedupe), and vertices that a
// predicate rejects; that close the gaps (compaction); and that send vertices into
// one of two frontiers (split).
//
// # What works where
//
// The device is the placed graph's. Queues and bitmaps are taken everywhere.
//
//	                       host              GPU                order of a queue
//	Cull                   yes               yes                kept
//	Unvisited, Unique      yes               yes                kept; it is unspecified which copy
//	Keep                   any Predicate     KernelPredicate    kept
//	Split, SplitAppend     any Predicate     KernelPredicate    none
//	Below                  yes               yes
//	Func                   yes               no
//
// Anything else is device.ErrNotSupported. Claim, ClaimAlone and Has are for
// functors of the host. Culls names what a search on a GPU does at each edge
// instead of a filter after the push.
//
// On a GPU operators are enqueued: the call returns before the kernel has run,
// and Frontier.Len waits for it.
//
// # Predicates of your own on a GPU
//
// A traversal of steps takes a foray::VertexFunctor as predicate (FORAY_TRAVERSAL,
// docs/compose.md): the step Keep then needs one pass, in no order, and can be part
// of one kernel. The operators of a Filterer, which keep the order of a queue, and
// Split take a predicate of FORAY_KEEP. The rest of this page is about that.
//
// The device side of a predicate is a struct that kernels get by value. It is
// written once, in a .cu file:
//
//	#include "operators/filter/entries.cuh"
//
//	// Alive keeps the vertices whose flag is set.
//	struct Alive {
//	  const foray::u32* flags;  // of every vertex
//
//	  __device__ bool keep(foray::u32 v) const { return flags[v] != 0; }
//	};
//
//	FORAY_KEEP(alive, Alive)
//
// keep is called once for every entry, so twice for a vertex that is twice in a
// queue, by threads of which some have no entry: it must not use warp operations or
// barriers. Calls come in no order and at the same time. keep may write other
// memory by atomic operations.
//
// FORAY_KEEP(name, P) makes the kernels of Keep, Split and SplitAppend, for offsets
// of 32 and of 64 bits. The file is compiled like a file with functors (go doc
// ./operators/advance has the command line), and the host's side embeds the result:
//
//	//go:embed alive.fatbin
//	var image []byte
//
//	type alive struct{ flags *device.Buffer[uint32] }
//
//	func (p *alive) Kernels() ([]byte, string) { return image, "alive" }
//	func (p *alive) Params(words *filter.Params) { words[0] = uint64(p.flags.Pointer()) }
//
// and Keep, which a GPU never calls. Kernels returns the same slice each time:
// it is loaded once. Params writes the fields of the struct as C++ lays them
// out, 64 bytes at most.
package filter

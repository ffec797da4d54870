// This file holds limits of functors. Functors are small: the largest of ours has
// 60 instructions. The limits keep the stacks and times of their readers small.

package source

const (
	maxErrors       = 50     // that a message lists
	maxInstructions = 20_000 // of a functor, with all calls inlined
	maxExpression   = 500    // operators in each other
	maxNesting      = 100    // of blocks, ifs, loops and calls
	maxSource       = 8 << 20
	// Bytes of a functor's local arrays. A thread's are in its local memory: those of all threads of an H200, of 2,048
	// on each multiprocessor, are 512 KB there, and its caches have 256 KB and 50 MB.
	maxArrays    = 256
	maxInstances = 32 // of a functor with type parameters: each is code on the host and for GPUs
	maxEager     = 6  // instructions that are computed whether && needs them or not
	// A loop is long if it has more rounds, with the loops around it. It then asks for the context, as often, which
	// takes less than a millisecond. A loop whose bound is computed isn't long: tests of the context would make Foray's own
	// loops over rows slower.
	shortLoop = 1 << 16
)

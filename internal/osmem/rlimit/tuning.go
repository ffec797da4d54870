// This file holds what Go's runtime and the C library take of address space.

package rlimit

const (
	// arena is what the runtime takes of the system at a time, for heap.
	arena = 64 << 20
	// threadsMore is how many threads there are beside one for each processor, and stack and pool what the
	// C library maps for each: a stack, and memory for its own allocations, the latter only where that is
	// to be had and MALLOC_ARENA_MAX doesn't say otherwise. Measured with 2 processors: 8 threads, of 72 MiB
	// each. Without the C library a thread takes next to nothing.
	threadsMore = 6
	stack       = 8 << 20
	pool        = 64 << 20
)

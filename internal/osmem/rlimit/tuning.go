// This file holds what Go's runtime and the C library take of address space.

package rlimit

const (
	// arena is the amount that the runtime takes from the system at a time, for the heap.
	arena = 64 << 20
	// threadsMore is the number of threads in addition to one per processor. stack and pool are what the
	// C library maps for each thread: a stack, and a pool for its own allocations. It maps the pool only if
	// memory is available and MALLOC_ARENA_MAX doesn't forbid it. Measured with 2 processors: 8 threads, 72 MiB
	// each. Without the C library a thread takes next to nothing.
	threadsMore = 6
	stack       = 8 << 20
	pool        = 64 << 20
)

// This file holds the numbers that the set operators are tuned by, each with
// where it comes from.

package sets

const (
	// chunk is how many entries or words a worker of the host claims at once, as
	// in operators/filter: 8 to 16 KiB, some microseconds.
	chunk = 1 << 11
	// serialBelow is how many worker 0 does by itself: less than the wake-up of
	// the others costs.
	serialBelow = 1 << 10
)

// This file holds the numbers that streams of the host are tuned by.

package host

// How long a worker without work spins before it lets others run, and before
// it sleeps. A level of a road network takes 5 to 20 µs, so a worker must not
// sleep between two of those; a wake-up costs about 5 µs.
const (
	spinsBeforeYield = 1 << 13
	yieldsBeforeNap  = 200
)

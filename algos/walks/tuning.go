// This file holds the numbers that walks are tuned by, and the limits that its counters give.

package walks

const (
	// defaultLength is what Options.Length stands for if it is 0, as in node2vec's program.
	defaultLength = 80
	// batchVertices is how many vertices the walks of a batch have at most, unless one has more: 64 MiB.
	batchVertices = 1 << 24
	// batchWalks is how many walks a batch has: enough for all threads of a GPU.
	batchWalks = 1 << 19
	// mostThreads is the number of threads that share a batch. An H200 runs as many at a time.
	mostThreads = 1 << 18
	// tries is how often an edge is drawn and rejected before the whole distribution is computed, which takes a pass over the
	// row. With P and Q from 1/4 to 4, the values of the paper, an edge is accepted at least once in 16 times.
	tries = 32

	// mostFactor is the largest P and Q: sums of so many weights stay finite.
	mostFactor = 1e9

	// A counter has 16 bits for the numbers of a step, 24 for steps, and 24 for walks of one start.
	stepBits   = 16
	repeatBits = 40
	lastDraw   = 1<<stepBits - 1
	// MostLength and MostCount are the most steps of a walk, and the most walks of a start.
	MostLength = 1 << 20
	MostCount  = 1 << 24
)

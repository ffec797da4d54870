// This file holds the numbers of the package and where they come from.

package nccl

import "time"

const (
	// MemoryUnit is a unit in which memory for Peers is allocated, so that nothing else is shared with it: the
	// driver allocates pages of that size.
	MemoryUnit = 2 << 20

	// asks is how many times in a deadline a rank that waits asks NCCL for errors.
	asks = 200
	// farewell is how long a call that failed waits until what was aborted has ended: NCCL's kernels
	// look at their flag all the time.
	farewell = 2 * time.Second
	// grace is how long a failed rank's call of NCCL may take to return before it is aborted
	// from outside, which NCCL does not promise to be safe. Calls take some 30 us; those
	// that connect to other hosts, less than a second.
	grace = time.Second
	// spin is how long a rank that waits only lets other goroutines run between two tests. A
	// level of a search takes up to 1 ms, and a nap of 20 us takes 70.
	// Then it sleeps for nap, which is napLong after napAfter: as internal/cluster/comm does.
	spin     = 2 * time.Millisecond
	nap      = 20 * time.Microsecond
	napAfter = 20 * time.Millisecond
	napLong  = 500 * time.Microsecond

	// markRing is how many calls can be enqueued before a call waits for the first of them.
	markRing = 256
	// turnRing is how many calls of a process's first rank are remembered for the others to
	// compare with: more than a rank gets ahead by calls that are waited for.
	turnRing = 2 * markRing
	// textBytes is what a rank may say of itself when ranks meet without a communicator in
	// host memory: its version and settings, which are some hundred bytes.
	textBytes = 8 << 10

	// newsEvery is the interval of reports between processes. A round takes a few
	// us of a GPU, and 30 of a processor. The interval is most of the time until a failure is known.
	newsEvery = 50 * time.Millisecond
	// tellMost is how long a failure may take to be told before this rank's kernels are ended: ten
	// rounds.
	tellMost = 500 * time.Millisecond
	// aliveEvery is the interval of signs of life between processes. A process that gives none until a lifeMargin-th before
	// the deadline is named: other ranks wait for the deadline, and can't name the rank.
	aliveEvery = 500 * time.Millisecond
	lifeMargin = 14
	// namedWithin is how long an error that names no rank waits for one that does: NCCL may notice the end of a process
	// first.
	namedWithin = time.Second
	// dialEvery is the interval of attempts to reach rank 0, helloWithin how long a connection may take to say which rank it
	// is, and sendWithin how long a frame may take to be sent, which a connection has room for.
	dialEvery = 20 * time.Millisecond
	// lingerMost is how long a rank that fails before all ranks are there waits for them.
	lingerMost  = 2 * time.Second
	helloWithin = 5 * time.Second
	sendWithin  = time.Second
	// inlineLeast and inlineMost bound how many numbers the record has that ranks exchange
	// at the beginning of a call in host memory: as many as there are ranks, for the lengths of
	// lists. Records of 61 ranks are 31 KB, which NCCL gathers as fast as 8 bytes.
	inlineLeast = 5
	inlineMost  = 61

	// uniteBlocks is the largest number of blocks of the kernel that unites bitmaps, which
	// reads at the memory's speed with fewer.
	uniteBlocks = 1 << 12
)

// Tests make them smaller.
var (
	// deadline is how long a call may make no progress. A hanging rank must end the others
	// within 10 s: the remaining time is for the shutdown.
	deadline = 7 * time.Second
	// startDeadline is how long ranks wait for one another at the start. NCCL
	// itself takes seconds there, and longer where the library's file is cold.
	startDeadline = 60 * time.Second
	// exchangePiece is the largest message in bytes. NCCL would take larger ones; with pieces
	// a long list is seen to make progress. Pieces of a gigabyte take 3 ms over NVLink, and
	// less than a second over a slow network.
	exchangePiece uint64 = 1 << 30
	// stageBytes is the pinned memory through which a communicator in host memory sends, and that
	// through which it receives. 16 MiB take 0.6 ms over PCIe 4, beside which calls and waits
	// of 50 us are little.
	stageBytes uint64 = 16 << 20
	// gatherMost is how many bytes more a rank may receive because all ranks' bitmaps are
	// gathered instead of united by their owners. That is a second call: 40 us at 300 GB/s, as
	// NCCL 2.28 has on 4 H200 (15 us and the same rate on 2, where there is nothing to gain).
	gatherMost uint64 = 12 << 20
)

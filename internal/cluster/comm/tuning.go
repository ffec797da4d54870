// This file holds the numbers of the package and their sources.

package comm

import "time"

const (
	// deadline is how long a rank may make no progress while others wait for
	// it. A hanging rank must end the others within 10 s. Three seconds are for
	// detection and for ending, which took 1.1 to 2.3 with Open MPI (bench/notes/processes.md).
	deadline = 7 * time.Second
	// asks is how many times a waiting rank asks the others, until the
	// deadline, whether they make progress.
	asks = 10
	// looks is how many times between two questions it looks whether the deadline is over.
	looks = 10
	// unanswered is how many questions a rank leaves unanswered before it counts as silent. A rank answers within
	// attend, a fortieth of the time between two questions.
	unanswered = 2
	// lastResort is how long after a failure a process may continue before MPI_Abort
	// ends the job. Programs need well under a second to print an error.
	lastResort = 5 * time.Second
	// farewell is how long Close waits until the news of a failure is sent.
	farewell = time.Second
	// hearRounds is how many times an interrupted rank looks for messages at least, for attend or longer. Open MPI 4.1
	// takes messages in at one look and finds them at the next, 31 at a time.
	hearRounds = 20

	// attend is how often a rank that isn't in a call checks for messages of
	// others: a thread wakes up 50 times a second. The interval is most of the time until
	// a rank that computes learns of a failure.
	attend = 20 * time.Millisecond
	// spin is how long a rank that waits only lets other threads run between two
	// tests. Then it sleeps for nap, which is napLong after napAfter.
	// Measured: bench/notes/processes.md.
	spin     = 100 * time.Microsecond
	nap      = 50 * time.Microsecond
	napAfter = 20 * time.Millisecond
	napLong  = 500 * time.Microsecond

	// stripeBytes is how many bytes of a bitmap a goroutine reduces before it
	// continues with the next rank's bitmap: half of an L1 cache.
	stripeBytes = 16 << 10
)

// Tests make them smaller.
var (
	// startDeadline is how long MPI may take to start, when it waits for all processes: seconds for
	// hundreds of processes, and longer if the library's file isn't cached.
	startDeadline = time.Minute
	// exchangePiece is the largest message of an Exchange. MPI counts in 32 bits. If ranks share
	// memory, it copies several whole messages within one call: with pieces of 1 GiB
	// a rank didn't answer for more than 2 s, and on a busy machine also with this size
	// when all pieces of 2 GiB were posted at once. So each list has one piece under way. Pan et
	// al. found messages of 4 MB best on their network.
	exchangePiece = 16 << 20
	// reducePiece is how many words are reduced at once. It bounds the memory
	// into which MPI writes: 16 MiB.
	reducePiece = 2 << 20
)

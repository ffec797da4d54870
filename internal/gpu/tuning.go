// This file holds the numbers that devices, streams and uploads are tuned by.

package gpu

import "time"

// Block is the number of threads in a block of every kernel (kBlock of
// frontier/queue.cuh).
const Block = 256

// largestCluster is how many blocks a cluster has at most.
const largestCluster = 16

// clusterPTX is the first architecture that has clusters, as driver.FuncPTXVersion reports it.
const clusterPTX = 90

// ringSlots is how many operators may be under way at once; the ring is zeroed
// each time it has gone round.
const ringSlots = 1 << 11

// How long Wait spins before it checks the context and yields, and
// how often it queries the driver for errors.
const (
	spinsPerLook = 1 << 8
	queryEvery   = 200 * time.Microsecond
)

// The size of a pinned buffer and how many workers fill them at most. 4
// MiB take 80 µs over the bus, and filling one takes a core several times that.
const (
	stageBytes   = 4 << 20
	stageWorkers = 8
)

// Answers is the number of places that Stream.Ask may ask at once: as many as fit in a slot.
const Answers = slotBytes / 8

// mostBytes bounds what UnpackImage inflates. The largest image of this repository has
// 11 MB.
const mostBytes = 256 << 20

// Patience is how long a block of a search in one kernel waits for the
// others before it gives up, in 2^20 ticks of a multiprocessor: about 18 s at
// 1.8 GHz. On any GPU that the kernel was launched on as it should be all blocks
// run at once, and a barrier takes no longer than a level.
var Patience uint32 = 1 << 15

// aheadKept is how long a frame of machine code stays unpacked after its last use. Unpacking it takes 13 ms on a shared
// core, and an algorithm takes its kernels within its first second.
const aheadKept = 5 * time.Second

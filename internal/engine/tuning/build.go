package tuning

// DeviceEdges is how many edges a graph has at least that a GPU builds: the host takes less than a tenth
// of a second for fewer, and the GPU's driver some hundredths to begin with.
var DeviceEdges uint64 = 1 << 20

// IDPart is how many ids, or words of 64, a part of them has at least that a worker of the host goes
// through when vertices are numbered: each part has counters of degrees, 256 KiB.
var IDPart = 1 << 14

// PartBytes is how much of the rows a GPU puts entries into at a time, about a sixth of what its second-level
// cache holds.
var PartBytes uint64 = 8 << 20

// BatchPairs is how many edges a GPU gets at a time that has no room for all: 256 MiB, of which the bus brings
// the next ones while kernels are at work on these. InBatches has it take edges so although there is room.
var (
	BatchPairs uint64 = 32 << 20
	InBatches  bool
)

// SpareBytes is what there is at least to sort long rows in.
const SpareBytes = 64 << 20

// Edges go to a GPU while others are read, EarlyPairs of them at a time, 64 MiB, which is worth several goroutines
// and pinned buffers, in blocks of EarlyChunks of 1,024 edges at least: of smaller ones there are few.
var (
	EarlyPairs  uint64 = 8 << 20
	EarlyChunks uint64 = 64
)

// Of building on several GPUs: ShardWindow is how many entries of each become pairs at a time, which takes 16 bytes
// an entry, 1 GiB; ShardBatch is how many pairs each makes, or gets, at a time where there is no room for all, 24 bytes
// each. A batch is many times what the kernels' start and the waiting for the slowest GPU take.
var (
	ShardWindow uint64 = 64 << 20
	ShardBatch  uint64 = 128 << 20
)

// ShardRest is room on each of them for what is small: streams, counters, tables of a generator, and what an
// allocation takes more than it gives.
var ShardRest uint64 = 16 << 20

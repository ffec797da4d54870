package tuning

// ChunkEntries is how many entries of rows a GPU's buffer has at most through which rows in the host's memory are streamed (0: none, rows are read in place), and
// LeastChunk how many it has at least: with less memory rows are read in place. Copies of 64 MB run at 55.0 GB/s, of 1 MB at
// 46.2 (bench/notes/larger-than-gpu.md).
var (
	ChunkEntries uint64 = 16 << 20
	LeastChunk   uint64 = 256 << 10
)

// RegisterBytes is how large an array is at least that a GPU's driver pins where it is, instead of a copy. Small ones share pages
// with others, and a copy takes no time.
var RegisterBytes uint64 = 1 << 20

// InTiers places each graph in tiers on a GPU, with a quarter of its targets there, however much memory there is. Tests set it.
var InTiers bool

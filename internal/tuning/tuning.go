// Package tuning holds thresholds that tests set, so that what they switch
// happens on small graphs too. Nothing else writes to them.
package tuning

// One cluster of blocks searches on a GPU while a level has fewer than DeepEnter
// vertices, and until one has more than DeepLeave or the next one is likely to
// have more than DeepSends edges, on graphs whose growth
// (see algos/bfs) is no more than DeepGrowth. Measured on an H200.
var (
	DeepEnter  uint32 = 4096
	DeepLeave  uint32 = 12288
	DeepSends  uint32 = 40000
	DeepGrowth        = 10.0
)

// WideOffsets gives graphs offsets of 64 bits on GPUs, however few their edges.
var WideOffsets bool

// This file holds the numbers of the kernel (peel.cuh).

package mesh

const (
	threads     = 1024 // of a block. With 512 a lattice took 3.27 ms instead of 3.37 on an H200, a road network 0.33 instead of 0.25
	stages      = 64   // kPeelStages: more than there are different degrees in a graph of short rows
	apart       = 32   // kPeelApart
	beyond      = 32   // entries that are read behind the last inbox
	degreeBytes = 1    // of a vertex, in shared memory
	listBytes   = 2    // of a vertex, in shared memory
	// mostOwn is how many vertices a block has at most, whose numbers fit into entries of the list.
	mostOwn = 1<<16 - 4
	// leastOwn is how many it has at least: neighbors of fewer are in other blocks. No other number was tried.
	leastOwn = 256
)

// This file holds the numbers of the kernels (sweep.cuh).

package sweep

const (
	threads    = 512 // of a block
	places     = 4 * threads
	valueBytes = 16                      // SweepValue
	shared     = 2 * places * valueBytes // of a block: two levels
	rowOfQuad  = 4                       // neighbors of a quad
	mostQuads  = 2                       // of a vertex: the kernels that there are
)

// This file holds the numbers that scalars are tuned by.

package operators

// maxBlocks is how many blocks may reduce into a scalar.
const maxBlocks = 1 << 12

// This file holds the limits of the input.

package graphar

// maxPadding is how many offsets more than it needs a chunk has at most, so that
// a few bytes can't ask for gigabytes; chunks are of some 100,000 vertices.
const maxPadding = 1 << 22

// maxInfo is the longest YAML file that is read; they have a few lines a
// property.
const maxInfo = 4 << 20

// rowsPerCheck is how many rows of CSV are counted between two looks at the context.
const rowsPerCheck = 1 << 12

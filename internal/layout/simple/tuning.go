// This file holds the number that preparing is tuned by.

package simple

// verticesAtOnce is how many vertices a worker claims at once: with rows of 16 some tens of
// microseconds, a thousand times the claim.
const verticesAtOnce = 512

// lookEntries is after how many entries of rows a worker looks at the context: sorting takes some 50 ns for each.
const lookEntries = 1 << 15

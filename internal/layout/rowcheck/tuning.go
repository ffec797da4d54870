// This file holds the number that looking is tuned by.

package rowcheck

// verticesAtOnce is how many vertices a worker claims at once: with rows of 16 some tens of
// microseconds, a thousand times the claim.
const verticesAtOnce = 512

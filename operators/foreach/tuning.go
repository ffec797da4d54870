// This file holds the numbers that the host's foreach is tuned by.

package foreach

// tile is how many vertices a functor gets in one call: they stay in the first-level
// cache, and a call costs nothing beside them.
const tile = 1 << 10

// aloneVertices is how many vertices worker 0 does by itself: sharing costs half a
// microsecond.
const aloneVertices = 1 << 10

// This file holds the numbers that the host's foreach is tuned by.

package foreach

const (
	// tileMost is how many vertices a functor gets in one call at most: they stay in the
	// first-level cache, and a call costs nothing beside them. Tiles of small frontiers are
	// smaller, so that there are tiles of them, but tileLeast at least. Their size doesn't depend
	// on the number of workers: sums of floats are the same for any.
	tileMost  = 1 << 10
	tileLeast = 1 << 6
	tiles     = 1 << 6
	// aloneVertices is the number of vertices that worker 0 processes alone: sharing costs half a
	// microsecond. shareVertices is the least that another worker is called for.
	aloneVertices = 1 << 8
	shareVertices = 1 << 7
)

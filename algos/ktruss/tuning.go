// This file holds the numbers that peeling on the host is tuned by. None was varied in a measurement yet.

package ktruss

const (
	// edgesAtOnce is how many edges a worker claims, which take a microsecond each.
	edgesAtOnce = 64
	// listAtOnce is how many edges of a list a worker looks at at once at least, which take some nanoseconds each.
	listAtOnce = 1 << 13
	// rowsAtOnce is how many rows a worker claims.
	rowsAtOnce = 256
	// gallopFactor is from which ratio of lengths on the longer of two rows is searched by steps that double.
	gallopFactor = 8
	// lookVertices is after how many vertices a loop looks at the context.
	lookVertices = 1 << 12
)

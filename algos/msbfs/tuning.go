// This file holds the numbers that Each is tuned by.

package msbfs

// pollItems is how many vertices Each goes over on the host before it looks at the context; from
// sortedVertices of them on, a bitmap puts them in order instead of a sort, which can't be interrupted.
const (
	pollItems      = 1 << 12
	sortedVertices = 1 << 12
)

// eachBytes is the memory of Each for vertices reached: not measured, but little compared with a
// graph of which 64 searches fill it.
const eachBytes = 1 << 30

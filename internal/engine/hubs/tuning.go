// This file holds the numbers that hubs are tuned by.

package hubs

// ShortRow is the longest row that isn't a hub's, and Segment how many of a hub's edges a
// warp reduces at a time (kShortRow and kSegment of reduce.cuh).
const (
	ShortRow = 128
	Segment  = 1024
)

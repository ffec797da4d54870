// This file holds the numbers that closeness is tuned by.

package closeness

// checked is how many vertices Validate searches from: each takes a pass over the edges.
const checked = 64

// fewLanes is the number of lanes over shards: those of one word (package msbfs).
const fewLanes = 64

// This file holds what an engine is: what does a search on a rank.

package engine

import "context"

// engine runs a search: on the host's processors, or on a GPU.
type engine interface {
	// run searches from vertices until nothing is found any more, or what was asked for is, and counts in r. All
	// ranks call it.
	run(ctx context.Context, from, targets []place, r *Result) (*found, error)
}

// found is what a search leaves on a rank, by the rank's own numbers and by delegate.
type found struct {
	depths, depthD []int32 // those of the rank's delegates are in both
	// Where parents are wanted: the one on this rank by which a vertex was found.
	parentN, parentD []place
}

// expanded counts what a host did in a level.
type expanded struct {
	edges     uint64 // looked at
	delegates uint64 // found
	sends     uint64 // normal vertices found for other ranks
	pulls     [subgraphs]bool
}

// The subgraphs.
const (
	subND = iota
	subDD
	subDN
	subNN
	subgraphs
)

// This file holds what an engine is: what does a search on a rank.

package engine

import "context"

// engine runs a search: on the host's processors, or on a GPU.
type engine interface {
	// run searches from vertices until a level finds nothing or the search has what was requested, and counts in r. All
	// ranks call it.
	run(ctx context.Context, from, targets []place, r *Result) (*found, error)
}

// found is a search's result on a rank, by the rank's own numbers and by delegate.
type found struct {
	depths, depthD []int32 // the depths of the rank's delegates are in both
	// Where parents are wanted: the one on this rank by which a vertex was found.
	parentN, parentD []place
}

// expanded counts a host's work in a level.
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

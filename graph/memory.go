// This file holds the estimates of memory.

package graph

// Memory is an estimate of what building takes, in bytes.
type Memory struct {
	Graph uint64 // the finished graph: CSR, reverse, weights
	IDs   uint64 // the id map
	Peak  uint64 // the most that is held at one time, both included
}

// Estimate says what memory building a graph of so many input edges and
// vertices takes, before any is taken. meanIDBytes is the mean length of
// string ids, 0 for integers.
func Estimate(o Options, inputEdges, vertices uint64, meanIDBytes float64) Memory { return Memory{} }

// Estimate says what memory Build will take, given what was added so far.
func (b *Builder) Estimate() Memory { return Memory{} }

func (b *Builder) checkMemory() error { return nil }

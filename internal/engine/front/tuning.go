// This file holds the numbers that conversions on a GPU are tuned by.

package front

import "github.com/foray-graph/foray/internal/gpu"

// tileBits is how many entries or bits a block looks at at a time (kTile of
// tiles.cuh).
const tileBits = 8 * gpu.Block

// addsMost is how many vertices Add keeps host memory for, as a bound on memory: few are added to a frontier
// that a search begins with.
const addsMost = 4096

// Slack is how many entries a queue's buffer has beyond its capacity, so that an operator may
// write a tile past the end before it knows how much of it counts.
const Slack = 1 << 13

// This file holds Generator, the block size, the limits and the errors.

package gen

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// BlockEdges is the maximum number of edges of a block. It makes the costs per
// block (a random stream, a call) negligible, and its two slices fit into a core's
// L2 cache.
const BlockEdges = 1 << 16

const (
	// maxVertices is the largest number of vertices that a generator makes.
	maxVertices = uint64(graph.NoVertex)
	// maxEdges is the largest number of edges that a generator makes: the
	// number of blocks then fits into an int of 32 bits, and no two blocks
	// share a stretch of the random stream (see stream).
	maxEdges = uint64(1) << 44
)

// ErrSpec: a spec that Parse can't read, or whose sizes or parameters, such as a probability, are out of their range.
var ErrSpec = errors.New("gen: bad spec")

var (
	errSize      = text.Named("gen: bad size", ErrSpec)
	errParameter = text.Named("gen: bad parameter", ErrSpec)
	errNoWeights = text.Named("gen: the generator has no weights", graph.ErrNoWeights)
)

// Generator makes the edges of one graph in blocks. A block depends on
// nothing but the generator's parameters and the block's index, so blocks can
// be made in any order, any number of times and by any number of goroutines
// at once. Each undirected edge comes once, in one direction.
type Generator interface {
	// Name is the spec of the graph: Parse(Name()) is an equal generator.
	Name() string
	// NumVertices is the number of vertices: ids are 0 to NumVertices()-1.
	NumVertices() uint64
	// NumEdges is the number of edges of all blocks together. Self-loops and
	// repeated edges, if there are any, count.
	NumEdges() uint64
	// Blocks is the number of blocks.
	Blocks() int
	// Block writes the edges of block i, which is at least 0 and less than
	// Blocks(), to the front of src and dst and returns their number, which is
	// at least 1 and at most BlockEdges. Both slices must have a length of
	// BlockEdges or more.
	Block(i int, src, dst []uint32) int
	// WeightType is the type of the weights: graph.WeightsInt64 or graph.WeightsFloat64, or graph.WeightsAuto if
	// edges have no weights.
	WeightType() graph.WeightType
	// Weights writes the weight of the edge between src[i] and dst[i], in either direction, to weights[i]. All
	// three are of one length. If edges have no weights it does nothing.
	//
	// Weights are uniform between two bounds. The weight of an edge depends on its ends and the seed alone: both
	// directions of an edge, and all copies of one that is repeated, have the same. As the edges do, weights stay
	// the same on any machine and in later versions.
	Weights(src, dst []uint32, weights []float32)
}

// unweighted is embedded in generators whose edges have no weights.
type unweighted struct{}

func (unweighted) WeightType() graph.WeightType       { return graph.WeightsAuto }
func (unweighted) Weights(_, _ []uint32, _ []float32) {}

// blocksOf returns the number of blocks of m edges where all but the last
// block are full.
func blocksOf(m uint64) int { return int((m + BlockEdges - 1) / BlockEdges) }

// blockLen returns the number of edges of block i of m edges where all but
// the last block are full.
func blockLen(m uint64, i int) int {
	return int(min(BlockEdges, m-uint64(i)*BlockEdges))
}

// checkVertices returns an errSize unless lo <= n <= maxVertices.
func checkVertices(what string, n, lo uint64) error {
	if n < lo {
		return fmt.Errorf("%w: %s of %d vertices; it needs at least %d", errSize, what, n, lo)
	}
	if n > maxVertices {
		return fmt.Errorf("%w: %s of %d vertices; a graph has at most %d", errSize, what, n, maxVertices)
	}
	return nil
}

// checkSides returns the product of the sides, or an errSize where a side is
// zero or the product is past maxVertices.
func checkSides(what string, sides ...uint64) (uint64, error) {
	n := uint64(1)
	for _, s := range sides {
		if s == 0 {
			return 0, fmt.Errorf("%w: %s with a side of 0", errSize, what)
		}
		if s > maxVertices/n {
			return 0, fmt.Errorf("%w: %s of %s vertices; a graph has at most %d", errSize, what, times(sides), maxVertices)
		}
		n *= s
	}
	return n, nil
}

// checkFactor returns n times the number of edges per vertex, or errSize
// if the product is 0 or exceeds maxEdges.
func checkFactor(what string, n uint64, perVertex int) (uint64, error) {
	if perVertex < 1 {
		return 0, fmt.Errorf("%w: %s with %d edges per vertex; it needs at least 1", errSize, what, perVertex)
	}
	if uint64(perVertex) > maxEdges/n {
		return 0, fmt.Errorf("%w: %s of %d vertices with %d edges each; at most %d edges can be made",
			errSize, what, n, perVertex, maxEdges)
	}
	return n * uint64(perVertex), nil
}

// times joins sides with an x, as specs have them.
func times(sides []uint64) string {
	s := ""
	for i, x := range sides {
		if i > 0 {
			s += "x"
		}
		s += fmt.Sprint(x)
	}
	return s
}

// This file holds Generator, the block size, the limits and the errors.

package gen

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/graph"
)

// BlockEdges is the maximum number of edges of a block. It makes the costs per
// block (a random stream, a call) negligible, and its two slices fit into a core's
// L2 cache.
const BlockEdges = 1 << 16

const (
	// MaxVertices is the largest number of vertices that a generator makes.
	MaxVertices = uint64(graph.NoVertex)
	// MaxEdges is the largest number of edges that a generator makes: the
	// number of blocks then fits into an int of 32 bits, and no two blocks
	// share a stretch of the random stream (see stream).
	MaxEdges = uint64(1) << 44
)

// Errors to test for with errors.Is. A returned error wraps one of them and
// names the invalid argument.
var (
	// ErrSpec: a spec that Parse can't read.
	ErrSpec = errors.New("gen: bad spec")
	// ErrSize: a size that is zero, too small for the graph, or past
	// MaxVertices or MaxEdges.
	ErrSize = errors.New("gen: bad size")
	// ErrParameter: a parameter, such as a probability, out of its range.
	ErrParameter = errors.New("gen: bad parameter")
	// ErrNoWeights: the generator has no weights (it isn't Weighted).
	ErrNoWeights = errors.New("gen: the generator has no weights")
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
}

// blocksOf returns the number of blocks of m edges where all but the last
// block are full.
func blocksOf(m uint64) int { return int((m + BlockEdges - 1) / BlockEdges) }

// blockLen returns the number of edges of block i of m edges where all but
// the last block are full.
func blockLen(m uint64, i int) int {
	return int(min(BlockEdges, m-uint64(i)*BlockEdges))
}

// checkVertices returns an ErrSize unless lo <= n <= MaxVertices.
func checkVertices(what string, n, lo uint64) error {
	if n < lo {
		return fmt.Errorf("%w: %s of %d vertices; it needs at least %d", ErrSize, what, n, lo)
	}
	if n > MaxVertices {
		return fmt.Errorf("%w: %s of %d vertices; a graph has at most %d", ErrSize, what, n, MaxVertices)
	}
	return nil
}

// checkSides returns the product of the sides, or an ErrSize where a side is
// zero or the product is past MaxVertices.
func checkSides(what string, sides ...uint64) (uint64, error) {
	n := uint64(1)
	for _, s := range sides {
		if s == 0 {
			return 0, fmt.Errorf("%w: %s with a side of 0", ErrSize, what)
		}
		if s > MaxVertices/n {
			return 0, fmt.Errorf("%w: %s of %s vertices; a graph has at most %d", ErrSize, what, times(sides), MaxVertices)
		}
		n *= s
	}
	return n, nil
}

// checkFactor returns n times the number of edges per vertex, or ErrSize
// if the product is 0 or exceeds MaxEdges.
func checkFactor(what string, n uint64, perVertex int) (uint64, error) {
	if perVertex < 1 {
		return 0, fmt.Errorf("%w: %s with %d edges per vertex; it needs at least 1", ErrSize, what, perVertex)
	}
	if uint64(perVertex) > MaxEdges/n {
		return 0, fmt.Errorf("%w: %s of %d vertices with %d edges each; at most %d edges can be made",
			ErrSize, what, n, perVertex, MaxEdges)
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

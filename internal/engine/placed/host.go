// This file holds what operators and algorithms alone use of a graph on the host and of its arrays.

package placed

import (
	"context"
	"time"

	"github.com/foray-graph/foray/device"
)

// Prepared has data for pulls, computed once per graph, on first use.
type Prepared struct {
	// First holds the first in-neighbor of every vertex: with vertices ordered by degree, the one with
	// the most neighbors, which a frontier is most likely to hold. A pull probes it before it touches
	// the row. For a vertex without in-neighbors it is the vertex itself. It is nil if the graph was
	// built on the device on which it is placed, where the array exists only on that device.
	First []uint32
	// NoIn has a bit per vertex, set if the vertex has no in-neighbor and so is
	// never a candidate of a pull. Bits past the last vertex are set.
	NoIn []uint64
	// Candidates is the number of vertices that have an in-neighbor.
	Candidates int
	// MaxDegree is the largest out-degree.
	MaxDegree uint64
	// Words is the number of words of NoIn up to the last one that has a
	// candidate.
	Words int
	// Cuts divide the words of NoIn into ranges of about equal work (edges and
	// vertices): range i is Cuts[i] to Cuts[i+1].
	Cuts []int32
	// Elapsed is the time of computing it, Bytes its memory.
	Elapsed time.Duration
	Bytes   uint64
}

// Ell4 is the rows of a graph of low degree (a mesh, a road network) at a
// fixed width: the ELLPACK format of width 4.
type Ell4 struct {
	// Rows[v] holds the first four targets of v. A shorter row is filled up
	// with v itself, which a traversal that expands v has visited already.
	Rows [][4]uint32
	// Long has a bit for every vertex with more than four targets, the fifth of which is at Offsets[v]+4 of the
	// CSR. It is nil if there is no such vertex.
	Long []uint64
	// Elapsed is the time of computing it, Bytes its memory.
	Elapsed time.Duration
	Bytes   uint64
	// Loops reports whether a row has its own vertex as a target: if not, entries equal to the vertex are
	// padding. For a graph that was stored with its rows the first call scans them.
	Loops func() bool
}

// Arrays are the arrays of a placed graph, and what is computed from them. All belong to the placed graph, which may be
// nil: what returns an error then returns graph.ErrNoGraph.
type Arrays interface {
	// Offsets returns the NumVertices+1 offsets of the rows of Graph.Out, on the device: row v has the
	// edges from entry v to before entry v+1. On a GPU it may be a copy, of 8 bytes a vertex, which is
	// made on the first call.
	Offsets() (*device.Buffer[uint64], error)
	// EdgeColumn returns a column of the edges of Graph.Out, or of Graph.In, on the device, as a *device.Buffer of the
	// column's type, which is made on the first call. The error is graph.ErrNoColumn for a name that the graph lacks.
	EdgeColumn(ctx context.Context, name string, in bool) (any, error)
	// Targets returns the targets of the edges of Graph.Out, on the device.
	Targets() (*device.Buffer[uint32], error)
	// Weights returns the weights of the edges of Graph.Out, on the device: entry e is the weight of edge
	// e. On a GPU they are uploaded on the first call and take 4 bytes an edge, which Graph.RemoteBytes doesn't
	// count. The error is graph.ErrNoWeights for a graph without weights, unless it has no edges, or the device's.
	Weights() (*device.Buffer[float32], error)
	// FloatWeights is Weights in float64, without the rounding of Weights (see CSR.FloatWeights and
	// CSR.IntWeights; integers of more than 53 bits are rounded). It takes 8 bytes an edge, on the host too
	// unless the graph has CSR.FloatWeights. On several GPUs the error is device.ErrNotSupported.
	FloatWeights() (*device.Buffer[float64], error)
	// EdgeIDs returns the ids of the edges of Graph.Out, on the device, as Weights does. They take 8 bytes an edge.
	EdgeIDs() (*device.Buffer[uint64], error)
	// InEdgeIDs is EdgeIDs of the edges of Graph.In.
	InEdgeIDs() (*device.Buffer[uint64], error)
	// MaxDegree returns the largest out-degree, computed on the first call; 0 if the graph was closed
	// before that.
	MaxDegree() uint64
	// Prepare computes, once, the data that pulls need. Later calls return the same value, which must not be
	// written to. Operators call it when they need it, so call it only to keep it out of a measured time. It returns
	// nil if the graph has no reverse, and an empty value if the graph was closed before the first call.
	Prepare() *Prepared
	// Ell4 returns the graph's ELL4 rows, computed on the first call, or nil if degrees are too high for
	// that to pay: a mean above 4, or more than one vertex in 16 with more than four targets. It is also nil if the
	// graph was closed before the first call. It takes 16 bytes per vertex, and must not be written to.
	Ell4() *Ell4
}

// HostGraph is a graph on the host.
type HostGraph interface {
	// Fetched reports whether the rows are on the host.
	Fetched() bool
	// Offsets returns the offsets of the rows of Out, and the end of the last row. The slice belongs to the graph.
	Offsets() []uint64
	// InOffsets is the same for In, nil for a graph without its reverse.
	InOffsets() []uint64
	// ExactWeights reports whether float32 represents all weights: CSR.IntWeights and CSR.FloatWeights are nil.
	ExactWeights() bool
	// Identified reports whether edges have ids.
	Identified() bool
	// Prepare returns the data for pulls. It uses stored data if there is some, and
	// every call computes the rest again. It returns nil if the graph has no reverse.
	// Searches use Arrays.Prepare, which keeps the result.
	Prepare() *Prepared
	// Ell4 returns the ELL4 rows that were stored with the graph, or computes them. It returns nil in the
	// same cases as Arrays.Ell4, which keeps the result.
	Ell4() *Ell4
	// PreparedBytes returns the maximum memory on the host of Prepare, Ell4, and the rows of low degree
	// that pushes lay out with their weights. It computes none of them; for a graph of low degree it takes
	// a pass over the offsets.
	PreparedBytes() uint64
}

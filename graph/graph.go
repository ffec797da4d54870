// Package graph holds graphs on the host: compressed sparse rows, the reverse
// graph, the map between external ids and vertices, building from edges, and
// placing a graph on a device.
//
// The guide is [docs/loading.md].
//
// A graph has two kinds of ids. Vertices, with which Foray computes, are dense
// uint32 from 0 to NumVertices()-1, in an order that building may choose.
// External ids are the input's: any integer type, strings or binary.
// Graph.Vertex, VertexString and others map an external id to a vertex; IDs.Int,
// Bytes and Format map back.
//
// To build a graph, call NewBuilder, AddInts or AddStrings, and Build (or
// TwoPass). Then Graph.On places it on a device, where searches run. FromCSR
// makes a graph from compressed sparse rows.
//
// [docs/loading.md]: https://github.com/foray-graph/foray/blob/main/docs/loading.md
package graph

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/engine/placed"
)

// Order is the internal order of vertices. Results always have external ids, whatever the order.
type Order uint8

const (
	// OrderAuto is OrderDegree if degrees are skewed, else OrderGiven.
	OrderAuto Order = iota
	// OrderDegree numbers by descending degree, ties by external id. Hubs come
	// first and isolated vertices last.
	OrderDegree
	// OrderGiven numbers by ascending external id.
	OrderGiven
)

var orderNames = [...]string{"auto", "degree", "given"}

func (o Order) String() string {
	if int(o) < len(orderNames) {
		return orderNames[o]
	}
	return fmt.Sprintf("Order(%d)", uint8(o))
}

// Parse returns the order, the way to combine weights or the type of weights with the given name, which is what String
// returns. The error of any other name wraps ErrOptions and lists the names.
func Parse[T interface {
	Order | Combine | WeightType
	fmt.Stringer
}](name string) (T, error) {
	what, names := "order", orderNames[:]
	switch any(T(0)).(type) {
	case Combine:
		what, names = "way to combine weights", combineNames[:]
	case WeightType:
		what, names = "type of weights", weightTypeNames[:]
	}
	for i, s := range names {
		if s == name {
			return T(i), nil
		}
	}
	last := len(names) - 1
	return 0, fmt.Errorf("%w: unknown %s %.100q (%s or %s)", ErrOptions, what, name, strings.Join(names[:last], ", "), names[last])
}

// Graph is an immutable graph on the host, safe for concurrent use. A Builder, TwoPass or FromCSR makes
// one. Only graphs in mapped files, and those that were built on a device and never placed, need Close.
type Graph struct {
	out      *CSR
	in       *CSR // out itself where the graph is symmetric; nil where there is no reverse
	ids      *IDs
	directed bool
	order    Order
	stats    BuildStats
	stored   Stored
	hold     hold
	checksum checksum
	counted  histogram
	built    *built // where it was built on a device
	away     *away  // where rows are only there, perhaps
	ascends  bool   // rows are known to be sorted
	simple   bool   // and to have nothing twice, and no self-loop
	weights  WeightType
	columns  []Column                 // of edges, by the entries of out
	vertices atomic.Pointer[[]Column] // of vertices
	entries  []uint64                 // of out, by those of in, where parallel edges may have another order; or nil
}

// BuildStats describes what building did with the input. Input that Append adds counts too. Edges that
// RemoveEdges removes are still counted.
type BuildStats struct {
	InputEdges uint64 // edges given
	SelfLoops  uint64 // self-loops dropped
	// Duplicates is the number of directed edges that were dropped as duplicates.
	// In an undirected graph both directions count.
	Duplicates uint64
	// Combined is the way in which their weights were combined, if there are weights.
	Combined Combine
	// Device is the name of the GPU that built the rows (Options.Device), such as "cuda:0". It is empty
	// if the host built them.
	Device string
	// WhyHost is the reason why the host built the rows although Options.Device is a GPU, for messages.
	// It is also empty for small graphs, which the host builds as fast.
	WhyHost string
}

// CSROptions are the options of FromCSR. The zero value means an undirected graph whose vertex v has the
// external id v.
type CSROptions struct {
	// Directed means that edges have one direction. Otherwise the rows must have
	// every edge in both directions (a self-loop once).
	Directed bool
	// In is the reverse of a directed graph, without which only pushes are
	// possible. It must be nil for an undirected graph, which is its own.
	In *CSR
	// IDs are the external ids of the vertices. nil means that vertex v has the
	// external id v, of type Int64.
	IDs *IDs
	// Order is the order in which vertices are numbered. OrderDegree is checked
	// (except for ties), OrderGiven isn't. OrderAuto, the zero value, means
	// OrderGiven.
	Order Order
	// WeightType is the type of the weights, if there are weights. WeightsAuto means
	// WeightsInt64 if the rows have IntWeights, else WeightsFloat64.
	WeightType WeightType
	// Stats becomes Graph.Stats. If InputEdges is 0, it is set to the graph's
	// edges and the dropped edges in Stats. Device and WhyHost are ignored.
	Stats BuildStats
	// EdgeColumns are columns of the edges: entry e of Values belongs to entry e of out. If In is not nil, both rows
	// must have parallel edges in the same order.
	EdgeColumns []Column
	// VertexColumns are columns of the vertices, as for AddVertexColumns.
	VertexColumns []Column
	// Stored has prepared data of a graph that was stored.
	Stored Stored
}

// FromCSR makes a graph from rows of out-neighbors, without a Builder. The graph takes over the rows, and the
// reverse and the ids of the options: the caller must no longer write to their arrays.
//
// FromCSR checks the form of the arrays (CSR.Check), and that they have equal numbers of vertices and edges. It
// checks neither symmetry (see CheckSymmetric) nor that o.In is the reverse of out. The check is a pass over the
// arrays; for a directed graph without In in OrderDegree it temporarily takes 4 bytes per vertex.
//
// The error is ErrMalformed for arrays that aren't a graph or don't match, ErrTooManyVertices, or ErrOptions for
// an invalid Order.
func FromCSR(out CSR, o CSROptions) (*Graph, error) {
	if !o.Stored.Checked {
		if err := out.Check(); err != nil {
			return nil, err
		}
	}
	g := &Graph{out: &out, directed: o.Directed, ids: o.IDs, order: o.Order, stats: o.Stats, stored: o.Stored}
	g.stats.Device, g.stats.WhyHost = "", ""
	g.hold.release = o.Stored.Release
	switch {
	case !o.Directed && o.In != nil:
		return nil, fmt.Errorf("%w: an undirected graph is its own reverse; pass nil", ErrMalformed)
	case !o.Directed:
		g.in = g.out
	case o.In != nil:
		rev := *o.In
		if !o.Stored.Checked {
			if err := rev.Check(); err != nil {
				return nil, fmt.Errorf("reverse graph: %w", err)
			}
		}
		if rev.NumVertices() != out.NumVertices() || rev.NumEdges() != out.NumEdges() {
			return nil, fmt.Errorf("%w: the reverse graph has %d vertices and %d edges, the graph %d and %d",
				ErrMalformed, rev.NumVertices(), rev.NumEdges(), out.NumVertices(), out.NumEdges())
		}
		g.in = &rev
	}
	if err := g.checkWeightType(o.WeightType); err != nil {
		return nil, err
	}
	if err := g.setColumns(o.EdgeColumns, o.Stored.Checked); err != nil {
		return nil, err
	}
	if err := g.addVertexColumns(o.VertexColumns, o.Stored.Checked); err != nil {
		return nil, err
	}
	if g.ids == nil {
		g.ids = &IDs{Type: Int64, Len: out.NumVertices()}
	}
	if o.Stored.Ranked {
		g.ids.setByID(o.Stored.ByID)
	}
	if g.ids.Len != out.NumVertices() {
		return nil, fmt.Errorf("%w: %d ids for %d vertices", ErrMalformed, g.ids.Len, out.NumVertices())
	}
	if s := g.ids.Sides; s != nil && (g.ids.Dense() || len(s) != (g.ids.Len+63)/64) {
		return nil, fmt.Errorf("%w: %d words of IDs.Sides for %d vertices; want a bit each, and ids that aren't dense", ErrMalformed, len(s), g.ids.Len)
	}
	if err := checkLogical(g.ids.Type, g.ids.Logical); err != nil {
		return nil, err
	}
	if err := g.checkStored(); err != nil {
		return nil, err
	}
	if o.Stored.Release != nil {
		g.hold.mapped = newMapped(g.out.NumEdges(), g.ids)
	}
	if g.stats.InputEdges == 0 {
		repeated := g.stats.Duplicates
		if !g.directed {
			repeated = (repeated + 1) / 2 // counted in both directions
		}
		g.stats.InputEdges = g.NumEdges() + g.stats.SelfLoops + repeated
	}
	switch g.order {
	case OrderAuto:
		g.order = OrderGiven
	case OrderGiven:
	case OrderDegree:
		if o.Stored.Checked {
			break
		}
		if err := g.checkDegreeOrder(); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%w: CSROptions.Order is %v; want OrderGiven or OrderDegree", ErrOptions, g.order)
	}
	return g, nil
}

// checkDegreeOrder reports vertices that aren't in descending order of degree.
// In a directed graph the degree is the sum of both directions.
func (g *Graph) checkDegreeOrder() error {
	var in []uint32 // where there is no reverse
	if g.directed && g.in == nil {
		in = make([]uint32, g.NumVertices())
		for _, t := range g.out.Targets {
			in[t]++
		}
	}
	last := ^uint64(0)
	for v := range uint32(g.NumVertices()) {
		d := g.out.Degree(v)
		switch {
		case in != nil:
			d += uint64(in[v])
		case g.directed:
			d += g.in.Degree(v)
		}
		if d > last {
			return fmt.Errorf("%w: OrderDegree, but vertex %d has degree %d and the one before %d; pass OrderGiven", ErrMalformed, v, d, last)
		}
		last = d
	}
	return nil
}

// NumVertices returns the number of vertices.
func (g *Graph) NumVertices() int { return g.out.NumVertices() }

// NumDirectedEdges returns the number of entries of the CSR: an undirected
// edge counts twice (a self-loop once).
func (g *Graph) NumDirectedEdges() uint64 {
	if m := g.hold.mapped; m != nil {
		return m.entries
	}
	return g.out.NumEdges()
}

// NumEdges returns the number of edges: in a directed graph the entries of the
// CSR, in an undirected graph half of them, rounded up. An undirected graph that
// keeps self-loops, which have one entry each, has more edges: NumEdges misses
// half of the self-loops.
func (g *Graph) NumEdges() uint64 {
	if g.directed {
		return g.NumDirectedEdges()
	}
	return (g.NumDirectedEdges() + 1) / 2
}

// Directed reports whether the graph is directed.
func (g *Graph) Directed() bool { return g.directed }

// Order returns the order of the vertices: OrderDegree or OrderGiven.
func (g *Graph) Order() Order { return g.order }

// Out returns the rows of out-neighbors. See Fetch for graphs that were built on a device.
func (g *Graph) Out() *CSR {
	if g.away != nil || g.hold.mapped != nil {
		g.mustHave()
	}
	return g.out
}

// In returns the rows of in-neighbors: Out itself if the graph is undirected,
// nil if a directed graph was built without its reverse. See Fetch.
func (g *Graph) In() *CSR {
	if (g.away != nil || g.hold.mapped != nil) && g.in != nil {
		g.mustHave()
	}
	return g.in
}

// HasReverse reports whether the graph has its reverse, without which In is nil. An undirected graph is
// its own reverse.
func (g *Graph) HasReverse() bool { return g.in != nil }

// State returns the methods that operators and algorithms alone use.
func (g *Graph) State() placed.HostGraph { return (*inner)(g) }

// inner has the methods of a graph that operators and algorithms alone use.
type inner Graph

func (i *inner) Offsets() []uint64 {
	g := (*Graph)(i)
	if m := g.hold.mapped; m != nil && m.released.Load() {
		panic(errGraphClosed())
	}
	return g.out.Offsets
}

func (i *inner) InOffsets() []uint64 {
	g := (*Graph)(i)
	if m := g.hold.mapped; m != nil && m.released.Load() {
		panic(errGraphClosed())
	}
	if g.in == nil {
		return nil
	}
	return g.in.Offsets
}

// Degree returns the number of out-edges of v, which must be a vertex.
func (g *Graph) Degree(v uint32) uint64 {
	if g.hold.mapped != nil {
		return g.hold.mapped.degree(g.out, v)
	}
	return g.out.Degree(v)
}

// InDegree returns the number of in-edges of v, which must be a vertex. The graph must have its reverse.
func (g *Graph) InDegree(v uint32) uint64 {
	if g.hold.mapped != nil {
		return g.hold.mapped.degree(g.in, v)
	}
	return g.in.Degree(v)
}

// IDs returns the map between external ids and vertices.
func (g *Graph) IDs() *IDs {
	if m := g.hold.mapped; m != nil && m.released.Load() {
		return m.lost
	}
	return g.ids
}

// Stats returns the statistics of building.
func (g *Graph) Stats() BuildStats { return g.stats }

// CheckSymmetric returns ErrMalformed, naming the first edge without its
// opposite, or nil. Rows must ascend, as building makes them; otherwise edges
// are missed. It does a binary search per edge.
func (c *CSR) CheckSymmetric() error {
	for u := 0; u < c.NumVertices(); u++ {
		for _, v := range c.Neighbors(uint32(u)) {
			if !hasSorted(c.Neighbors(v), uint32(u)) {
				return fmt.Errorf("%w: edge %d to %d has no opposite", ErrMalformed, u, v)
			}
		}
	}
	return nil
}

func hasSorted(row []uint32, v uint32) bool {
	lo, hi := 0, len(row)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if row[m] < v {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo < len(row) && row[lo] == v
}

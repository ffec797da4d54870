// Package graph holds graphs on the host: compressed sparse rows, the reverse
// graph, the map between external ids and vertices, building from edges, and
// placing a graph on a device.
//
// Vertex ids inside are dense uint32, 0 to NumVertices()-1. External ids, as
// the input has them, are any integer type, strings or binary; IDs maps
// between the two.
package graph

import "fmt"

// Order says how the vertices are numbered inside. Results always come out in
// external ids, whatever the order.
type Order uint8

const (
	// OrderAuto is OrderDegree where degrees are skewed, OrderGiven elsewhere.
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

// ParseOrder returns the order of that name: auto, degree or given. Another name
// is ErrOptions.
func ParseOrder(name string) (Order, error) {
	for i, s := range orderNames {
		if s == name {
			return Order(i), nil
		}
	}
	return 0, fmt.Errorf("%w: unknown order %q (auto, degree or given)", ErrOptions, name)
}

// Graph is an immutable graph on the host, safe for concurrent use.
type Graph struct {
	out      *CSR
	in       *CSR // out itself where the graph is symmetric; nil where there is no reverse
	ids      *IDs
	directed bool
	order    Order
	stats    BuildStats
}

// BuildStats says what building did with the input.
type BuildStats struct {
	InputEdges uint64 // edges given
	SelfLoops  uint64 // self-loops dropped
	Duplicates uint64 // directed edges dropped because they were there already
}

// FromCSR makes a graph of a CSR that the caller hands over and no longer
// writes to. With directed false the CSR must be symmetric: every edge is
// there in both directions; in must be nil. With directed true, in is the
// reverse graph or nil, without which only pushes are possible. A nil ids
// means that vertex v has the external id v. The arrays are checked for form
// (see CSR.Check), not for symmetry; see CheckSymmetric.
func FromCSR(out CSR, in *CSR, directed bool, ids *IDs) (*Graph, error) {
	if err := out.Check(); err != nil {
		return nil, err
	}
	g := &Graph{out: &out, directed: directed, ids: ids, order: OrderGiven}
	switch {
	case !directed && in != nil:
		return nil, fmt.Errorf("%w: an undirected graph is its own reverse; pass nil", ErrMalformed)
	case !directed:
		g.in = g.out
	case in != nil:
		if err := in.Check(); err != nil {
			return nil, fmt.Errorf("reverse graph: %w", err)
		}
		if in.NumVertices() != out.NumVertices() || in.NumEdges() != out.NumEdges() {
			return nil, fmt.Errorf("%w: the reverse graph has %d vertices and %d edges, the graph %d and %d",
				ErrMalformed, in.NumVertices(), in.NumEdges(), out.NumVertices(), out.NumEdges())
		}
		rev := *in
		g.in = &rev
	}
	if g.ids == nil {
		g.ids = &IDs{Type: Int64, Len: out.NumVertices()}
	}
	if g.ids.Len != out.NumVertices() {
		return nil, fmt.Errorf("%w: %d ids for %d vertices", ErrMalformed, g.ids.Len, out.NumVertices())
	}
	g.stats.InputEdges = g.NumEdges()
	return g, nil
}

// NumVertices returns the number of vertices.
func (g *Graph) NumVertices() int { return g.out.NumVertices() }

// NumDirectedEdges returns the number of entries of the CSR: an undirected
// edge counts twice (a self-loop, where kept, once).
func (g *Graph) NumDirectedEdges() uint64 { return g.out.NumEdges() }

// NumEdges returns the number of edges: of a directed graph its directed
// edges, of an undirected one half of the CSR's entries.
func (g *Graph) NumEdges() uint64 {
	if g.directed {
		return g.out.NumEdges()
	}
	return (g.out.NumEdges() + 1) / 2
}

// Directed reports whether the graph is directed.
func (g *Graph) Directed() bool { return g.directed }

// Order returns how vertices are numbered: OrderDegree or OrderGiven.
func (g *Graph) Order() Order { return g.order }

// Out returns the rows of out-neighbours.
func (g *Graph) Out() *CSR { return g.out }

// In returns the rows of in-neighbours: Out itself where the graph is
// undirected, nil where a directed graph was built without its reverse.
func (g *Graph) In() *CSR { return g.in }

// IDs returns the map between external ids and vertices.
func (g *Graph) IDs() *IDs { return g.ids }

// Stats returns what building did with the input.
func (g *Graph) Stats() BuildStats { return g.stats }

// CheckSymmetric returns an error that names the first edge that lacks its
// opposite. Rows must be sorted. It costs a binary search per edge.
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

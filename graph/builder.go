// This file holds Builder, which makes a Graph of batches of edges.

package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
)

// Options say what graph to build. The zero value makes an undirected simple
// graph: every edge in both directions, no self-loops, no duplicates.
type Options struct {
	// Directed keeps edges as given; otherwise every edge is also added reversed.
	Directed bool
	// Reverse builds the reverse of a directed graph too, which pulls need.
	Reverse bool
	// KeepSelfLoops keeps edges from a vertex to itself.
	KeepSelfLoops bool
	// KeepDuplicates keeps parallel edges. Where they are dropped, the smallest
	// weight stays.
	KeepDuplicates bool
	// DenseIDs says that the ids are vertex ids already, 0 to the largest one;
	// ids that don't occur are isolated vertices. No id map is stored (unless
	// Order renumbers, when one uint32 per vertex is).
	DenseIDs bool
	// Order says how vertices are numbered inside.
	Order Order
	// Weights keeps a float32 per edge; every batch must then have them.
	Weights bool
	// MemoryLimit in bytes: building refuses, with ErrMemory, to go past it.
	// 0 means what the machine (or its cgroup) has.
	MemoryLimit uint64
	// Workers is the number of goroutines that build; 0 means GOMAXPROCS.
	Workers int
	// Progress, if not nil, is called now and then with the edges added so far
	// or, while the graph is put together, the share done of the named phase.
	Progress func(phase string, done, total uint64)
}

// Integer is any integer type that ids may have.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Strings is a column of strings or binary values: value i is
// Data[Offsets[i]:Offsets[i+1]]. It is Arrow's layout, so that columns are
// passed on without a copy.
type Strings struct {
	Offsets []int64
	Data    []byte
	Binary  bool // the type is binary, not string
}

// Len returns the number of values.
func (s Strings) Len() int { return max(0, len(s.Offsets)-1) }

// Value returns value i.
func (s Strings) Value(i int) []byte { return s.Data[s.Offsets[i]:s.Offsets[i+1]] }

// Builder collects edges and makes a Graph of them. Its Add calls may come
// from several goroutines at once; the graph does not depend on their order.
type Builder struct {
	o Options

	mu    sync.Mutex
	typed bool
	typ   IDType
	ints  map[int64]uint32
	strs  map[string]uint32
	edges []edge
	built bool
}

type edge struct {
	src, dst uint32
	w        float32
}

// NewBuilder returns a Builder.
func NewBuilder(o Options) *Builder {
	return &Builder{o: o, ints: map[int64]uint32{}, strs: map[string]uint32{}}
}

var errBuilt = errors.New("graph: the Builder was built already; make a new one")

func typeOf[T Integer]() IDType {
	var zero T
	signed := ^zero < 0
	bits := 0
	for x := T(1); x != 0; x <<= 1 {
		bits++
	}
	t := map[int]IDType{64: Int64, 32: Int32, 16: Int16, 8: Int8}[bits]
	if !signed {
		t += Uint64
	}
	return t
}

// AddInts adds one edge from src[i] to dst[i] for every i. The slices are
// only read, and only during the call. weights is nil or as long as src.
// All calls on one Builder must have ids of the same type T, or fail with
// ErrIDType.
func AddInts[T Integer](b *Builder, src, dst []T, weights []float32) error {
	e := Batch{Type: typeOf[T](), Src: make([]int64, len(src)), Dst: make([]int64, len(dst)), Weights: weights}
	for i, x := range src {
		e.Src[i] = int64(x)
	}
	for i, x := range dst {
		e.Dst[i] = int64(x)
	}
	return b.Add(e)
}

// AddStrings adds one edge from src.Value(i) to dst.Value(i) for every i. The
// bytes are copied as far as they are needed.
func (b *Builder) AddStrings(src, dst Strings, weights []float32) error {
	t := String
	if src.Binary {
		t = Binary
	}
	return b.Add(Batch{Type: t, SrcStrings: &src, DstStrings: &dst, Weights: weights})
}

// Batch is a batch of edges from a source that can be read twice. Exactly one
// of the id pairs is set: Src and Dst, or SrcStrings and DstStrings.
type Batch struct {
	Type                   IDType
	Src, Dst               []int64 // integers of any type, widened (a Uint64 bit for bit)
	SrcStrings, DstStrings *Strings
	Weights                []float32
}

// Add adds a batch; it is what AddInts and AddStrings do, for callers that
// learn the type at run time. b.Type is the external type of integer ids.
func (b *Builder) Add(e Batch) error {
	n, m := len(e.Src), len(e.Dst)
	if e.SrcStrings != nil && e.DstStrings != nil {
		n, m = e.SrcStrings.Len(), e.DstStrings.Len()
		e.Type = String
		if e.SrcStrings.Binary {
			e.Type = Binary
		}
	}
	if n != m {
		return fmt.Errorf("%w: %d sources but %d targets", ErrMalformed, n, m)
	}
	if e.Weights != nil && len(e.Weights) != n || b.o.Weights && len(e.Weights) != n {
		return fmt.Errorf("%w: %d weights for %d edges", ErrMalformed, len(e.Weights), n)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.built {
		return errBuilt
	}
	if b.typed && b.typ != e.Type {
		return fmt.Errorf("%w: %v ids after %v ids", ErrIDType, e.Type, b.typ)
	}
	if b.o.DenseIDs && !e.Type.Integer() {
		return fmt.Errorf("%w: dense ids must be integers, not %v", ErrIDType, e.Type)
	}
	b.typed, b.typ = true, e.Type
	for i := 0; i < n; i++ {
		x := edge{}
		if e.Weights != nil {
			x.w = e.Weights[i]
		}
		if e.Type.Integer() {
			for _, id := range []int64{e.Src[i], e.Dst[i]} {
				if b.o.DenseIDs && (id < 0 || id >= int64(NoVertex)) {
					return fmt.Errorf("%w: %d is no dense id (0 to %d)", ErrIDRange, id, NoVertex-1)
				}
				if _, ok := b.ints[id]; !ok {
					b.ints[id] = uint32(len(b.ints))
				}
			}
			x.src, x.dst = b.ints[e.Src[i]], b.ints[e.Dst[i]]
		} else {
			for _, id := range [][]byte{e.SrcStrings.Value(i), e.DstStrings.Value(i)} {
				if _, ok := b.strs[string(id)]; !ok {
					b.strs[string(id)] = uint32(len(b.strs))
				}
			}
			x.src, x.dst = b.strs[string(e.SrcStrings.Value(i))], b.strs[string(e.DstStrings.Value(i))]
		}
		b.edges = append(b.edges, x)
	}
	return nil
}

// Build makes the graph. The Builder can't be used afterwards.
func (b *Builder) Build(ctx context.Context) (*Graph, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.built {
		return nil, errBuilt
	}
	b.built = true
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(b.edges) == 0 {
		return nil, ErrEmpty
	}
	ids := &IDs{Type: b.typ}
	label := make([]uint32, len(b.ints)+len(b.strs)) // by provisional id
	switch {
	case b.o.DenseIDs:
		for id, p := range b.ints {
			label[p] = uint32(id)
			ids.Len = max(ids.Len, int(id)+1)
		}
	case b.typ.Integer():
		for id := range b.ints {
			ids.Ints = append(ids.Ints, id)
		}
		slices.SortFunc(ids.Ints, func(x, y int64) int {
			if b.typ.Signed() {
				return cmp.Compare(x, y)
			}
			return cmp.Compare(uint64(x), uint64(y))
		})
		for v, id := range ids.Ints {
			label[b.ints[id]] = uint32(v)
		}
		ids.Len = len(ids.Ints)
	default:
		var all []string
		for id := range b.strs {
			all = append(all, id)
		}
		slices.Sort(all)
		ids.StringOffsets = []uint64{0}
		for v, id := range all {
			label[b.strs[id]] = uint32(v)
			ids.Data = append(ids.Data, id...)
			ids.StringOffsets = append(ids.StringOffsets, uint64(len(ids.Data)))
		}
		ids.Len = len(all)
	}
	g := &Graph{ids: ids, directed: b.o.Directed, order: OrderGiven}
	g.stats.InputEdges = uint64(len(b.edges))
	var es []edge
	for _, e := range b.edges {
		e.src, e.dst = label[e.src], label[e.dst]
		if e.src == e.dst && !b.o.KeepSelfLoops {
			g.stats.SelfLoops++
			continue
		}
		es = append(es, e)
		if !b.o.Directed && e.src != e.dst {
			es = append(es, edge{e.dst, e.src, e.w})
		}
	}
	all := len(es)
	es = sortEdges(es, !b.o.KeepDuplicates)
	g.stats.Duplicates = uint64(all - len(es))
	degree := make([]int, ids.Len)
	for _, e := range es {
		degree[e.src]++
		if b.o.Directed {
			degree[e.dst]++
		}
	}
	if b.o.Order == OrderDegree || b.o.Order == OrderAuto && slices.Max(degree)*ids.Len > 16*len(es) {
		g.order = OrderDegree
		g.ids, label = byDegree(ids, degree)
		for i, e := range es {
			es[i].src, es[i].dst = label[e.src], label[e.dst]
		}
		es = sortEdges(es, false)
	}
	g.out = rowsOf(es, ids.Len, b.o.Weights)
	if !b.o.Directed {
		g.in = g.out
	} else if b.o.Reverse {
		for i := range es {
			es[i].src, es[i].dst = es[i].dst, es[i].src
		}
		g.in = rowsOf(sortEdges(es, false), ids.Len, b.o.Weights)
	}
	return g, nil
}

// sortEdges sorts by source, target and weight (NaN last), and drops all but
// the lightest of parallel edges if unique.
func sortEdges(es []edge, unique bool) []edge {
	slices.SortFunc(es, func(x, y edge) int {
		if c := cmp.Or(cmp.Compare(x.src, y.src), cmp.Compare(x.dst, y.dst)); c != 0 {
			return c
		}
		if math.IsNaN(float64(x.w)) || math.IsNaN(float64(y.w)) {
			return cmp.Compare(y.w, x.w)
		}
		return cmp.Compare(x.w, y.w)
	})
	if unique {
		es = slices.CompactFunc(es, func(x, y edge) bool { return x.src == y.src && x.dst == y.dst })
	}
	return es
}

// byDegree returns the ids in descending order of degree, and the new vertex
// of each old one.
func byDegree(ids *IDs, degree []int) (*IDs, []uint32) {
	old := make([]uint32, ids.Len)
	for v := range old {
		old[v] = uint32(v)
	}
	slices.SortStableFunc(old, func(v, w uint32) int { return cmp.Compare(degree[w], degree[v]) })
	m := &IDs{Type: ids.Type, Len: ids.Len}
	label := make([]uint32, ids.Len)
	switch {
	case ids.Dense():
		m.Dense32 = old
	case ids.Ints != nil:
		m.Ints = make([]int64, ids.Len)
	default:
		m.StringOffsets = make([]uint64, 1, ids.Len+1)
	}
	for v, o := range old {
		label[o] = uint32(v)
		if ids.Ints != nil {
			m.Ints[v] = ids.Ints[o]
		} else if !ids.Dense() {
			m.Data = append(m.Data, ids.Bytes(o)...)
			m.StringOffsets = append(m.StringOffsets, uint64(len(m.Data)))
		}
	}
	m.index.byID = label
	return m, label
}

func rowsOf(es []edge, n int, weights bool) *CSR {
	c := &CSR{Offsets: make([]uint64, n+1), Targets: make([]uint32, len(es))}
	if weights {
		c.Weights = make([]float32, len(es))
	}
	for i, e := range es {
		c.Offsets[e.src+1]++
		c.Targets[i] = e.dst
		if weights {
			c.Weights[i] = e.w
		}
	}
	for v := 0; v < n; v++ {
		c.Offsets[v+1] += c.Offsets[v]
	}
	return c
}

// TwoPass builds a graph without holding the edges: read is called twice, and
// must yield the same edges each time (in any order, from any number of
// goroutines). Besides the graph and the id map it holds nothing per edge.
func TwoPass(ctx context.Context, o Options, read func(ctx context.Context, yield func(Batch) error) error) (*Graph, error) {
	b := NewBuilder(o)
	if err := read(ctx, b.Add); err != nil {
		return nil, err
	}
	return b.Build(ctx)
}

// Memory is an estimate of what building takes, in bytes.
type Memory struct {
	Graph uint64 // the finished graph: CSR, reverse, weights
	IDs   uint64 // the id map
	Peak  uint64 // the most that is held at one time, both included
}

// Estimate says what memory building a graph of so many input edges and
// vertices takes, before any is taken. meanIDBytes is the mean length of
// string ids, 0 for integers.
func Estimate(o Options, inputEdges, vertices uint64, meanIDBytes float64) Memory {
	m := Memory{Graph: 8*vertices + 8*inputEdges, IDs: vertices * (8 + uint64(meanIDBytes))}
	m.Peak = m.Graph + m.IDs + 12*inputEdges + 48*vertices
	return m
}

// Estimate says what memory Build will take, given what was added so far.
func (b *Builder) Estimate() Memory {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Estimate(b.o, uint64(len(b.edges)), uint64(len(b.ints)+len(b.strs)), 0)
}

// This file holds the graph in which triangles are counted: undirected, without duplicates and
// self-loops.

package triangles

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/intersect"
)

// simple is a placed graph's simple graph: itself, or one with its vertices by descending
// degree, which the placed graph keeps.
type simple struct {
	p     *graph.Placed
	order []uint32               // the vertex of p's vertex in the graph; nil where p is that itself
	twice *device.Buffer[uint64] // of a directed graph: the edges that lead both ways
}

// Free frees what isn't the graph's.
func (x *simple) Free() error {
	if x.order == nil {
		return nil
	}
	return errors.Join(x.twice.Free(), x.p.Free())
}

type simpleKey struct{}

// simpleOf returns the simple graph, which is made once.
func simpleOf(ctx context.Context, p *graph.Placed) (*simple, error) {
	if ok, err := isSimple(ctx, p); err != nil {
		return nil, err
	} else if ok {
		return &simple{p: p}, nil
	}
	x, err := p.Once(simpleKey{}, func() (any, error) {
		g, order, both, err := simplify(ctx, p.Graph())
		if err != nil {
			return nil, err
		}
		x := &simple{order: order}
		if x.p, err = g.On(p.Device()); err != nil {
			return nil, err
		}
		if p.Graph().Directed() {
			if x.twice, err = device.NewBuffer[uint64](p.Device(), len(both)); err != nil {
				return nil, errors.Join(err, x.p.Free())
			}
			if err := x.twice.Write(p.Device(), 0, both); err != nil {
				return nil, errors.Join(err, x.Free())
			}
		}
		return x, nil
	})
	if err != nil {
		return nil, err
	}
	return x.(*simple), nil
}

type isSimpleKey struct{}

// isSimple reports whether the graph is undirected, and its rows ascend without self-loops and
// duplicates, which it looks for once.
func isSimple(ctx context.Context, p *graph.Placed) (bool, error) {
	if p.Graph().Directed() {
		return false, p.Err()
	}
	x, err := p.Once(isSimpleKey{}, func() (any, error) {
		c := p.Graph().Out()
		var no atomic.Bool
		err := each(ctx, c, func(_ int, v uint32) {
			row := c.Neighbors(v)
			for i, w := range row {
				if w == v || i > 0 && row[i-1] >= w {
					no.Store(true)
				}
			}
		})
		return !no.Load(), err
	})
	if err != nil {
		return false, err
	}
	return x.(bool), nil
}

// each calls do for every vertex, on all processors.
func each(ctx context.Context, c *graph.CSR, do func(worker int, v uint32)) error {
	n, next := int64(c.NumVertices()), atomic.Int64{}
	var wg sync.WaitGroup
	for w := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for ctx.Err() == nil {
				lo := next.Add(verticesAtOnce) - verticesAtOnce
				if lo >= n {
					return
				}
				for v := lo; v < min(lo+verticesAtOnce, n); v++ {
					do(w, uint32(v))
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// simplify returns the simple graph, its vertices in descending order of degree, the vertex of g
// of each of them, and which edges lead both ways in g: a bit each.
func simplify(ctx context.Context, g *graph.Graph) (s *graph.Graph, order []uint32, both []uint64, err error) {
	out, in := g.Out(), g.In()
	n := g.NumVertices()
	switch {
	case !g.Directed():
		in = nil
	case in == nil:
		in = turned(out)
	}
	rows := make([]row, runtime.GOMAXPROCS(0))
	degree := make([]uint32, n)
	if err = each(ctx, out, func(w int, v uint32) {
		degree[v] = uint32(len(rows[w].of(v, out, in, nil)))
	}); err != nil {
		return nil, nil, nil, err
	}
	order = make([]uint32, n)
	for v := range order {
		order[v] = uint32(v)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return int(degree[b]) - int(degree[a]) })
	place, offsets := make([]uint32, n), make([]uint64, n+1)
	for r, v := range order {
		place[v] = uint32(r)
		offsets[r+1] = offsets[r] + uint64(degree[v])
	}
	targets := make([]uint32, offsets[n])
	both = make([]uint64, (len(targets)+63)/64)
	if err = each(ctx, out, func(w int, v uint32) {
		at := offsets[place[v]]
		for i, x := range rows[w].of(v, out, in, place) {
			e := at + uint64(i)
			targets[e] = uint32(x >> 2)
			if x&3 == 3 {
				atomic.OrUint64(&both[e>>6], 1<<(e&63))
			}
		}
	}); err != nil {
		return nil, nil, nil, err
	}
	s, err = graph.New(graph.Parts{Out: graph.CSR{Offsets: offsets, Targets: targets}, Order: graph.OrderDegree})
	return s, order, both, err
}

// row is a worker's memory for neighbours: vertices, shifted by two, with 1 for those that an
// edge leads to and 2 for those that one comes from.
type row []uint64

// of returns the neighbours of v, ascending and each once, under the numbers that place has for them.
func (r *row) of(v uint32, out, in *graph.CSR, place []uint32) []uint64 {
	a := (*r)[:0]
	add := func(c *graph.CSR, tag uint64) {
		for _, w := range c.Neighbors(v) {
			if w == v {
				continue
			}
			if place != nil {
				w = place[w]
			}
			a = append(a, uint64(w)<<2|tag)
		}
	}
	add(out, 1)
	if in != nil {
		add(in, 2)
	}
	*r = a
	slices.Sort(a)
	k := 0
	for _, x := range a {
		if k > 0 && a[k-1]>>2 == x>>2 {
			a[k-1] |= x
			continue
		}
		a[k] = x
		k++
	}
	return a[:k]
}

// turned returns the reverse of rows.
func turned(c *graph.CSR) *graph.CSR {
	n := c.NumVertices()
	r := &graph.CSR{Offsets: make([]uint64, n+1), Targets: make([]uint32, len(c.Targets))}
	for _, w := range c.Targets {
		r.Offsets[w+1]++
	}
	for v := range n {
		r.Offsets[v+1] += r.Offsets[v]
	}
	at := slices.Clone(r.Offsets)
	for v := range uint32(n) {
		for _, w := range c.Neighbors(v) {
			r.Targets[at[w]] = v
			at[w]++
		}
	}
	return r
}

type intersectorKey struct{}

// intersects lends an Intersector over the simple graph.
func (x *simple) intersects(ctx context.Context, use func(*intersect.Intersector) error) (err error) {
	s, err := x.p.Device().NewStream(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	in, ok := x.p.TakeScratch(intersectorKey{}).(*intersect.Intersector)
	if !ok || !in.Bind(s) {
		if in, err = intersect.New(s, x.p); err != nil {
			return err
		}
	}
	if err := use(in); err != nil {
		return errors.Join(err, in.Free())
	}
	if x.p.KeepScratch(intersectorKey{}, in) {
		return nil
	}
	return in.Free()
}

// run runs the operator and returns how many common neighbours there are.
func (x *simple) run(ctx context.Context, o intersect.Options, f intersect.Functor) (common uint64, err error) {
	err = x.intersects(ctx, func(in *intersect.Intersector) error {
		if err := in.Run(o, f); err != nil {
			return err
		}
		var err error
		_, common, err = in.Totals()
		return err
	})
	return common, err
}

// opposite counts the edges opposite to every vertex of the graph into at, which is 0.
func (x *simple) opposite(ctx context.Context, at, twice *device.Buffer[uint64]) (common uint64, err error) {
	o := intersect.Options{Ascending: true}
	if x.order == nil {
		return x.run(ctx, o, &intersect.Opposite{PerVertex: at, Twice: twice})
	}
	d, n := x.p.Device(), x.p.NumVertices()
	own, err := device.NewBuffer[uint64](d, n)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, own.Free()) }()
	if common, err = x.run(ctx, o, &intersect.Opposite{PerVertex: own, Twice: twice}); err != nil {
		return 0, err
	}
	from, to := make([]uint64, n), make([]uint64, n)
	if err := own.Read(d, 0, from); err != nil {
		return 0, err
	}
	for v, k := range from {
		to[x.order[v]] = k
	}
	return common, at.Write(d, 0, to)
}

// degrees writes the degrees in the simple graph of the graph's vertices.
func (x *simple) degrees(at *device.Buffer[uint32]) error {
	to := make([]uint32, len(x.order))
	for v, u := range x.order {
		to[u] = uint32(x.p.Graph().Out().Degree(uint32(v)))
	}
	return at.Write(x.p.Device(), 0, to)
}

package sets_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/sets"
)

// What the operators leave is tested in internal/testing/conformance, on every device.

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func combiner(t testing.TB, ctx context.Context, n, workers int) (*sets.Combiner, *graph.Placed) {
	t.Helper()
	p := testgraph.Place(testgraph.Build(n, nil, testgraph.Undirected), workers)
	s := host.New(workers).Stream(ctx)
	c, err := sets.New(s, p)
	must(t, err)
	t.Cleanup(func() { must(t, errors.Join(c.Free(), s.Close())) })
	return c, p
}

func of(t testing.TB, p *graph.Placed, form frontier.Form, vs ...uint32) *frontier.Frontier {
	t.Helper()
	f := frontier.New(p)
	must(t, f.Clear(form))
	must(t, f.Add(vs...))
	return f
}

func TestErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c, p := combiner(t, ctx, 100, 2)
	_, other := combiner(t, context.Background(), 100, 2)
	q, b, out := of(t, p, frontier.Queue, 4, 5), of(t, p, frontier.Bitmap, 5, 6), of(t, p, frontier.Queue)
	foreign, freed := of(t, other, frontier.Queue), of(t, p, frontier.Queue)
	must(t, freed.Free())
	keys, err := device.NewBuffer[uint32](p.Device(), 100)
	must(t, err)
	var none *device.Buffer[uint32]
	for what, x := range map[string]struct{ err, want error }{
		"no first":                 {c.Union(nil, b, out), frontier.ErrForeign},
		"no second":                {c.Intersection(q, nil, out), frontier.ErrForeign},
		"no output":                {c.Difference(q, b, nil), frontier.ErrForeign},
		"another graph's":          {c.Union(q, foreign, out), frontier.ErrForeign},
		"into another graph's":     {c.Union(q, b, foreign), frontier.ErrForeign},
		"a freed one":              {c.Union(freed, b, out), device.ErrClosed},
		"into the queue":           {c.Union(q, b, q), frontier.ErrAliased},
		"a queue into the bitmap":  {c.Intersection(q, b, b), frontier.ErrAliased},
		"queues into the first":    {c.Union(q, q, q), frontier.ErrAliased},
		"the rest into the second": {c.Difference(q, b, b), frontier.ErrAliased},
		"split into itself":        {sets.Split(c, q, q, out, keys, 3), frontier.ErrAliased},
		"split of none":            {sets.Split(c, nil, q, out, keys, 3), frontier.ErrForeign},
		"split without keys":       {sets.Split(c, q, b, out, none, 3), filter.ErrPredicate},
	} {
		if !errors.Is(x.err, x.want) {
			t.Errorf("%s: got %v, want %v", what, x.err, x.want)
		}
	}
	if q.Len() != 2 || b.Len() != 2 || q.Form() != frontier.Queue {
		t.Error("an operator that refused changed its input")
	}
	q.Queue()[1] = 100
	for what, err := range map[string]error{
		"union with a bitmap": c.Union(q, of(t, p, frontier.Bitmap, 3), out),
		"union":               c.Union(q, of(t, p, frontier.Queue, 3), out),
		"intersection":        c.Intersection(q, b, out),
		"difference":          c.Difference(of(t, p, frontier.Queue, 3), q, out),
	} {
		if !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("%s of what is no vertex: %v", what, err)
		}
	}
	if out.Len() != 0 {
		t.Errorf("%d entries after an error", out.Len())
	}
	q.Queue()[1] = 5
	must(t, c.Union(q, b, out))
	if out.Len() != 3 {
		t.Errorf("%d entries after the errors, want 3", out.Len())
	}
	if c.Bind(nil) {
		t.Error("no stream fits")
	}
	cancel()
	if err := c.Union(q, b, out); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	again := host.New(1).Stream(context.Background())
	defer again.Close()
	if !c.Bind(again) {
		t.Error("another stream of the host doesn't fit")
	}
	must(t, c.Union(q, b, out))
	var nothing *sets.Combiner
	must(t, nothing.Free())
	if err := nothing.Union(q, b, out); !errors.Is(err, device.ErrNotSupported) {
		t.Errorf("a nil Combiner: %v", err)
	}
	must(t, c.Free())
	if err := c.Union(q, b, out); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a freed Combiner: %v", err)
	}
	if err := sets.Split(c, q, b, out, keys, 3); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a split by a freed Combiner: %v", err)
	}
	if _, err := sets.New(nil, p); !errors.Is(err, device.ErrNotSupported) {
		t.Errorf("no stream: %v", err)
	}
	if _, err := sets.New(again, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("no graph: %v", err)
	}
}

func TestAllocatesNothing(t *testing.T) {
	c, p := combiner(t, context.Background(), 10_000, 2)
	vs := make([]uint32, 5000)
	for i := range vs {
		vs[i] = uint32(2 * i)
	}
	keys, err := device.NewBuffer[float32](p.Device(), 10_000)
	must(t, err)
	q, b, out, far := of(t, p, frontier.Queue, vs...), of(t, p, frontier.Bitmap, vs[:100]...), of(t, p, frontier.Queue), of(t, p, frontier.Bitmap)
	if allocs := testing.AllocsPerRun(10, func() {
		must(t, c.Union(q, q, out))
		must(t, c.Intersection(q, b, out))
		must(t, c.Difference(b, q, out))
		must(t, sets.Split(c, q, out, far, keys, 1))
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func Benchmark(b *testing.B) {
	const n = 1 << 20
	c, p := combiner(b, context.Background(), n, 2)
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]uint32, n/4), make([]uint32, n/4)
	for i := range x {
		x[i], y[i] = r.Uint32N(n), r.Uint32N(n)
	}
	out := of(b, p, frontier.Queue)
	for _, form := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
		fx, fy := of(b, p, form, x...), of(b, p, form, y...)
		for _, op := range []struct {
			name string
			run  func(a, b, out *frontier.Frontier) error
		}{{"union", c.Union}, {"intersection", c.Intersection}, {"difference", c.Difference}} {
			b.Run(fmt.Sprintf("%s/%s", op.name, form), func(b *testing.B) {
				for b.Loop() {
					must(b, op.run(fx, fy, out))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n/2), "ns/entry")
			})
		}
	}
}

// This file holds the test of calls of the driver that fail, one after the other.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/bridges"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/color"
	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/algos/hits"
	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/algos/kclique"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/ktruss"
	"github.com/foray-graph/foray/algos/leiden"
	"github.com/foray-graph/foray/algos/louvain"
	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/algos/mis"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/algos/order"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/reach"
	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// Fail makes the nth call of the driver from now on fail, or no call for 0. With breaks the context is
// broken from there on, until Fail is called again. It returns the number of calls since its last call,
// and which call failed last.
type Fail func(nth uint64, breaks bool) (calls uint64, call string)

// outcome is the result of a run, vertex by vertex, in any encoding.
type outcome []float64

// addDistances is add for shortest paths, whose distances have a type.
func addDistances(found *outcome, d sssp.Distances) error {
	all, err := d.Slice()
	for _, x := range all {
		*found = append(*found, x)
	}
	return err
}

// add appends an array of a result.
func add[T device.Elem](to *outcome, v interface{ Slice() ([]T, error) }) error {
	all, err := v.Slice()
	for _, x := range all {
		*to = append(*to, float64(x))
	}
	return err
}

func (o outcome) is(want outcome) bool {
	if len(o) != len(want) {
		return false
	}
	for i, x := range o {
		if y := want[i]; x != y && !(math.Abs(x-y) <= 1e-9*math.Abs(y)) && !(math.IsNaN(x) && math.IsNaN(y)) {
			return false
		}
	}
	return true
}

// failing is a run whose calls fail.
type failing struct {
	name  string
	graph testgraph.Case
	run   func(ctx context.Context, p *graph.Placed) (outcome, error)
}

// failures are the algorithms, each on graphs for which it has another way. Several GPUs don't take all.
func failures(several bool) []failing {
	ordered := testgraph.Path(40)
	ordered.Kind = testgraph.Directed
	mesh, web, directed := testgraph.Path(40), testgraph.Skewed(40, 4, testgraph.Undirected), testgraph.Skewed(40, 3, testgraph.WithReverse)
	search := func(o bfs.Options) func(ctx context.Context, p *graph.Placed) (outcome, error) {
		return func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := bfs.Run(ctx, p, 1, o)
			return reached(found, r, err)
		}
	}
	all := []failing{
		{"building", directed, rebuilt(false)},
		{"dobfs", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := dobfs.Run(ctx, p, 1, dobfs.Options{})
			return reached(found, r, err)
		}},
		{"cc", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := cc.Run(ctx, p, cc.Options{})
			if err == nil {
				err = errors.Join(add(&found, r.Component), r.Close())
			}
			return found, err
		}},
		{"pagerank", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := pagerank.Run(ctx, p, pagerank.Options{Iterations: 3, Tolerance: -1})
			if err == nil {
				err = errors.Join(add(&found, r.Ranks), r.Close())
			}
			return found, err
		}},
		{"sssp", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := sssp.Run(ctx, p, 1, sssp.Options{})
			if err == nil {
				err = errors.Join(addDistances(&found, r.Distances), r.Close())
			}
			return found, err
		}},
		{"msbfs", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := msbfs.Run(ctx, p, []uint32{1, 5}, msbfs.Options{})
			if err == nil {
				for _, counts := range r.Counts {
					for _, n := range counts {
						found = append(found, float64(n))
					}
				}
			}
			return found, err
		}},
		{"reach", mesh, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			d, err := msbfs.Reach(ctx, p, []msbfs.Pair{{From: 1, To: 7}, {From: 3, To: 1}}, msbfs.Options{})
			for _, x := range d {
				found = append(found, float64(x))
			}
			return found, err
		}},
		{"each", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			for f, err := range msbfs.Each(ctx, p, []uint32{1, 5}, msbfs.EachOptions{}) {
				if err != nil {
					return found, err
				}
				for i, v := range f.Vertices {
					found = append(found, float64(v), float64(f.Depths[i]))
				}
			}
			return found, nil
		}},
		{"arrivals", web, arrived},
		{"closeness", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			return near(ctx, p, closeness.Options{})
		}},
	}
	all = append(all, []failing{
		{"place", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			q, err := p.Graph().On(p.Device())
			if err == nil {
				found = outcome{float64(q.NumVertices())}
				err = q.Close()
			}
			return found, err
		}},
		{"dobfs searcher", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			s, err := dobfs.NewSearcher(p, dobfs.Options{})
			if err != nil {
				return nil, err
			}
			found, err = twice(func() (outcome, error) {
				r, err := s.Run(ctx, bfs.Query{Sources: []uint32{1}})
				if err != nil {
					return nil, err
				}
				var found outcome
				depths, err := r.Depths()
				for _, d := range depths {
					found = append(found, float64(d))
				}
				return found, err
			})
			return found, errors.Join(err, s.Close())
		}},
		{"msbfs searcher", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			s, err := msbfs.NewSearcher(p, msbfs.Options{})
			if err != nil {
				return nil, err
			}
			found, err = twice(func() (outcome, error) {
				r, err := s.Run(ctx, []uint32{1, 5})
				if err != nil {
					return nil, err
				}
				return outcome{float64(sum(r.Counts[0])), float64(sum(r.Counts[1]))}, nil
			})
			return found, errors.Join(err, s.Close())
		}},
	}...)
	all = append(all, failing{"sssp searcher", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
		s, err := sssp.NewSearcher(p, sssp.Options{Parents: true})
		if err != nil {
			return nil, err
		}
		found, err = twice(func() (found outcome, err error) {
			r, err := s.Run(ctx, sssp.Query{Sources: []uint32{1}})
			if err == nil {
				err = errors.Join(addDistances(&found, r.Distances), add(&found, r.Parents))
			}
			return found, err
		})
		return found, errors.Join(err, s.Close())
	}})
	all = append(all, failing{"sssp, prepared", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
		if _, err := sssp.Prepare(ctx, p); err != nil {
			return nil, err
		}
		r, err := sssp.Run(ctx, p, 1, sssp.Options{Parents: true})
		if err == nil {
			err = errors.Join(addDistances(&found, r.Distances), r.Close())
		}
		return found, err
	}})
	if several {
		return all
	}
	all = append(all, failing{"bc searcher", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
		s, err := bc.NewSearcher(p, bc.Options{})
		if err != nil {
			return nil, err
		}
		found, err = twice(func() (found outcome, err error) {
			r, err := s.Run(ctx, []uint32{1, 5})
			if err == nil {
				err = add(&found, r.Betweenness)
			}
			return found, err
		})
		return found, errors.Join(err, s.Close())
	}})
	between := func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
		r, err := bc.Run(ctx, p, bc.Options{Sources: []uint32{1, 5}})
		if err == nil {
			err = errors.Join(add(&found, r.Betweenness), r.Close())
		}
		return found, err
	}
	return append(all, []failing{
		{"closeness of some", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			return near(ctx, p, closeness.Options{Of: []uint32{1, 5}})
		}},
		{"bfs", web, search(bfs.Options{})},
		{"bfs, fused", mesh, search(bfs.Options{Outputs: bfs.Depths | bfs.Parents, Tuning: bfs.Tuning{Coupling: "fused"}})},
		{"bfs, two phases", web, search(bfs.Options{Tuning: bfs.Tuning{Coupling: "two-phase"}})},
		{"bc", web, between},
		{"bc of short rows", mesh, between},
		{"scc", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := cc.Strong(ctx, p, cc.Options{})
			if err == nil {
				err = errors.Join(add(&found, r.Component), r.Close())
			}
			return found, err
		}},
		{"kcore", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := kcore.Run(ctx, p, kcore.Options{})
			if err == nil {
				err = errors.Join(add(&found, r.Core), r.Close())
			}
			return found, err
		}},
		{"degree", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := degree.Run(ctx, p, degree.Options{Weighted: true})
			if err == nil {
				err = errors.Join(add(&found, r.Degree), add(&found, r.Centrality), add(&found, r.Strength), r.Close())
			}
			return found, err
		}},
		{"eigenvector", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := eigenvector.Run(ctx, p, eigenvector.Options{Iterations: 4})
			if err == nil {
				err = errors.Join(add(&found, r.Centrality), r.Close())
			}
			return found, err
		}},
		{"hits", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := hits.Run(ctx, p, hits.Options{Iterations: 4, Weighted: true})
			if err == nil {
				err = errors.Join(add(&found, r.Hubs), add(&found, r.Authorities), r.Close())
			}
			return found, err
		}},
		{"katz", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := katz.Run(ctx, p, katz.Options{Alpha: 0.01, Iterations: 4})
			if err == nil {
				err = errors.Join(add(&found, r.Centrality), r.Close())
			}
			return found, err
		}},
		{"lpa", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := lpa.Run(ctx, p, lpa.Options{})
			if err == nil {
				err = errors.Join(add(&found, r.Labels), r.Close())
			}
			return found, err
		}},
		{"leiden", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := leiden.Run(ctx, p, leiden.Options{Levels: true})
			if err == nil {
				err = errors.Join(add(&found, r.Community), r.Close())
			}
			return found, err
		}},
		{"louvain", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := louvain.Run(ctx, p, louvain.Options{Weighted: true})
			if err == nil {
				err = errors.Join(add(&found, r.Community), r.Close())
			}
			return found, err
		}},
		{"mis", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := mis.Run(ctx, p, mis.Options{Seed: 3})
			if err == nil {
				err = errors.Join(add(&found, r.Member), r.Close())
			}
			return found, err
		}},
		{"bridges", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := bridges.Run(ctx, p, bridges.Options{})
			if err == nil {
				err = errors.Join(add(&found, r.Component), add(&found, r.Articulation), r.Close())
			}
			return found, err
		}},
		{"ktruss", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := ktruss.Run(ctx, p, ktruss.Options{})
			if err == nil {
				err = errors.Join(add(&found, r.Trussness), r.Close())
			}
			return found, err
		}},
		{"kclique", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := kclique.Run(ctx, p, kclique.Options{K: 3})
			if err == nil {
				err = errors.Join(add(&found, r.Cliques), r.Close())
			}
			return found, err
		}},
		{"msf", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := msf.Run(ctx, p, msf.Options{})
			if err == nil {
				err = errors.Join(add(&found, r.Tree), r.Close())
			}
			return found, err
		}},
		{"color", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := color.Run(ctx, p, color.Options{LargestFirst: true})
			if err == nil {
				err = errors.Join(add(&found, r.Color), r.Close())
			}
			return found, err
		}},
		{"topo", ordered, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := topo.Run(ctx, p, topo.Options{Weighted: true})
			if err == nil {
				err = errors.Join(add(&found, r.Level), add(&found, r.Length), r.Close())
			}
			return found, err
		}},
		{"walks", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			for b, err := range walks.Each(ctx, p, walks.Options{Length: 4}) {
				if err != nil {
					return nil, err
				}
				for _, v := range b.Vertices {
					found = append(found, float64(v))
				}
			}
			return found, nil
		}},
		{"similar", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := similar.Run(ctx, p, similar.Options{Measure: similar.AdamicAdar})
			if err == nil {
				found = r.Score
			}
			return found, err
		}},
		{"triangles", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := triangles.Run(ctx, p, triangles.Options{})
			if err == nil {
				err = errors.Join(add(&found, r.Triangles), add(&found, r.Coefficient), r.Close())
			}
			return found, err
		}},
		{"building in batches", directed, rebuilt(true)},
		{"order", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			q, err := order.ByDegree(ctx, p)
			if err == nil {
				found = outcome{float64(q.NumVertices()), float64(q.State().MaxDegree())}
				err = q.Close()
			}
			return found, err
		}},
	}...)
}

// arrived finds arrivals in the graph, with columns of edges.
func arrived(ctx context.Context, p *graph.Placed) (found outcome, err error) {
	out := p.Graph().Out()
	time, takes := make([]int32, out.NumEdges()), make([]int64, out.NumEdges())
	for e := range time {
		time[e], takes[e] = int32(e*7%50), int64(e%3)
	}
	g, err := graph.FromCSR(*out, graph.CSROptions{EdgeColumns: []graph.Column{{Name: "time", Values: time}, {Name: "takes", Values: takes}}})
	if err != nil {
		return nil, err
	}
	q, err := g.On(p.Device())
	if err != nil {
		return nil, err
	}
	times, err := reach.Arrivals(ctx, q, reach.Options{Sources: []uint32{1}, Departure: 5, Duration: "takes"})
	if err == nil {
		err = errors.Join(add(&found, times), times.Close())
	}
	return found, errors.Join(err, q.Close())
}

// rebuilt builds the graph again, on the device, of its edges and, on one GPU, their weights.
func rebuilt(inBatches bool) func(ctx context.Context, p *graph.Placed) (outcome, error) {
	return func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
		defer func(edges, pairs uint64, batches bool) {
			tuning.DeviceEdges, tuning.BatchPairs, tuning.InBatches = edges, pairs, batches
		}(tuning.DeviceEdges, tuning.BatchPairs, tuning.InBatches)
		tuning.DeviceEdges, tuning.InBatches = 0, inBatches
		if inBatches {
			tuning.BatchPairs = 16
		}
		_, one := p.Device().(*gpu.Device)
		e := graph.Batch{Type: graph.Int64}
		out := p.Graph().Out()
		for v := range p.NumVertices() {
			for i, to := range out.Neighbors(uint32(v)) {
				e.Src, e.Dst = append(e.Src, int64(v)*1000), append(e.Dst, int64(to)*1000)
				if one {
					e.Weights = append(e.Weights, float32(i))
				}
			}
		}
		b := graph.NewBuilder(graph.Options{Device: p.Device(), Directed: true, Reverse: true, Weights: one})
		if err := b.Add(e); err != nil {
			return nil, errors.Join(err, b.Close())
		}
		g, err := b.Build(ctx)
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
		if err := g.Fetch(); err != nil {
			return nil, errors.Join(err, g.Close())
		}
		for _, rows := range []*graph.CSR{g.Out(), g.In()} {
			for _, to := range rows.Targets {
				found = append(found, float64(to))
			}
			for _, w := range rows.Weights {
				found = append(found, float64(w))
			}
			for _, at := range rows.Offsets {
				found = append(found, float64(at))
			}
		}
		return found, g.Close()
	}
}

// errUnusable: something that is used again and again isn't, after one call failed.
var errUnusable = errors.New("of no more use after a failed call")

// twice runs something twice, and once more after an error: that is errUnusable then, unless the context is broken.
func twice(run func() (outcome, error)) (outcome, error) {
	for range 2 {
		if _, err := run(); err != nil {
			if _, again := run(); again != nil && !errors.Is(again, driver.ErrBroken) {
				return nil, fmt.Errorf("%w: %w", errUnusable, again)
			}
			return nil, err
		}
	}
	return run()
}

// reached appends the depths of a search, which it frees.
func reached(found outcome, r *bfs.Result, err error) (outcome, error) {
	if err != nil {
		return nil, err
	}
	defer r.Close()
	depths, err := r.Depths()
	for _, d := range depths {
		found = append(found, float64(d))
	}
	return found, err
}

// near appends everything that closeness returns.
func near(ctx context.Context, p *graph.Placed, o closeness.Options) (found outcome, err error) {
	r, err := closeness.Run(ctx, p, o)
	if err == nil {
		err = errors.Join(add(&found, r.Closeness), add(&found, r.Harmonic), add(&found, r.Eccentricity), r.Close())
	}
	return found, err
}

// Failures runs every algorithm while a call of the driver fails: each call in turn in the long form of the test, some of
// them in the short one. Either there is an error, or the result is right. No memory stays in use on the device. The next
// run is right: on the same device if one call failed, on a reopened one if the context broke.
func Failures(t *testing.T, open func() (device.Device, error), several bool, fail Fail) {
	t.Cleanup(func() { fail(0, false) })
	for _, byLevel := range []bool{false, true} {
		if byLevel && several {
			continue // these have one engine
		}
		for _, f := range failures(several) {
			t.Run(fmt.Sprintf("%s, level by level %v", f.name, byLevel), func(t *testing.T) {
				defer func(usual bool) { tuning.LevelByLevel = usual }(tuning.LevelByLevel)
				tuning.LevelByLevel = byLevel
				g := f.graph.Weighted(3)
				for _, breaks := range []bool{false, true} {
					failedOnce(t, f, g, open, fail, breaks)
				}
			})
		}
	}
}

// failedOnce has calls fail, one in each run.
func failedOnce(t *testing.T, f failing, g *graph.Graph, open func() (device.Device, error), fail Fail, breaks bool) {
	var want outcome
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("breaks %v: %v", breaks, err)
		}
	}
	errored, step := 0, uint64(1)
	for nth := uint64(math.MaxUint64); ; { // the first run counts them
		dev, err := open()
		must(err)
		p, err := g.On(dev)
		must(err)
		fail(nth, breaks)
		found, err := f.run(t.Context(), p)
		calls, call := fail(0, false)
		failed := calls >= nth
		switch {
		case want == nil:
			must(err)
			want = found
		case err == nil:
			if !found.is(want) {
				t.Fatalf("call %d of %d, %s, breaks %v: %v, want %v", nth, calls, call, breaks, found, want)
			}
		case errors.Is(err, errUnusable):
			t.Fatalf("call %d of %d, %s, breaks %v: %v", nth, calls, call, breaks, err)
		case failed:
			errored++
		default:
			t.Fatalf("no call failed: %v", err)
		}
		if !breaks {
			found, err := f.run(t.Context(), p)
			if err != nil || !found.is(want) {
				t.Fatalf("after call %d of %d, %s, failed: %v, %v, want %v", nth, calls, call, err, found, want)
			}
		}
		if err := p.Close(); err != nil && !failed {
			t.Fatal(err)
		}
		if err := dev.Close(); err != nil {
			t.Fatalf("call %d of %d, %s, breaks %v: something is left behind: %v", nth, calls, call, breaks, err)
		}
		switch {
		case nth == math.MaxUint64:
			nth = 1
			if !testlong.Long() {
				step = calls/12 | 1
			}
		case !failed:
			if errored == 0 {
				t.Errorf("breaks %v: no call that failed was an error", breaks)
			}
			return
		default:
			nth += step
		}
	}
}

// Emulated reports the emulated GPU.
func Emulated(d device.Device) bool { return strings.Contains(d.Info().Model, "Emulated") }

// sum adds up counts.
func sum(counts []uint64) (n uint64) {
	for _, c := range counts {
		n += c
	}
	return n
}

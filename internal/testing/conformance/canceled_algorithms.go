// This file holds the tests of algorithms that are canceled while they run.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/testctx"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// canceled are the algorithms as failures has them, and further calls that take a context.
func canceled() []failing {
	web, directed := testgraph.Skewed(40, 4, testgraph.Undirected), testgraph.Skewed(40, 3, testgraph.WithReverse)
	return append(failures(false), []failing{
		{"prepare", directed, func(ctx context.Context, p *graph.Placed) (outcome, error) {
			return outcome{1}, errors.Join(cc.Prepare(ctx, p), kcore.Prepare(ctx, p), triangles.Prepare(ctx, p))
		}},
		{"kcore, directed", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := kcore.Run(ctx, p, kcore.Options{})
			if err == nil {
				err = errors.Join(add(&found, r.Core), r.Close())
			}
			return found, err
		}},
		{"triangles, directed", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := triangles.Run(ctx, p, triangles.Options{})
			if err == nil {
				err = errors.Join(add(&found, r.Triangles), r.Close())
			}
			return found, err
		}},
		{"bc, sampled", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := bc.Run(ctx, p, bc.Options{Samples: 3})
			if err == nil {
				err = errors.Join(add(&found, r.Betweenness), r.Close())
			}
			return found, err
		}},
		{"bc, edges", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := bc.Run(ctx, p, bc.Options{Samples: 3, Edges: true})
			if err == nil {
				err = errors.Join(add(&found, r.Betweenness), r.Close())
			}
			return found, err
		}},
		{"closeness, bounds", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := closeness.Bound(ctx, p, 3, 1, closeness.Options{})
			if err == nil {
				err = errors.Join(add(&found, r.Least), add(&found, r.Most), r.Close())
			}
			return found, err
		}},
		{"pagerank, weighted", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := pagerank.Run(ctx, p, pagerank.Options{Weighted: true})
			if err == nil {
				err = errors.Join(add(&found, r.Ranks), r.Close())
			}
			return found, err
		}},
		{"bfs of several", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := bfs.RunMultiSource(ctx, p, []uint32{1, 5}, bfs.Options{})
			return reached(found, r, err)
		}},
		{"dobfs, by id", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := dobfs.RunMultiSource(ctx, p, []uint32{1, 5}, dobfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: true})
			return reached(found, r, err)
		}},
		{"dobfs pool", web, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			q, err := dobfs.NewPool(p, dobfs.Options{}, nil)
			if err != nil {
				return nil, err
			}
			err = q.Run(ctx, bfs.Query{Sources: []uint32{1}}, func(r *bfs.Result) error {
				depths, err := r.Depths()
				for _, d := range depths {
					found = append(found, float64(d))
				}
				return err
			})
			return found, errors.Join(err, q.Close())
		}},
		{"sssp of several", directed, func(ctx context.Context, p *graph.Placed) (found outcome, err error) {
			r, err := sssp.RunMultiSource(ctx, p, []uint32{1, 5}, sssp.Options{Float32: true})
			if err == nil {
				err = errors.Join(addDistances(&found, r.Distances), r.Close())
			}
			return found, err
		}},
	}...)
}

// CanceledAlgorithms cancels every algorithm at random looks at its context, at random moments, and before it begins.
// Either the error is the context's, or the result is right. No memory stays in use on the device, and the next run is
// right.
func (s Suite) CanceledAlgorithms(t *testing.T) {
	used := s.used()
	for i, f := range canceled() {
		if !s.GPU && (f.name == "bfs, fused" || f.name == "bfs, two phases") {
			continue // the host has neither
		}
		t.Run(f.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(22, uint64(i)))
			g := f.graph.Weighted(3)
			before := used()
			run := func(ctx context.Context) (found outcome, err error) {
				p, err := g.On(s.Device)
				if err != nil {
					t.Fatal(err)
				}
				found, err = f.run(ctx, p)
				if err != nil && r.IntN(2) == 0 { // the placed graph is usable
					if _, err := f.run(t.Context(), p); err != nil {
						t.Errorf("the next run: %v", err)
					}
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				if now := used(); now != before {
					t.Errorf("%d bytes of the device are left behind (%v)", now-before, err)
				}
				return found, err
			}
			all := testctx.NewPolled(0)
			began := time.Now()
			want, err := run(all)
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(began)
			is := func(how string, ctx context.Context, found outcome, err error) {
				t.Helper()
				if err == nil && !found.is(want) || err != nil && (!errors.Is(err, context.Canceled) || ctx.Err() == nil) {
					t.Errorf("%s: %v, %v", how, found, err)
				}
			}
			for range s.times(20, 2) {
				polled := testctx.NewPolled(1 + r.Int64N(max(all.Polls(), 1)))
				found, err := run(polled)
				is("at a look", polled, found, err)
				ctx, cancel := context.WithCancel(t.Context())
				timer := time.AfterFunc(time.Duration(r.Int64N(int64(took)+1)), cancel)
				found, err = run(ctx)
				timer.Stop()
				is("at a moment", ctx, found, err)
				cancel()
				found, err = run(ctx)
				is("before it begins", ctx, found, err)
			}
			if found, err := run(t.Context()); err != nil || !found.is(want) {
				t.Errorf("the run after that: %v, %v, want %v", found, err, want)
			}
		})
	}
}

// CanceledSoon logs how long algorithms continue after their context ended, on large graphs of a GPU. It fails only
// if a result is wrong. FORAY_CANCEL lists the graphs, specs of package gen with blanks between them.
func (s Suite) CanceledSoon(t *testing.T) {
	specs := os.Getenv("FORAY_CANCEL")
	if specs == "" {
		specs = "kron20:weights=1:255 road:1500x1500,weights=1:255"
	}
	for _, spec := range strings.Fields(specs) {
		parsed, err := gen.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []graph.Options{{Weights: true}, {Weights: true, Directed: true, Reverse: true}} {
			g, err := gen.Build(t.Context(), parsed, o)
			if err != nil {
				t.Fatal(err)
			}
			name := spec
			if o.Directed {
				name += ", directed"
			}
			all := canceled()
			if !o.Directed {
				made := o
				made.Device = s.Device
				all = append(all, failing{"gen.Build", testgraph.Case{}, func(ctx context.Context, _ *graph.Placed) (outcome, error) {
					g, err := gen.Build(ctx, parsed, made)
					if err != nil {
						return nil, err
					}
					return outcome{float64(g.NumVertices()), float64(g.NumDirectedEdges())}, g.Close()
				}})
			}
			for i, f := range all {
				if strings.HasPrefix(f.name, "building") { // most of it is the test's own; gen.Build builds, too
					continue
				}
				s.soon(t, fmt.Sprintf("%s: %s", name, f.name), g, f, rand.New(rand.NewPCG(22, uint64(i))))
			}
		}
	}
}

// soon logs a line of one algorithm.
func (s Suite) soon(t *testing.T, name string, g *graph.Graph, f failing, r *rand.Rand) {
	const most, times = 3 * time.Second, 8
	run := func(ctx context.Context) (found outcome, returned time.Time, err error) {
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found, err = f.run(ctx, p)
		returned = time.Now()
		if err := p.Close(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return found, returned, err
	}
	ctx, cancel := context.WithTimeout(t.Context(), most)
	began := time.Now()
	want, returned, err := run(ctx)
	cancel()
	whole := err == nil
	if !whole && !errors.Is(err, context.DeadlineExceeded) {
		t.Logf("%s: isn't measured: %v", name, err) // such as a graph without its reverse
		return
	}
	took := returned.Sub(began)
	var late []time.Duration
	for range times {
		ctx, cancel := context.WithCancel(t.Context())
		moment := make(chan time.Time, 1)
		timer := time.AfterFunc(time.Duration(r.Int64N(int64(took)+1)), func() {
			moment <- time.Now()
			cancel()
		})
		found, returned, err := run(ctx)
		stopped := timer.Stop()
		switch {
		case err == nil && whole && !found.is(want):
			t.Errorf("%s: another result", name)
		case err != nil && !errors.Is(err, context.Canceled):
			t.Errorf("%s: %v", name, err)
		case err != nil && !stopped:
			late = append(late, returned.Sub(<-moment))
		}
		cancel()
	}
	if whole {
		if found, _, err := run(t.Context()); err != nil || !found.is(want) {
			t.Errorf("%s: another result afterwards: %v", name, err)
		}
	}
	if len(late) == 0 {
		t.Logf("%s: took %v, and was over before it was canceled", name, took)
		return
	}
	slices.Sort(late)
	t.Logf("%s: took %v; ended %v after it was canceled, %v at most, of %d times", name, took, late[len(late)/2], late[len(late)-1], len(late))
}

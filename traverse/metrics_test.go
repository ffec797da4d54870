// This file tests what searches, traversals and pools report to Options.Metrics, and their labels in profiles.

package traverse_test

import (
	"bytes"
	"context"
	"errors"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
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
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/paths"
	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/traverse"
)

// recorder keeps the events, and counts those without the request's context.
type recorder struct {
	mu       sync.Mutex
	searches []metrics.Search
	pools    []metrics.Pool
	lost     int
	each     func()
}

func (r *recorder) note(ctx context.Context) func() {
	r.mu.Lock()
	if ctx.Value(requestKey{}) == nil {
		r.lost++
	}
	if r.each != nil {
		r.each()
	}
	return r.mu.Unlock
}

func (r *recorder) Search(ctx context.Context, e metrics.Search) {
	defer r.note(ctx)()
	r.searches = append(r.searches, e)
}

func (r *recorder) Pool(ctx context.Context, e metrics.Pool) {
	defer r.note(ctx)()
	r.pools = append(r.pools, e)
}

func (r *recorder) Load(context.Context, metrics.Load) {}

// TestMetricsOfAll: every algorithm reports its end, or its failure, once, under its name.
func TestMetricsOfAll(t *testing.T) {
	p, dag := weighted(t), testgraph.Placed(graph.Options{Directed: true}, []int64{1, 2}, []int64{2, 3})
	r := &recorder{}
	searcher, err := bfs.NewSearcher(p, bfs.Options{Metrics: r})
	if err != nil {
		t.Fatal(err)
	}
	defer searcher.Close()
	search, err := sssp.NewSearcher(p, sssp.Options{Metrics: r})
	if err != nil {
		t.Fatal(err)
	}
	defer search.Close()
	for name, one := range map[string]func(ctx context.Context) error{
		"bfs":      func(ctx context.Context) error { return second(bfs.Run(ctx, p, 1, bfs.Options{Metrics: r})) },
		"bfs ":     func(ctx context.Context) error { return second(searcher.Run(ctx, bfs.Query{Sources: []uint32{1}})) },
		"dobfs":    func(ctx context.Context) error { return second(dobfs.Run(ctx, p, 1, dobfs.Options{Metrics: r})) },
		"sssp":     func(ctx context.Context) error { return second(sssp.Run(ctx, p, 1, sssp.Options{Metrics: r})) },
		"sssp ":    func(ctx context.Context) error { return second(search.Run(ctx, sssp.Query{Sources: []uint32{1}})) },
		"cc":       func(ctx context.Context) error { return second(cc.Run(ctx, p, cc.Options{Metrics: r})) },
		"pagerank": func(ctx context.Context) error { return second(pagerank.Run(ctx, p, pagerank.Options{Metrics: r})) },
		"degree":   func(ctx context.Context) error { return second(degree.Run(ctx, p, degree.Options{Metrics: r})) },
		"eigenvector": func(ctx context.Context) error {
			return second(eigenvector.Run(ctx, p, eigenvector.Options{Metrics: r}))
		},
		"hits": func(ctx context.Context) error { return second(hits.Run(ctx, p, hits.Options{Metrics: r})) },
		"katz": func(ctx context.Context) error {
			return second(katz.Run(ctx, p, katz.Options{Alpha: 1e-5, Metrics: r}))
		},
		"lpa":     func(ctx context.Context) error { return second(lpa.Run(ctx, p, lpa.Options{Metrics: r})) },
		"kcore":   func(ctx context.Context) error { return second(kcore.Run(ctx, p, kcore.Options{Metrics: r})) },
		"louvain": func(ctx context.Context) error { return second(louvain.Run(ctx, p, louvain.Options{Metrics: r})) },
		"leiden":  func(ctx context.Context) error { return second(leiden.Run(ctx, p, leiden.Options{Metrics: r})) },
		"color":   func(ctx context.Context) error { return second(color.Run(ctx, p, color.Options{Metrics: r})) },
		"ktruss":  func(ctx context.Context) error { return second(ktruss.Run(ctx, p, ktruss.Options{Metrics: r})) },
		"kclique": func(ctx context.Context) error { return second(kclique.Run(ctx, p, kclique.Options{Metrics: r})) },
		"bridges": func(ctx context.Context) error { return second(bridges.Run(ctx, p, bridges.Options{Metrics: r})) },
		"msf":     func(ctx context.Context) error { return second(msf.Run(ctx, p, msf.Options{Metrics: r})) },
		"mis":     func(ctx context.Context) error { return second(mis.Run(ctx, p, mis.Options{Metrics: r})) },
		"topo":    func(ctx context.Context) error { return second(topo.Run(ctx, dag, topo.Options{Metrics: r})) },
		"walks": func(ctx context.Context) error {
			for _, err := range walks.Each(ctx, p, walks.Options{Metrics: r}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"paths": func(ctx context.Context) error {
			_, err := paths.Run(ctx, p, paths.Options{Pairs: [][2]uint32{{0, 1}}, Metrics: r})
			return err
		},
		"similar": func(ctx context.Context) error {
			_, err := similar.Run(ctx, p, similar.Options{Metrics: r})
			return err
		},
		"triangles": func(ctx context.Context) error { return second(triangles.Run(ctx, p, triangles.Options{Metrics: r})) },
		"closeness": func(ctx context.Context) error { return second(closeness.Run(ctx, p, closeness.Options{Metrics: r})) },
		"bc":        func(ctx context.Context) error { return second(bc.Run(ctx, p, bc.Options{Metrics: r})) },
		"msbfs": func(ctx context.Context) error {
			_, err := msbfs.Run(ctx, p, []uint32{1}, msbfs.Options{Metrics: r})
			return err
		},
		"algorithm ": func(ctx context.Context) error { return traverse.New(ctx, p, traverse.Options{Metrics: r}).Close() },
	} {
		canceled, cancel := context.WithCancel(context.WithValue(t.Context(), requestKey{}, name))
		defer cancel()
		for _, failing := range []bool{false, true} {
			*r = recorder{}
			if failing {
				cancel()
			}
			if err := one(canceled); failing != errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v, canceled: %v", name, err, failing)
			}
			if len(r.searches) != 1 || r.lost > 0 {
				t.Errorf("%s: %d events, %d without the context, canceled: %v", name, len(r.searches), r.lost, failing)
				continue
			}
			e := r.searches[0]
			if !strings.HasPrefix(e.Algorithm, strings.TrimSpace(name)) || !failing && (e.Device != "host" || e.Err != nil || e.Took <= 0) || failing && !errors.Is(e.Err, context.Canceled) {
				t.Errorf("%s: %+v, canceled: %v", name, e, failing)
			}
			if strings.Contains(name, "bfs") && name != "msbfs" && !failing && (e.Reached != p.NumVertices() || e.Levels < 2) {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}

func second[T interface{ Close() error }](r T, err error) error {
	if err == nil {
		_ = r.Close()
	}
	return err
}

// TestMetricsOfPools: a pool reports who waits and who runs, and why a call got no searcher.
func TestMetricsOfPools(t *testing.T) {
	p := weighted(t)
	ctx := context.WithValue(t.Context(), requestKey{}, "pool")
	paths := &recorder{}
	for name, newPool := range map[string]func(r *recorder) (run func(ctx context.Context, use func()) error, shut func() error){
		"bfs": func(r *recorder) (func(context.Context, func()) error, func() error) {
			q, err := bfs.NewPool(p, bfs.Options{Metrics: r}, budgetOfOne(t, p))
			if err != nil {
				t.Fatal(err)
			}
			return func(ctx context.Context, use func()) error {
				return q.Run(ctx, bfs.Query{Sources: []uint32{1}}, func(*bfs.Result) error { use(); return nil })
			}, q.Close
		},
		"named": func(r *recorder) (func(context.Context, func()) error, func() error) {
			a := traverse.Algorithm[int, int]{Name: "named", Run: func(*traverse.Traversal, int) (int, error) { return 0, nil },
				Memory: traverse.Memory{Arrays: []int{8}}}
			q, err := traverse.NewPool(p, func() (*traverse.Searcher[int, int], error) {
				return traverse.NewSearcher(p, a, traverse.Options{Metrics: r})
			}, device.NewBudget(a.Memory.Bytes(p)))
			if err != nil {
				t.Fatal(err)
			}
			return func(ctx context.Context, use func()) error {
				return q.Run(ctx, 0, func(int) error { use(); return nil })
			}, q.Close
		},
	} {
		*paths = recorder{}
		run, shut := newPool(paths)
		canceled, cancel := context.WithCancel(ctx)
		defer cancel()
		if err := run(ctx, func() {
			paths.each = func() {
				if n := len(paths.pools); n == 2 {
					cancel() // the second call waits now
				}
			}
			if err := run(canceled, func() { t.Error("both run") }); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: waiting: %v", name, err)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if err := shut(); err != nil {
			t.Error(err)
		}
		if err := run(ctx, func() { t.Error("it runs") }); !errors.Is(err, device.ErrClosed) {
			t.Errorf("%s: closed: %v", name, err)
		}
		var states [][2]int
		for i, e := range paths.pools {
			states = append(states, [2]int{e.Waiting, e.Running})
			if e.Name != name || e.Device != "host" || e.Total == 0 || e.Began != (i == 1) || (e.Err != nil) != (i == 3 || i == 5) || e.Used != e.Total && i > 0 && i < 5 {
				t.Errorf("%s: event %d: %+v", name, i, e)
			}
		}
		if want := [][2]int{{1, 0}, {0, 1}, {1, 1}, {0, 1}, {0, 0}, {0, 0}}; !slices.Equal(states, want) {
			t.Errorf("%s: waiting and running %v, want %v", name, states, want)
		}
		if paths.lost > 0 {
			t.Errorf("%s: %d events without the request's context", name, paths.lost)
		}
	}
}

// TestNoMetrics: without metrics, a search of a searcher allocates nothing.
func TestNoMetrics(t *testing.T) {
	p := weighted(t)
	s, err := bfs.NewSearcher(p, bfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, q := t.Context(), bfs.Query{Sources: []uint32{1}}
	if n := testing.AllocsPerRun(50, func() {
		if _, err := s.Run(ctx, q); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a search allocates %v times", n)
	}
}

// budgetOfOne is a budget for one search at a time.
func budgetOfOne(t *testing.T, p *graph.Placed) *device.Budget {
	t.Helper()
	s, err := bfs.NewSearcher(p, bfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return device.NewBudget(s.Bytes())
}

// TestProfileLabels: a search that is observed has labels in profiles, beside those of its context, while it runs
// and not afterwards. Others have only those of their context.
func TestProfileLabels(t *testing.T) {
	p := weighted(t)
	labels := func() string {
		var b bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
			t.Fatal(err)
		}
		for group := range strings.SplitSeq(b.String(), "\n\n") {
			if strings.Contains(group, "TestProfileLabels") {
				_, line, _ := strings.Cut(group, "# labels: ")
				line, _, _ = strings.Cut(line, "\n")
				return line
			}
		}
		return "no goroutine"
	}
	r := &recorder{}
	for name, one := range map[string]func(ctx context.Context, o bfs.Options) error{
		"bfs": func(ctx context.Context, o bfs.Options) error { return second(bfs.Run(ctx, p, 1, o)) },
		"bfs by a searcher": func(ctx context.Context, o bfs.Options) error {
			s, err := bfs.NewSearcher(p, o)
			if err != nil {
				return err
			}
			defer s.Close()
			_, err = s.Run(ctx, bfs.Query{Sources: []uint32{1}})
			return err
		},
		"sssp": func(ctx context.Context, o bfs.Options) error {
			return second(sssp.Run(ctx, p, 1, sssp.Options{Metrics: o.Metrics, EachLevel: func(traverse.Level) { o.EachLevel(bfs.Level{}) }}))
		},
		"sssp by a searcher": func(ctx context.Context, o bfs.Options) error {
			s, err := sssp.NewSearcher(p, sssp.Options{Metrics: o.Metrics, EachLevel: func(traverse.Level) { o.EachLevel(bfs.Level{}) }})
			if err != nil {
				return err
			}
			defer s.Close()
			_, err = s.Run(ctx, sssp.Query{Sources: []uint32{1}})
			return err
		},
	} {
		for _, observed := range []bool{false, true} {
			algorithm, _, _ := strings.Cut(name, " ")
			want, levels := `{"tenant":"a"}`, 0
			o := bfs.Options{}
			if observed {
				want = `{"algorithm":"` + algorithm + `", "device":"host", "tenant":"a"}`
				o.Metrics = r
			}
			o.EachLevel = func(bfs.Level) {
				if got := labels(); got != want && levels == 0 {
					t.Errorf("%s, observed %v: labels %s, want %s", name, observed, got, want)
				}
				levels++
			}
			pprof.Do(t.Context(), pprof.Labels("tenant", "a"), func(ctx context.Context) {
				if err := one(ctx, o); err != nil || levels == 0 {
					t.Errorf("%s: %d levels, %v", name, levels, err)
				}
				if got := labels(); got != `{"tenant":"a"}` {
					t.Errorf("%s, observed %v: labels %s afterwards", name, observed, got)
				}
			})
		}
	}
}

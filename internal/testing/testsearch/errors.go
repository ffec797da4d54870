// This file tests failures: bad input, canceled contexts.

package testsearch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

func (s Search) errors(t *testing.T) {
	ctx := context.Background()
	g := testgraph.ByName("uniform-undirected").Graph(1)
	n := uint32(g.NumVertices())
	p := testgraph.Place(g, 2)
	for what, c := range map[string]struct {
		sources, targets []uint32
		names            string
	}{
		"no source":              {nil, nil, "no source"},
		"a source too large":     {[]uint32{1, n}, nil, "3000"},
		"no vertex as a source":  {[]uint32{graph.NoVertex}, nil, "source"},
		"a target too large":     {[]uint32{1}, []uint32{2, n}, "target"},
		"no vertex as a target":  {[]uint32{1}, []uint32{graph.NoVertex}, "target"},
		"neither source nor end": {nil, []uint32{graph.NoVertex}, ""},
	} {
		r, err := s.Run(ctx, p, c.sources, bfs.Options{Targets: c.targets})
		if !errors.Is(err, graph.ErrNoVertex) || r != nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := s.Run(ctx, nil, []uint32{1}, bfs.Options{}); !errors.Is(err, graph.ErrNoGraph) || !strings.Contains(err.Error(), "no graph") {
		t.Errorf("no graph: %v", err)
	}
	if r, err := s.Run(ctx, p, []uint32{1}, bfs.Options{DepthLimit: -1}); !errors.Is(err, graph.ErrOptions) || r != nil || !strings.Contains(err.Error(), "DepthLimit") {
		t.Errorf("a negative limit: %v", err)
	}
	empty := testgraph.Place(testgraph.ByName("none").Graph(1), 2)
	if _, err := s.Run(ctx, empty, []uint32{0}, bfs.Options{}); !errors.Is(err, graph.ErrNoVertex) {
		t.Errorf("a graph without vertices: %v", err)
	}
	oneWay := testgraph.Place(testgraph.ByName("uniform-directed").Graph(1), 2)
	if _, err := s.Run(ctx, oneWay, []uint32{1}, bfs.Options{}); s.Reverse != errors.Is(err, graph.ErrNoReverse) || !s.Reverse && err != nil {
		t.Errorf("a directed graph without its reverse: %v", err)
	}
	// Nothing of that has harmed the placed graph.
	s.search(t, p, []uint32{1}, bfs.Options{Outputs: bfs.Depths | bfs.Parents, Stats: true})
}

// closed: a search over a freed placed graph, or one whose device was closed,
// is an error; results outlive both, and say so once they are freed.
func (s Search) closed(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"lattice", "dense-64"} {
		g := testgraph.ByName(name).Graph(5)
		dev := host.New(2)
		for what, end := range map[string]func(p *graph.Placed) error{
			"freed":                func(p *graph.Placed) error { return errors.Join(p.Close(), p.Close()) },
			"its device is closed": func(*graph.Placed) error { return dev.Close() },
		} {
			dev = host.New(2)
			p, err := g.On(dev)
			if err != nil {
				t.Fatal(err)
			}
			o := bfs.Options{Outputs: bfs.Depths | bfs.Parents, Stats: true}
			r := s.search(t, p, []uint32{1}, o)
			s.search(t, p, []uint32{2}, o).Close()
			if err := end(p); err != nil {
				t.Fatal(err)
			}
			if late, err := s.Run(ctx, p, []uint32{1}, o); !errors.Is(err, device.ErrClosed) || late != nil {
				t.Errorf("%s, %s: got %v, want ErrClosed", name, what, err)
			}
			if err := Check(g, []uint32{1}, o, r); err != nil {
				t.Errorf("%s, %s: an earlier result: %v", name, what, err)
			}
			for range 2 {
				r.Close()
			}
			for what, get := range map[string]func() error{
				"Depths":      func() error { _, err := r.Depths(); return err },
				"Parents":     func() error { _, err := r.Parents(); return err },
				"DepthsByID":  func() error { _, err := r.DepthsByID(); return err },
				"ParentsByID": func() error { _, err := r.ParentsByID(); return err },
			} {
				if err := get(); !errors.Is(err, device.ErrClosed) {
					t.Errorf("%s of a closed result: %v", what, err)
				}
			}
			if err := bfs.Validate(g, r); !errors.Is(err, device.ErrClosed) || !errors.Is(err, graph.ErrInvalid) {
				t.Errorf("validating a freed result: %v", err)
			}
		}
	}
	var none *bfs.Result
	none.Close()
}

// canceled ends searches before they start, between two levels, and at any
// moment; what comes after finds the memory in order.
func (s Search) canceled(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, name := range []string{"skewed-undirected", "road-undirected", "path", "cycle"} {
		g := testgraph.ByName(name).Graph(15)
		n := g.NumVertices()
		r := rand.New(rand.NewPCG(16, uint64(n)))
		for _, workers := range []int{1, 3} {
			p := testgraph.Place(g, workers)
			o := bfs.Options{Outputs: bfs.Depths | bfs.Parents, Stats: true}

			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if res, err := s.Run(ctx, p, []uint32{1}, o); !errors.Is(err, context.Canceled) || res != nil {
				t.Errorf("%s: canceled before: %v", name, err)
			}

			ctx, cancel = context.WithCancel(context.Background())
			canceling, levels := o, 0
			canceling.EachLevel = func(bfs.Level) {
				if levels++; levels == 2 {
					cancel()
				}
				if levels >= 2 { // the stream learns of it on another goroutine
					time.Sleep(time.Millisecond)
				}
			}
			src := largest(g)
			res, err := s.Run(ctx, p, []uint32{src}, canceling)
			if err == nil && res.Levels < 500 { // it was too late
				err = Check(g, []uint32{src}, o, res)
			} else if errors.Is(err, context.Canceled) {
				err = nil
			} else {
				err = fmt.Errorf("got %v after %d levels", err, levels)
			}
			if err != nil {
				t.Errorf("%s: canceled between levels: %v", name, err)
			}
			s.search(t, p, []uint32{src}, o)

			rounds := 15
			if s.quick() {
				rounds = 5
			}
			for range rounds {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(400))*time.Microsecond)
				vs := sources(r, n)
				switch res, err := s.Run(ctx, p, vs, o); {
				case err != nil && !errors.Is(err, context.DeadlineExceeded):
					t.Errorf("%s: past the deadline: %v", name, err)
				case err == nil: // it was done in time, and must be whole
					if err := Check(g, vs, o, res); err != nil {
						t.Errorf("%s: done in time: %v", name, err)
					}
					res.Close()
				}
				cancel()
				s.search(t, p, sources(r, n), s.options(r, n)).Close()
			}
		}
	}
	leaked(t, before)
}

// largest returns a vertex from which a search has three levels at least.
func largest(g *graph.Graph) uint32 {
	best, most := uint32(0), int32(-1)
	for v := range uint32(min(g.NumVertices(), 50)) {
		for _, d := range oracle.Depths(g.Out(), v) {
			if d > most {
				best, most = v, d
			}
		}
	}
	if most < 3 {
		panic("testsearch: a graph of few levels")
	}
	return best
}

// leaked waits for goroutines to end, and fails where more stay than there
// were.
func leaked(t *testing.T, before int) {
	t.Helper()
	for range 400 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// progress is called after each level with what the statistics say; a panic in
// it comes out of the search and leaves nothing behind.
func (s Search) progress(t *testing.T) {
	for _, name := range []string{"skewed-undirected", "road-undirected"} {
		g := testgraph.ByName(name).Graph(17)
		p := testgraph.Place(g, 3)
		src := []uint32{largest(g)}
		var seen []bfs.Level
		o := bfs.Options{EachLevel: func(l bfs.Level) { seen = append(seen, l) }}
		r := s.search(t, p, src, o)
		if len(seen) != r.Levels {
			t.Errorf("%s: called %d times for %d levels", name, len(seen), r.Levels)
		}
		seen, o.Stats = nil, true
		r = s.search(t, p, src, o)
		for i, l := range r.Stats {
			if i >= len(seen) || seen[i] != l {
				t.Errorf("%s: level %d: progress and statistics differ", name, i)
			}
		}

		before := runtime.NumGoroutine()
		boom := errors.New("boom")
		func() {
			defer func() {
				if p := recover(); p != any(boom) {
					t.Errorf("%s: the panic came as %v", name, p)
				}
			}()
			_, _ = s.Run(context.Background(), p, src, bfs.Options{EachLevel: func(bfs.Level) { panic(boom) }})
		}()
		leaked(t, before)
		s.search(t, p, src, bfs.Options{Outputs: bfs.Depths | bfs.Parents, Stats: true})
	}
}

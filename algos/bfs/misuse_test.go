package bfs_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

func placedOf(t *testing.T, spec string) *graph.Placed {
	t.Helper()
	made, err := gen.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(context.Background(), made, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dev := host.New(2)
	t.Cleanup(func() { dev.Close() })
	p, err := g.On(dev)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// TestCloseMeanwhile closes results while other goroutines use them: of the race detector.
func TestCloseMeanwhile(t *testing.T) {
	p := placedOf(t, "path:4096")
	s, err := bfs.NewSearcher(p, bfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 20 {
		r, err := s.Run(context.Background(), bfs.Query{Sources: []uint32{0}, DepthLimit: 3}) // few vertices
		if err != nil {
			t.Fatal(err)
		}
		var uses sync.WaitGroup
		uses.Go(func() { r.Few(); r.TraversedEdges() })
		uses.Go(func() { r.Close() })
		uses.Go(func() { r.Depths(); r.Few() })
		uses.Wait()
	}
}

// TestBatchesAtOnce has goroutines share a Searcher: all but one are refused, and don't change another's sources.
func TestBatchesAtOnce(t *testing.T) {
	p := placedOf(t, "path:64")
	s, err := bfs.NewSearcher(p, bfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var batches sync.WaitGroup
	for range 4 {
		batches.Go(func() {
			for _, err := range s.Batch(context.Background(), []uint32{1, 2, 3}) {
				if err != nil && !strings.Contains(err.Error(), "in use") {
					t.Error(err)
				}
			}
		})
	}
	batches.Wait()
}

func TestVariantOptions(t *testing.T) {
	p := placedOf(t, "path:64")
	rule := func(turn *bfs.Turn) bool { return turn.OutEdges(0) < 0 }
	for _, c := range []struct {
		o    bfs.Options
		text string
	}{
		{bfs.Options{Variant: &bfs.Variant{Pulls: rule}}, "bfs: graph: bad option: Variant.Name is empty"},
		{bfs.Options{Variant: &bfs.Variant{Name: "v"}}, "v: graph: bad option: Variant.Pulls is nil"},
		{bfs.Options{Variant: &bfs.Variant{Name: "v", Pulls: rule}, Outputs: 8}, "v: graph: bad option: Outputs is 8"},
		{bfs.Options{Variant: &bfs.Variant{Name: "v", Pulls: rule}, DepthLimit: -1}, "v: graph: bad option: DepthLimit is -1"},
	} {
		_, err := bfs.Run(context.Background(), p, 0, c.o)
		if !errors.Is(err, graph.ErrOptions) || !strings.HasPrefix(err.Error(), c.text) {
			t.Errorf("Run: %v, want %s", err, c.text)
		}
		if check := c.o.Check(p.Device()); check == nil || check.Error() != err.Error() {
			t.Errorf("Check: %v, want %v", check, err)
		}
	}
	for _, o := range []dobfs.Options{{Outputs: 8}, {DepthLimit: -1}} {
		_, err := dobfs.Run(context.Background(), p, 0, o)
		if !errors.Is(err, graph.ErrOptions) || !strings.HasPrefix(err.Error(), "dobfs: ") {
			t.Error(err)
		}
	}
	r, err := bfs.Run(context.Background(), p, 0, bfs.Options{Variant: &bfs.Variant{Name: "v", Pulls: rule}})
	if err != nil || r.Reached != 64 {
		t.Error("a rule that samples no vertex:", r, err)
	}
}

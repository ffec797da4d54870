// This file holds the test of blocks that don't all run at once.

package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testsearch"
	"github.com/foray-graph/foray/internal/tuning"
)

// Apart searches in one kernel on a device that doesn't always run all of its
// blocks at once, as it should: the search ends with an error, and leaves nothing
// that would make the next one wrong.
func (s Suite) Apart(t *testing.T) {
	late := 0
	s.some(t, 89, []string{"sparse-65", "skewed-reverse", "components"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		if p.Graph().In() == nil {
			return
		}
		fused := func() (*bfs.Searcher, error) {
			return dobfs.NewSearcher(p, dobfs.Options{Coupling: bfs.Fused, Parents: true})
		}
		one, err := fused()
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		for range 12 {
			source := []uint32{uint32(r.IntN(p.NumVertices()))}
			check := func(found *bfs.Result, err error) {
				t.Helper()
				if err == nil {
					err = testsearch.Check(p.Graph(), source, bfs.Options{Parents: true}, found)
				} else if errors.Is(err, device.ErrNotSupported) {
					late++
					return
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			check(one.Search(context.Background(), source[0]))
			err := one.Batch(context.Background(), []uint32{source[0], source[0], source[0]}, func(_ int, found *bfs.Result) error {
				check(found, nil)
				return nil
			})
			if err != nil {
				check(nil, err)
			}
			found, err := dobfs.Run(context.Background(), p, source[0], dobfs.Options{Coupling: bfs.ExpandContract, Parents: true})
			if err == nil {
				err = testsearch.Check(p.Graph(), source, bfs.Options{Parents: true}, found)
			}
			if err != nil {
				t.Fatal(err)
			}
			found.Free()
		}
	})
	if late == 0 {
		t.Error("all blocks ran at once, always")
	}
}

// Impatient has blocks give up at barriers before the others can be there. Such a search
// ends with an error or well; the next one of the same space, with patience, ends well.
func (s Suite) Impatient(t *testing.T) {
	late := 0
	s.some(t, 109, []string{"sparse-65", "skewed-reverse", "components"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		if p.Graph().In() == nil {
			return
		}
		one, err := dobfs.NewSearcher(p, dobfs.Options{Coupling: bfs.Fused})
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		for i := range s.times(200, 40) {
			source := []uint32{uint32(r.IntN(p.NumVertices()))}
			patience := tuning.FusedPatience
			if i%2 == 0 {
				tuning.FusedPatience = 0
			}
			found, err := one.Search(context.Background(), source[0])
			tuning.FusedPatience = patience
			if i%2 == 0 && errors.Is(err, device.ErrNotSupported) {
				late++
				continue
			}
			if err == nil {
				err = testsearch.Check(p.Graph(), source, bfs.Options{}, found)
			}
			if err != nil {
				t.Fatalf("search %d from %d: %v", i, source[0], err)
			}
		}
	})
	if late == 0 {
		t.Error("no block gave up")
	}
}

// Resumed has blocks give up at the first barrier of a search that goes on after one
// cluster had it, while another block may still read who is to go on.
func (s Suite) Resumed(t *testing.T) {
	r := rand.New(rand.NewPCG(113, 1))
	var src, dst []int64
	for i := range int64(600) {
		src, dst = append(src, i), append(dst, i+1)
	}
	p, err := built(t, graph.Options{}, src, dst).On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	one, err := dobfs.NewSearcher(p, dobfs.Options{Coupling: bfs.Fused})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	patience := tuning.FusedPatience
	defer func() { tuning.FusedPatience = patience }()
	for range s.times(400, 200) {
		tuning.FusedPatience = r.Uint32N(12)
		source := []uint32{r.Uint32N(601)}
		found, err := one.Search(context.Background(), source[0])
		if errors.Is(err, device.ErrNotSupported) {
			continue
		}
		if err == nil {
			err = testsearch.Check(p.Graph(), source, bfs.Options{}, found)
		}
		if err != nil {
			t.Fatalf("from %d: %v", source[0], err)
		}
	}
}

// This file holds the test of batches on a GPU whose memory is full.

package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// BatchesWithoutMemory searches in batches when there is memory for one search
// but not, or only in part, for the second set of arrays of a batch.
func (s Suite) BatchesWithoutMemory(t *testing.T) {
	s.some(t, 71, []string{"sparse-65", "skewed-reverse", "line"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		g, array := p.Graph(), uint64(4*p.NumVertices())
		for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents}, {ByID: true}, {Outputs: bfs.Depths | bfs.Parents, ByID: true}, {Outputs: bfs.Parents, ByID: true}} {
			o.Tuning.Coupling = "fused"
			p, err := g.On(s.Device) // nothing is kept with it yet
			if err != nil {
				t.Fatal(err)
			}
			one, err := bfs.NewSearcher(p, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := one.Run(context.Background(), bfs.Query{Sources: []uint32{0}}); err != nil {
				t.Fatal(err)
			}
			var spare []device.Memory // room for an array each
			for range 4 {
				m, err := s.Device.Alloc(array)
				if err != nil {
					t.Fatal(err)
				}
				spare = append(spare, m)
			}
			full := fill(t, s.Device)
			for left := len(spare); ; left-- {
				sources, seen := randomSources(p, r, 5), 0
				err := testgraph.Each(one.Batch(context.Background(), sources), func(i int, found *bfs.Result) error {
					seen++
					return testsearch.Check(p.Graph(), sources[i:i+1], o, found)
				})
				if err != nil || seen != len(sources) {
					t.Errorf("%+v, with room for %d arrays: %v after %d results", o, len(spare)-left, err, seen)
				}
				if left == 0 {
					break
				}
				if err := spare[left-1].Close(); err != nil {
					t.Fatal(err)
				}
			}
			for _, m := range full {
				if err := m.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(one.Close(), p.Close()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// fill takes all memory that a device has.
func fill(t *testing.T, d device.Device) (full []device.Memory) {
	t.Helper()
	for size := uint64(1) << 36; size >= 256; {
		m, err := d.Alloc(size)
		switch {
		case errors.Is(err, device.ErrMemory):
			size /= 2
		case err != nil:
			t.Fatal(err)
		default:
			full = append(full, m)
		}
	}
	return full
}

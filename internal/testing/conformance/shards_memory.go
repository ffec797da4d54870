// This file tests how much memory building on several devices takes.

package conformance

import (
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// ShardsInMemory builds when the devices have no more free memory than was predicted, nearly all of it for arrays that
// grow with the graph.
func (s Suite) ShardsInMemory(t *testing.T) {
	group := s.Device.(*gpu.Group)
	if !strings.Contains(group.Info().Model, "Emulated") {
		return
	}
	defer func(rest, batch, window uint64) {
		tuning.ShardRest, tuning.ShardBatch, tuning.ShardWindow, tuning.InBatches = rest, batch, window, false
	}(tuning.ShardRest, tuning.ShardBatch, tuning.ShardWindow)
	tuning.ShardRest, tuning.WideOffsets = 350_000, false
	members := group.Devices()
	for _, c := range []struct {
		spec    string
		o       graph.Options
		batches bool
	}{
		{"urand:n=100000,edgefactor=1", graph.Options{}, true}, {"kron14:edgefactor=4", graph.Options{}, false},
		{"kron13:edgefactor=4", graph.Options{Directed: true, Reverse: true}, true},
	} {
		g, err := gen.Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		tuning.InBatches, tuning.ShardBatch, tuning.ShardWindow = c.batches, 1<<12, 1<<12
		p := placed.Plan{Pairs: g.NumEdges(), Space: int(g.NumVertices()), Directed: c.o.Directed, Reverse: c.o.Reverse, In: c.o.Directed && c.o.Order != graph.OrderGiven}
		if c.batches {
			p.Batch = tuning.ShardBatch
		}
		need := p.ShardBytes(len(members)) * 102 / 100 // shares aren't quite even
		var taken []device.Memory
		for _, d := range members {
			m, err := d.Alloc(d.Info().MemoryFree - need)
			if err != nil {
				t.Fatal(err)
			}
			taken = append(taken, m)
		}
		c.o.Device, c.o.DeviceOnly = s.Device, true
		got, err := gen.Build(t.Context(), g, c.o)
		if err != nil {
			t.Errorf("%s %+v in %d bytes: %v", c.spec, c.o, need, err)
		} else if err := got.Close(); err != nil {
			t.Error(err)
		}
		for _, m := range taken {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

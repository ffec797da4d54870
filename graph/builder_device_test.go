// This file tests what a graph reports about the device that built its rows. internal/testing/conformance has the
// tests of rows that a GPU builds.

package graph

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// fullGPU has little memory free.
type fullGPU struct {
	discrete.Device
	free uint64
}

func (f fullGPU) Info() device.Info {
	return device.Info{Kind: "cuda", Name: "cuda:3", MemoryTotal: 1 << 30, MemoryFree: f.free}
}

// failingRows is a Builder that makes no rows of the vertices.
type failingRows struct{ placed.Builder }

func (failingRows) Upload(pairs, extras, ids func(at uint64, part []byte)) error { return nil }
func (failingRows) Settle() (placed.Settled, error)                              { return placed.Settled{}, nil }
func (failingRows) Close() error                                                 { return nil }
func (failingRows) Place([]uint32, int) (placed.Rows, error) {
	return placed.Rows{}, device.ErrNotSupported
}

// TestPlaceRowsFails has a device fail after it has sorted the rows: the error names the device.
func TestPlaceRowsFails(t *testing.T) {
	defer func(n uint64) { tuning.DeviceEdges = n }(tuning.DeviceEdges)
	tuning.DeviceEdges = 0
	was := placed.RowBuilder
	defer func() { placed.RowBuilder = was }()
	placed.RowBuilder.Provide(func(context.Context, discrete.Device, placed.Plan) (placed.Builder, error) {
		return failingRows{}, nil
	})
	b := NewBuilder(Options{Device: fullGPU{free: 1 << 30}})
	if err := b.Add(Batch{Type: Int64, Src: []int64{1, 2}, Dst: []int64{2, 3}}); err != nil {
		t.Fatal(err)
	}
	_, err := b.Build(t.Context())
	if !errors.Is(err, device.ErrNotSupported) || !strings.HasPrefix(err.Error(), "graph: building on cuda:3: ") {
		t.Error(err)
	}
}

func TestWhyHost(t *testing.T) {
	defer func(n uint64) { tuning.DeviceEdges = n }(tuning.DeviceEdges)
	was := placed.RowBuilder
	defer func() { placed.RowBuilder = was }()
	placed.RowBuilder.Provide(func(context.Context, discrete.Device, placed.Plan) (placed.Builder, error) {
		return nil, fmt.Errorf("%w: others have it", device.ErrMemory)
	})
	batch := Batch{Type: Int64, Src: []int64{1, 2, 1}, Dst: []int64{2, 3, 2}, Weights: []float32{1, 2, 3}, EdgeIDs: []uint64{5, 6, 7}}
	wide := batch
	wide.EdgeIDs = []uint64{1 << 32, 6, 7}
	gpu := fullGPU{free: 1 << 30}
	for _, c := range []struct {
		name  string
		o     Options
		e     Batch
		edges uint64 // from which on the device is used
		want  string
	}{
		{"no device", Options{}, batch, 0, ""},
		{"few edges", Options{Device: gpu}, batch, 4, ""},
		{"few edges with both", Options{Device: gpu, Weights: true, EdgeIDs: true}, batch, 4, ""},
		{"no memory with both", Options{Device: gpu, Weights: true, EdgeIDs: true}, batch, 3, "cuda:3 ran out of memory"},
		{"no memory with wide ids", Options{Device: gpu, EdgeIDs: true}, wide, 3, "cuda:3 ran out of memory"},
		{"no memory", Options{Device: gpu}, batch, 3, "cuda:3 ran out of memory"},
		{"no memory with weights", Options{Device: gpu, Weights: true}, batch, 3, "cuda:3 ran out of memory"},
		{"little memory", Options{Device: fullGPU{free: 12}}, batch, 3, `it takes about \S+ [kM]B of cuda:3, which has 12 B free`},
	} {
		tuning.DeviceEdges = c.edges
		b := NewBuilder(c.o)
		if err := b.Add(c.e); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if st := g.Stats(); !regexp.MustCompile("^"+c.want+"$").MatchString(st.WhyHost) || st.Device != "" {
			t.Errorf("%s: made on %q, or the host because %q; want %q", c.name, st.Device, st.WhyHost, c.want)
		}
		again, err := g.Reorder(t.Context(), ReorderOptions{Order: OrderDegree})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := g.Append(t.Context(), again, AppendOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range []*Graph{again, sum} {
			if st := g.Stats(); st.WhyHost != "" || st.Device != "" {
				t.Errorf("%s: made of another graph: %+v", c.name, st)
			}
		}
	}
	for edges, want := range map[uint64]string{3: "two passes are for the host", 4: ""} {
		tuning.DeviceEdges = edges
		for dev, want := range map[device.Device]string{nil: "", gpu: want} {
			g, err := TwoPass(t.Context(), Options{Device: dev}, func(_ context.Context, yield func(Batch) error) error { return yield(batch) })
			if err != nil {
				t.Fatal(err)
			}
			if st := g.Stats(); st.WhyHost != want || st.Device != "" {
				t.Errorf("two passes from %d edges on: %+v, want %q", edges, st, want)
			}
		}
	}
}

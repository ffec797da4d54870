// This file holds the test of rows by weight (internal/layout/byweight).

package conformance

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/layout/byweight"
)

// Ascending sorts rows of every length at which the kernels go about it in another way, on a GPU.
func (s Suite) Ascending(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	lengths := []int{0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 128, 129, 255, 256, 257, 300, 511, 512, 513, 2500, 4095, 4096, 4097, 8191, 8192, 8193, 13000}
	if s.Small {
		lengths = slices.DeleteFunc(lengths, func(n int) bool { return n > 300 && n != 4096 && n != 4097 && n != 13000 })
	}
	n := slices.Max(lengths) + 1
	c := graph.CSR{Offsets: make([]uint64, n+1)}
	for v := range n {
		d := 0
		if v < len(lengths) {
			d = lengths[v]
		}
		for range d {
			w := []float32{float32(r.IntN(20)), r.Float32(), float32(math.Inf(1)), float32(math.Copysign(0, -1))}[min(r.IntN(20), 3)]
			c.Targets, c.Weights = append(c.Targets, r.Uint32N(uint32(n))), append(c.Weights, w)
		}
		c.Offsets[v+1] = uint64(len(c.Targets))
		slices.Sort(c.Targets[c.Offsets[v]:])
	}
	in := reversedRows(&c)
	for _, wrong := range []bool{false, true} {
		if wrong {
			in.Weights[len(in.Weights)/2]++
		}
		g, err := graph.FromCSR(c, graph.CSROptions{In: in, Directed: true})
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		x, err := byweight.Of(t.Context(), p)
		if wrong != errors.Is(err, byweight.ErrTurned) || !wrong && err != nil {
			t.Fatalf("wrong weights %v: %v", wrong, err)
		}
		if err == nil {
			checkAscending(t, x, g)
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// reversedRows returns the edges turned round, with their weights.
func reversedRows(c *graph.CSR) *graph.CSR {
	n := c.NumVertices()
	x := &graph.CSR{Offsets: make([]uint64, n+1), Targets: make([]uint32, len(c.Targets)), Weights: make([]float32, len(c.Targets))}
	for _, u := range c.Targets {
		x.Offsets[u+1]++
	}
	for v := range n {
		x.Offsets[v+1] += x.Offsets[v]
	}
	next := slices.Clone(x.Offsets)
	for v := range n {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			u := c.Targets[e]
			x.Targets[next[u]], x.Weights[next[u]] = uint32(v), c.Weights[e]
			next[u]++
		}
	}
	return x
}

// checkAscending compares rows with those that the host sorts.
func checkAscending(t *testing.T, x *byweight.Rows, g *graph.Graph) {
	t.Helper()
	out, err := x.Placed.State().Weights()
	if err != nil {
		t.Fatal(err)
	}
	in, err := x.Placed.InWeights()
	if err != nil {
		t.Fatal(err)
	}
	type edge struct {
		w float32
		u uint32
	}
	r := x.Placed.Remote()
	light := make([]float32, g.NumVertices())
	if err := x.Light.Read(x.Placed.Device(), 0, light); err != nil {
		t.Fatal(err)
	}
	for i, b := range []*device.Buffer[float32]{out, in} {
		c, at := g.Out(), r.Targets
		if i == 1 {
			c, at = g.In(), r.InTargets
		}
		ws, us := make([]float32, len(c.Weights)), make([]uint32, len(c.Targets))
		if err := errors.Join(b.Read(x.Placed.Device(), 0, ws), discrete.View[uint32](at, len(us)).Read(x.Placed.Device(), 0, us)); err != nil {
			t.Fatal(err)
		}
		for v := range c.NumVertices() {
			lo, hi := c.Offsets[v], c.Offsets[v+1]
			var want []edge
			for e := lo; e < hi; e++ {
				want = append(want, edge{c.Weights[e] + 0, c.Targets[e]})
			}
			slices.SortFunc(want, func(a, b edge) int { return cmp.Or(cmp.Compare(a.w, b.w), cmp.Compare(a.u, b.u)) })
			for k, e := range want {
				if math.Float32bits(ws[lo+uint64(k)]) != math.Float32bits(e.w) || us[lo+uint64(k)] != e.u {
					t.Fatalf("direction %d, row %d of %d edges: edge %d leads to %d and weighs %v, want %d and %v", i, v, hi-lo, k, us[lo+uint64(k)], ws[lo+uint64(k)], e.u, e.w)
				}
			}
			if i == 1 {
				want = append(want, edge{float32(math.Inf(1)), 0})
				if light[v] != want[0].w {
					t.Fatalf("row %d: the lightest edge weighs %v, want %v", v, light[v], want[0].w)
				}
			}
		}
	}
}

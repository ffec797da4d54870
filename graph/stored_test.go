// This file tests what stored graphs bring along, and Close.

package graph

import (
	"errors"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
)

// square is a directed cycle of four vertices with its reverse.
func square() parts {
	return parts{
		CSR{Offsets: []uint64{0, 1, 2, 3, 4}, Targets: []uint32{1, 2, 3, 0}},
		CSROptions{In: &CSR{Offsets: []uint64{0, 1, 2, 3, 4}, Targets: []uint32{3, 0, 1, 2}}, Directed: true},
	}
}

// parts are the arguments of FromCSR, for tests that change some.
type parts struct {
	Out CSR
	CSROptions
}

func (p parts) graph() (*Graph, error) { return FromCSR(p.Out, p.CSROptions) }

func TestStoredIsTaken(t *testing.T) {
	plain, err := square().graph()
	if err != nil {
		t.Fatal(err)
	}
	want, ell4 := plain.State().Prepare(), plain.State().Ell4()
	p := square()
	p.Stored = Stored{Checked: true, First: slices.Clone(want.First), NoIn: slices.Clone(want.NoIn), Rows: slices.Clone(ell4.Rows)}
	g, err := p.graph()
	if err != nil {
		t.Fatal(err)
	}
	dev := host.New(1)
	defer dev.Close()
	placed, err := g.On(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer placed.Close()
	got := placed.State().Prepare()
	if &got.First[0] != &p.Stored.First[0] || &got.NoIn[0] != &p.Stored.NoIn[0] || &placed.State().Ell4().Rows[0] != &p.Stored.Rows[0] {
		t.Error("what was stored was worked out again")
	}
	if got.Candidates != want.Candidates || got.Words != want.Words || !slices.Equal(got.Cuts, want.Cuts) || got.Bytes != want.Bytes || got.MaxDegree != 1 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestStoredDoesNotFit(t *testing.T) {
	four, bits := make([]uint32, 4), make([]uint64, 1)
	for name, s := range map[string]Stored{
		"First too short": {First: four[:3], NoIn: bits},
		"no NoIn":         {First: four},
		"no First":        {NoIn: bits},
		"NoIn too long":   {First: four, NoIn: make([]uint64, 2)},
		"Rows too short":  {Rows: make([][4]uint32, 3)},
		"Long alone":      {Long: bits},
		"Long too long":   {Rows: make([][4]uint32, 4), Long: make([]uint64, 2)},
	} {
		p := square()
		p.Stored = s
		if _, err := p.graph(); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := square()
	p.In, p.Stored = nil, Stored{First: four, NoIn: bits}
	if _, err := p.graph(); !errors.Is(err, ErrMalformed) {
		t.Errorf("without the reverse: %v", err)
	}
}

func TestClose(t *testing.T) {
	released := 0
	failure := errors.New("it can't be given back")
	p := square()
	p.Stored.Release = func() error { released++; return failure }
	g, err := p.graph()
	if err != nil {
		t.Fatal(err)
	}
	dev := host.New(1)
	defer dev.Close()
	var placed [2]*Placed
	for i := range placed {
		if placed[i], err = g.On(dev); err != nil {
			t.Fatal(err)
		}
	}
	if err := placed[0].Close(); err != nil || released > 0 {
		t.Fatalf("freed, not closed: %v, released %d times", err, released)
	}
	if err := g.Close(); err != nil || released > 0 || g.NumVertices() != 4 {
		t.Fatalf("closed while it is placed: %v, released %d times", err, released)
	}
	if _, err := g.On(dev); !errors.Is(err, device.ErrClosed) {
		t.Errorf("placed once it is closed: %v", err)
	}
	if err := errors.Join(placed[0].Close(), g.Close()); err != nil || released > 0 {
		t.Fatalf("again: %v, released %d times", err, released)
	}
	if err := placed[1].Close(); err != failure || released != 1 {
		t.Fatalf("the last is freed: %v, released %d times", err, released)
	}
	if g.NumVertices() != 4 || g.NumEdges() != 4 || g.IDs().Len != 4 {
		t.Error("a graph whose arrays were given back has other counts")
	}
	if err := errors.Join(placed[1].Close(), g.Close(), (*Graph)(nil).Close()); err != nil || released != 1 {
		t.Errorf("again: %v, released %d times", err, released)
	}
}

// TestCloseAfterFailure: a placing that failed doesn't hold the graph.
func TestCloseAfterFailure(t *testing.T) {
	released := false
	p := square()
	p.Stored.Release = func() error { released = true; return nil }
	g, err := p.graph()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.On(noUpload{host.New(1)}); !errors.Is(err, device.ErrNotSupported) {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil || !released {
		t.Errorf("%v, released: %v", err, released)
	}
}

// noUpload is a device that this build has no upload for.
type noUpload struct{ device.Device }

func (noUpload) Info() device.Info { return device.Info{Kind: "other"} }

func TestSetByID(t *testing.T) {
	ids := &IDs{Type: Int32, Len: 3, Ints: []int64{30, 10, 20}}
	byID := []uint32{1, 2, 0}
	ids.setByID(byID)
	g, err := FromCSR(CSR{Offsets: make([]uint64, 4)}, CSROptions{IDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	for v, id := range ids.Ints {
		if got, err := g.Vertex(id); got != uint32(v) || err != nil {
			t.Errorf("vertex %d is %d, %v", id, got, err)
		}
	}
	if got := ids.ByID(); &got[0] != &byID[0] {
		t.Error("the index was worked out again")
	}
}

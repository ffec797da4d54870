// This file holds the tests of placed graphs and of the layouts that are built once for
// each: rows of width 4, and first neighbors for pulls.

package graph_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

func bit(words []uint64, v int) bool { return words[v>>6]>>(v&63)&1 != 0 }

// TestPrepare compares with the definitions in the documentation of Prepared.
func TestPrepare(t *testing.T) {
	cases := append(testgraph.All(), testgraph.Uniform(40_000, 6, testgraph.WithReverse), testgraph.Skewed(30_000, 10, testgraph.Undirected))
	for _, c := range cases {
		g := c.Graph(31)
		p := testgraph.Place(g, 2)
		prep, in := p.State().Prepare(), g.In()
		if in == nil {
			if prep != nil {
				t.Errorf("%s: prepared without a reverse", c.Name)
			}
			continue
		}
		n := g.NumVertices()
		words := (n + 63) / 64
		if len(prep.First) != n || len(prep.NoIn) != words {
			t.Fatalf("%s: %d firsts, %d words for %d vertices", c.Name, len(prep.First), len(prep.NoIn), n)
		}
		candidates, most, last := 0, uint64(0), 0
		for v := range n {
			row := in.Neighbors(uint32(v))
			first := uint32(v)
			if len(row) > 0 {
				first = row[0]
				candidates++
				last = v/64 + 1
			}
			if prep.First[v] != first || bit(prep.NoIn, v) != (len(row) == 0) {
				t.Fatalf("%s: vertex %d: first %d, none %v; its row has %d", c.Name, v, prep.First[v], bit(prep.NoIn, v), len(row))
			}
			most = max(most, g.Out().Degree(uint32(v)))
		}
		for v := n; v < words*64; v++ {
			if !bit(prep.NoIn, v) {
				t.Fatalf("%s: bit %d past the last vertex isn't set", c.Name, v)
			}
		}
		if prep.Candidates != candidates || prep.MaxDegree != most || prep.Words != last || prep.Bytes < uint64(4*n+8*words) {
			t.Errorf("%s: %d candidates, degree %d, %d words, %d bytes; want %d, %d, %d",
				c.Name, prep.Candidates, prep.MaxDegree, prep.Words, prep.Bytes, candidates, most, last)
		}
		checkCuts(t, c.Name, prep, in)
		if p.State().Prepare() != prep {
			t.Errorf("%s: prepared twice", c.Name)
		}
	}
}

// checkCuts checks that the ranges cover the words and that none has much more
// work than another: two ranges side by side could not be one.
func checkCuts(t *testing.T, name string, prep *placed.Prepared, in *graph.CSR) {
	t.Helper()
	cuts := prep.Cuts
	if len(cuts) == 0 || cuts[0] != 0 || int(cuts[len(cuts)-1]) != prep.Words {
		t.Fatalf("%s: cuts %v for %d words", name, cuts, prep.Words)
	}
	n := in.NumVertices()
	work := func(lo, hi int32) uint64 { // of a range of words
		first, last := min(int(lo)*64, n), min(int(hi)*64, n)
		return in.Offsets[last] - in.Offsets[first] + uint64(last-first)
	}
	const most = 1 << 17
	for i := 1; i < len(cuts); i++ {
		if cuts[i] <= cuts[i-1] {
			t.Fatalf("%s: cuts %v don't ascend", name, cuts)
		}
		if before := work(cuts[i-1], cuts[i]-1); before >= most {
			t.Errorf("%s: range %d has work for %d before its last word", name, i, before)
		}
	}
	if all := work(0, int32(prep.Words)); all > 2*most && len(cuts) < 3 {
		t.Errorf("%s: work for %d in %d ranges", name, all, len(cuts)-1)
	}
}

// TestEll4 compares with the definition in the documentation of Ell4.
func TestEll4(t *testing.T) {
	with := 0
	for _, c := range testgraph.All() {
		g := c.Graph(32)
		p := testgraph.Place(g, 2)
		f := p.State().Ell4()
		n := g.NumVertices()
		if f == nil {
			if n > 0 && g.Out().NumEdges() == 0 {
				t.Errorf("%s: no ELL4 rows for rows without edges", c.Name)
			}
			continue
		}
		with++
		if len(f.Rows) != n || f.Long != nil && len(f.Long) != (n+63)/64 || f.Bytes < uint64(16*n) || p.State().Ell4() != f {
			t.Fatalf("%s: %d rows, %d words, %d bytes for %d vertices", c.Name, len(f.Rows), len(f.Long), f.Bytes, n)
		}
		long, loops := false, false
		for v := range n {
			row := g.Out().Neighbors(uint32(v))
			want := [4]uint32{uint32(v), uint32(v), uint32(v), uint32(v)}
			copy(want[:], row)
			if f.Rows[v] != want {
				t.Fatalf("%s: row %d is %v, want %v", c.Name, v, f.Rows[v], want)
			}
			if has := f.Long != nil && bit(f.Long, v); has != (len(row) > 4) {
				t.Fatalf("%s: row %d has %d targets; long: %v", c.Name, v, len(row), has)
			}
			long, loops = long || len(row) > 4, loops || slices.Contains(row[:min(len(row), 4)], uint32(v))
		}
		if long != (f.Long != nil) {
			t.Errorf("%s: long rows: %v, bits for them: %v", c.Name, long, f.Long != nil)
		}
		stored, err := graph.FromCSR(*g.Out(), graph.CSROptions{Directed: true, Stored: graph.Stored{Checked: true, Rows: f.Rows, Long: f.Long}})
		if err != nil {
			t.Fatal(err)
		}
		if of := stored.State().Ell4(); f.Loops() != loops || of.Loops() != loops {
			t.Errorf("%s: self-loops: %v, worked out again from what is stored %v, want %v", c.Name, f.Loops(), of.Loops(), loops)
		}
	}
	if with < 5 {
		t.Errorf("%d graphs with ELL4 rows", with)
	}
}

// TestWorkedOutOnce asks from many goroutines at once.
func TestWorkedOutOnce(t *testing.T) {
	p := testgraph.Place(testgraph.ByName("lattice").Graph(1), 2)
	var wg sync.WaitGroup
	preps, ell4 := make([]*placed.Prepared, 8), make([]*placed.Ell4, 8)
	for i := range preps {
		wg.Add(1)
		go func() {
			defer wg.Done()
			preps[i], ell4[i] = p.State().Prepare(), p.State().Ell4()
		}()
	}
	wg.Wait()
	for i := range preps {
		if preps[i] == nil || ell4[i] == nil || preps[i] != preps[0] || ell4[i] != ell4[0] {
			t.Fatal("worked out twice, or not at all")
		}
	}
}

func TestOn(t *testing.T) {
	g := testgraph.ByName("path").Graph(1)
	dev := host.New(3)
	p, err := g.On(dev)
	if err != nil {
		t.Fatal(err)
	}
	if p.Graph() != g || p.Device() != device.Device(dev) || p.NumVertices() != g.NumVertices() {
		t.Error("another graph, or another device")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if p, err := g.On(tpu{}); !errors.Is(err, device.ErrNotSupported) || p != nil || !strings.Contains(err.Error(), "tpu") {
		t.Errorf("on a device without operators: %v", err)
	}
}

type tpu struct{ device.Device }

func (tpu) Info() device.Info { return device.Info{Kind: "tpu", Name: "tpu:0"} }

func TestWorkspaces(t *testing.T) {
	p := testgraph.Place(testgraph.ByName("path").Graph(1), 1)
	if x, ok := placed.Take(p.State(), number("a")); ok {
		t.Errorf("%v out of nothing", x)
	}
	placed.Keep(p.State(), number("a"), 1)
	placed.Keep(p.State(), number("b"), 2)
	if x, _ := placed.Take(p.State(), number("a")); x != 1 {
		t.Errorf("took %v, want 1", x)
	}
	if x, ok := placed.Take(p.State(), number("a")); ok {
		t.Errorf("took %v a second time", x)
	}
	// What is kept is bounded, and gone after Close.
	for i := range 1000 {
		placed.Keep(p.State(), number("a"), i)
	}
	got := map[int]bool{}
	for {
		x, ok := placed.Take(p.State(), number("a"))
		if !ok {
			break
		}
		if got[x] {
			t.Fatalf("%v twice", x)
		}
		got[x] = true
	}
	if len(got) == 0 || len(got) > 100 {
		t.Errorf("%d of 1,000 kept", len(got))
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if x, ok := placed.Take(p.State(), number("b")); ok {
		t.Errorf("%v is there after Close", x)
	}
	if placed.Keep(p.State(), number("b"), 3) {
		t.Error("kept after Close")
	}
}

// freer notes how often it was freed.
type freer struct{ times int }

var errFreer = errors.New("freer")

func (f *freer) Close() error { f.times++; return errFreer }

// TestClosePlaced: Close frees kept values once. Afterwards, and for nil, Err
// returns an error, and freeing again is no error.
func TestClosePlaced(t *testing.T) {
	g := testgraph.ByName("path").Graph(1)
	p := testgraph.Place(g, 1)
	if err := p.Err(); err != nil {
		t.Error(err)
	}
	kept, refused := &freer{}, 0
	if !placed.Keep(p.State(), keyOf[*freer]{name: "a"}, kept) || !placed.Keep(p.State(), number("a"), 7) {
		t.Error("not kept")
	}
	for range 1000 {
		if !placed.Keep(p.State(), number("b"), 1) {
			refused++
		}
	}
	if refused < 900 || refused == 1000 {
		t.Errorf("%d of 1,000 refused", refused)
	}
	if err := p.Close(); err != errFreer {
		t.Errorf("got %v, want what the workspace returned", err)
	}
	if err := p.Close(); err != nil || kept.times != 1 {
		t.Errorf("freed again: %v, %d times", err, kept.times)
	}
	if err := p.Err(); !errors.Is(err, device.ErrClosed) {
		t.Errorf("freed: %v", err)
	}
	if p.Graph() != g || p.NumVertices() != g.NumVertices() {
		t.Error("the graph went too")
	}
	var none *graph.Placed
	if err := none.Close(); err != nil {
		t.Error(err)
	}
	if err := none.Err(); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("none: %v", err)
	}
	var noGraph *graph.Graph
	if _, err := noGraph.On(host.New(1)); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("placing none: %v", err)
	}
}

// TestWorkspaceIsTakenOnce takes and keeps from many goroutines: no workspace is
// with two at the same time.
func TestWorkspaceIsTakenOnce(t *testing.T) {
	p := testgraph.Place(testgraph.ByName("path").Graph(1), 1)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 500 {
				own, ok := placed.Take(p.State(), keyOf[*[]int]{name: "x"})
				if !ok {
					own = new([]int)
				}
				*own = append((*own)[:0], r.Perm(5)...) // the race detector looks on
				if s := slices.Sorted(slices.Values(*own)); s[4] != 4 {
					t.Error("another has written")
				}
				placed.Keep(p.State(), keyOf[*[]int]{name: "x"}, own)
			}
		}()
	}
	wg.Wait()
}

// TestPlaceNowhere: no device is an error, not a panic.
func TestPlaceNowhere(t *testing.T) {
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0}}, graph.CSROptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.On(nil); !errors.Is(err, device.ErrNotSupported) || !strings.Contains(err.Error(), "device.Open") {
		t.Errorf("got %v", err)
	}
}

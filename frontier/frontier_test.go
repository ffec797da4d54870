package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// placed returns a graph of n vertices without edges on the host.
func placed(n, workers int) *graph.Placed {
	return testgraph.Place(testgraph.Build(n, nil, testgraph.Undirected), workers)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// check compares a frontier with the entries that it is to have: in bitmap
// form those without duplicates, ascending.
func check(t *testing.T, what string, f *frontier.Frontier, form frontier.Form, want []uint32) {
	t.Helper()
	if f.Form() != form || f.Len() != len(want) || !slices.Equal(f.Vertices(), want) {
		t.Fatalf("%s: a %s of %d entries %v, want a %s of %d: %v", what, f.Form(), f.Len(), head(f.Vertices()), form, len(want), head(want))
	}
	if form == frontier.Queue {
		if f.Bits() != nil {
			t.Fatalf("%s: a queue with words", what)
		}
		if len(want) > 0 && !slices.Equal(f.Queue(), want) {
			t.Fatalf("%s: the queue itself is %v, want %v", what, head(f.Queue()), head(want))
		}
		return
	}
	if f.Queue() != nil {
		t.Fatalf("%s: a bitmap with a queue", what)
	}
	count := 0
	for _, w := range f.Bits() {
		count += bits.OnesCount64(w)
	}
	if count != len(want) || len(f.Bits()) != f.Words() {
		t.Fatalf("%s: %d bits in %d words, want %d in %d", what, count, len(f.Bits()), len(want), f.Words())
	}
}

func head(vs []uint32) string {
	if len(vs) > 20 {
		return fmt.Sprint(vs[:20], "...")
	}
	return fmt.Sprint(vs)
}

func set(vs []uint32) []uint32 {
	return slices.Compact(slices.Sorted(slices.Values(vs)))
}

// sizes of graphs: around words, and around what workers claim at once, in
// vertices and in words.
var sizes = []int{1, 2, 63, 64, 65, 1023, 1024, 1025, 4095, 4096, 4097, 64*2048 - 1, 64*2048 + 1}

// TestConvert goes there and back with random multisets of all densities.
func TestConvert(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		p := placed(n, 1)
		for _, workers := range []int{1, 2, 8} {
			s := host.New(workers).Stream(context.Background())
			f := frontier.New(p)
			for _, k := range []int{0, 1, n / 100, n / 4, min(2*n, n/2+3000)} {
				vs := make([]uint32, k)
				for i := range vs {
					vs[i] = uint32(r.IntN(n))
				}
				what := fmt.Sprintf("n %d, %d workers, %d entries", n, workers, k)
				must(t, f.Clear(frontier.Queue))
				check(t, what, f, frontier.Queue, nil)
				must(t, f.Add(vs...))
				check(t, what, f, frontier.Queue, vs)
				must(t, f.Convert(s, frontier.Queue)) // nothing to do
				check(t, what, f, frontier.Queue, vs)
				must(t, f.Convert(s, frontier.Bitmap))
				check(t, what, f, frontier.Bitmap, set(vs))
				must(t, f.Convert(s, frontier.Bitmap))
				check(t, what, f, frontier.Bitmap, set(vs))
				must(t, f.Convert(s, frontier.Queue))
				check(t, what, f, frontier.Queue, set(vs))
			}
			must(t, f.Close())
			s.Close()
		}
	}
}

func TestAdd(t *testing.T) {
	f := frontier.New(placed(100, 1))
	if f.Form() != frontier.Queue || f.Len() != 0 || f.Vertices() != nil || f.Queue() != nil || f.Words() != 2 {
		t.Error("a new frontier isn't an empty queue")
	}
	must(t, f.Add())
	must(t, f.Add(7))
	must(t, f.Add(99, 0, 7))
	check(t, "queue", f, frontier.Queue, []uint32{7, 99, 0, 7})
	for _, v := range []uint32{100, 101, graph.NoVertex} {
		if err := f.Add(3, v); !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("adding %d of 100: %v", v, err)
		}
	}
	check(t, "after refusing", f, frontier.Queue, []uint32{7, 99, 0, 7})
	must(t, f.Clear(frontier.Bitmap))
	must(t, f.Add(64, 63, 64))
	must(t, f.Add(64, 1))
	if err := f.Add(2, 100); !errors.Is(err, graph.ErrNoVertex) {
		t.Error(err)
	}
	check(t, "bitmap", f, frontier.Bitmap, []uint32{1, 63, 64})
	// What Vertices returns is the caller's.
	f.Vertices()[0] = 50
	check(t, "bitmap", f, frontier.Bitmap, []uint32{1, 63, 64})
}

// TestAddGrows adds many times what the graph has vertices.
func TestAddGrows(t *testing.T) {
	f := frontier.New(placed(3, 1))
	var want []uint32
	for i := range uint32(3 * front.Slack) {
		must(t, f.Add(i%3))
		want = append(want, i%3)
	}
	check(t, "queue", f, frontier.Queue, want)
	want = append(want, want...)
	must(t, f.Add(want[:len(want)/2]...))
	check(t, "queue", f, frontier.Queue, want)
}

func TestClearAndReset(t *testing.T) {
	f := frontier.New(placed(130, 1))
	must(t, f.Add(1, 2, 3))
	must(t, f.Clear(frontier.Bitmap))
	check(t, "cleared", f, frontier.Bitmap, nil)
	must(t, f.Add(5, 129))
	must(t, f.Clear(frontier.Bitmap))
	check(t, "cleared again", f, frontier.Bitmap, nil)
	must(t, f.Add(5, 129))
	must(t, f.Clear(frontier.Queue))
	check(t, "a queue now", f, frontier.Queue, nil)
	// Reset leaves the words; Clear doesn't.
	must(t, f.Reset(frontier.Bitmap))
	if f.Len() != 0 || f.Bits()[0] != 1<<5 || f.Bits()[2] != 1<<1 {
		t.Errorf("Reset: length %d, words %x", f.Len(), f.Bits())
	}
	must(t, f.Clear(frontier.Bitmap))
	check(t, "cleared at last", f, frontier.Bitmap, nil)
}

func TestGrow(t *testing.T) {
	f := frontier.New(placed(10, 1))
	must(t, f.Add(4, 2))
	must(t, f.Grow(50_000))
	check(t, "grown", f, frontier.Queue, []uint32{4, 2})
	if len(f.Spare()) < 50_000-2+front.Slack || len(f.Room()) < 50_000+front.Slack {
		t.Errorf("room for %d, %d spare", len(f.Room()), len(f.Spare()))
	}
	must(t, f.Grow(1))
	if len(f.Room()) < 50_000+front.Slack {
		t.Error("growing to less has made it smaller")
	}
	if err := f.Grow(math.MaxInt); err == nil {
		t.Error("there is no room for MaxInt entries")
	}
	check(t, "after refusing", f, frontier.Queue, []uint32{4, 2})
	// A queue has room for all vertices from the start.
	must(t, f.Clear(frontier.Queue))
	if len(f.Spare()) < 10+front.Slack {
		t.Errorf("%d spare", len(f.Spare()))
	}
}

// TestReserve fills a queue as operators do: from all workers at once.
func TestReserve(t *testing.T) {
	const workers, rounds = 4, 500
	f := frontier.New(placed(workers*rounds*3, workers))
	must(t, f.Clear(frontier.Queue))
	s := host.New(workers).Stream(context.Background())
	defer s.Close()
	var want []uint32
	next := make(chan int, workers*rounds)
	for i := range workers * rounds {
		next <- i
		for k := range i % 3 {
			want = append(want, uint32(i*3+k))
		}
	}
	close(next)
	s.Run(jobFunc(func(int) {
		for i := range next {
			at := f.Reserve(i % 3)
			for k := range i % 3 {
				f.Room()[at+k] = uint32(i*3 + k)
			}
		}
	}))
	got := slices.Sorted(slices.Values(f.Vertices()))
	if !slices.Equal(got, want) {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
	f.SetLen(1)
	if f.Len() != 1 || len(f.Queue()) != 1 {
		t.Errorf("length %d after SetLen(1)", f.Len())
	}
}

func TestConvertAllocatesNothing(t *testing.T) {
	p := placed(300_000, 2)
	f := frontier.New(p)
	s := host.New(2).Stream(context.Background())
	defer s.Close()
	for v := uint32(0); v < 300_000; v += 5 {
		must(t, f.Add(v))
	}
	round := func() {
		must(t, f.Convert(s, frontier.Bitmap))
		must(t, f.Convert(s, frontier.Queue))
	}
	round()
	if n := testing.AllocsPerRun(20, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFormNames(t *testing.T) {
	if frontier.Queue.String() != "queue" || frontier.Bitmap.String() != "bitmap" || frontier.Form(9).String() != "Form(9)" {
		t.Error("names of forms")
	}
	p := placed(3, 1)
	if frontier.New(p).Placed() != p {
		t.Error("another graph")
	}
}

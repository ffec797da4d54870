package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/metrics"
)

// TestHold: a callback may free the placed graph, which isn't held then, and one that panics
// leaves it held.
func TestHold(t *testing.T) {
	p := testgraph.Place(testgraph.Path(10).Graph(1), 1)
	var h run.Hold
	if err := h.Take(p, "test"); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = h.Call(func() { panic("enough") })
	}()
	freed := make(chan error, 1)
	go func() { freed <- p.Close() }()
	for p.Err() == nil {
		release, err := p.Hold()
		if err != nil {
			break // Close was called
		}
		release()
	}
	select {
	case err := <-freed:
		t.Fatalf("freed while it was held: %v", err)
	default:
	}
	called := false
	err := h.Call(func() {
		called = true
		if err := <-freed; err != nil {
			t.Error(err)
		}
	})
	if !called || !errors.Is(err, device.ErrClosed) || !strings.HasPrefix(err.Error(), "test: ") || h.Err() != err {
		t.Errorf("after a callback that freed it: %v, %v", err, h.Err())
	}
	h.Let() // which holds nothing
	if err := h.Take(p, "test"); !errors.Is(err, device.ErrClosed) {
		t.Errorf("held after Close: %v", err)
	}
}

// TestLease: workers stay until End, and later contexts replace earlier ones.
func TestLease(t *testing.T) {
	p := testgraph.Place(testgraph.Path(10).Graph(1), 3)
	l, err := run.NewLease(p, "test")
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	first, err := l.Begin(ended)
	if err != nil || l.Name() != host.Name {
		t.Fatal(err, l.Name())
	}
	end()
	if err := l.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("under a context that has ended: %v", err)
	}
	l.Rest()
	second, err := l.Begin(context.Background())
	if err != nil || second != first || l.Err() != nil {
		t.Errorf("the next traversal has another stream, or %v, %v", err, l.Err())
	}
	l.End()
	if err := first.Sync(); !errors.Is(err, device.ErrClosed) {
		t.Errorf("after End: %v", err)
	}
	if third, err := l.Begin(context.Background()); err != nil || third == first {
		t.Errorf("the traversal after End has the same stream, or %v", err)
	}
	if err := errors.Join(l.Close(), p.Device().Close()); err != nil {
		t.Error(err)
	}
	if _, err := l.Begin(context.Background()); !errors.Is(err, device.ErrClosed) {
		t.Errorf("on a closed device: %v", err)
	}
}

// calls is a work that notes what is asked of it.
type calls struct {
	log  []string
	fail string
}

var errFailed = errors.New("failed")

func (c *calls) did(what string) error {
	c.log = append(c.log, what)
	if what == c.fail {
		return errFailed
	}
	return nil
}

func (c *calls) Begin(context.Context) error { return c.did("begin") }
func (c *calls) Check(q int) error           { return c.did("check") }
func (c *calls) Reclaim() error              { return c.did("reclaim") }
func (c *calls) End()                        { _ = c.did("end") }
func (c *calls) Close() error                { return c.did("free") }

func (c *calls) Answer(q int) (int, error) {
	if err := c.did("answer"); err != nil {
		return 0, err
	}
	if q < 0 {
		panic("enough")
	}
	return 2 * q, nil
}

// TestSearcher: the order in which a searcher does things, whatever fails.
func TestSearcher(t *testing.T) {
	all := []string{"begin", "check", "reclaim", "answer"}
	for i, fail := range append(slices.Clone(all), "") {
		c := &calls{fail: fail}
		s := run.Searcher[int, int]{Name: "test", Work: c}
		want := slices.Clone(all[:min(i+1, len(all))])
		if fail != "begin" {
			want = append(want, "end")
		}
		if r, err := s.Run(t.Context(), 4); !slices.Equal(c.log, want) || (err != nil) != (fail != "") || fail == "" && r != 8 {
			t.Errorf("where %q fails: %v, %d, %v", fail, c.log, r, err)
		}
	}
	c := &calls{}
	s := run.Searcher[int, int]{Name: "test", Work: c}
	func() {
		defer func() { _ = recover() }()
		_, _ = s.Run(t.Context(), -1)
	}()
	if c.log[len(c.log)-1] != "end" {
		t.Errorf("after a panic: %v", c.log)
	}
	within := &calls{}
	w := run.Searcher[int, int]{Name: "test", Work: within}
	if err := w.Begin(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := w.Run(t.Context(), 1); err == nil || !slices.Equal(within.log, []string{"begin"}) {
		t.Errorf("while it is at work: %v, %v", err, within.log)
	}
	if err := w.Close(); err == nil || !slices.Equal(within.log, []string{"begin"}) {
		t.Errorf("closed while it is at work: %v, %v", err, within.log)
	}
	w.End()
	if _, err := w.Run(t.Context(), 1); err != nil {
		t.Errorf("after that: %v", err)
	}
	for range 2 {
		c.log = nil
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Run(t.Context(), 1); !errors.Is(err, device.ErrClosed) || c.log != nil {
		t.Errorf("after Close: %v, %v", err, c.log)
	}
}

// TestBatch: which queries are run, and whose error it is.
func TestBatch(t *testing.T) {
	s := run.Searcher[int, int]{Name: "test", Work: &calls{}}
	place := func(i int) string { return fmt.Sprintf("query %d", i) }
	for rest, want := range map[int][]int{-1: nil, 0: {0, 2, 4}, 2: {4}} {
		var got []int
		err := s.Batch(t.Context(), 3, func(i int) int { return i }, func(i, r int) error {
			got = append(got, r)
			return nil
		}, place, func() (int, error) { return rest, nil })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("from %d on: %v, %v", rest, got, err)
		}
	}
	own := errors.New("the caller's")
	err := s.Batch(t.Context(), 3, func(i int) int { return i }, func(i, r int) error { return own }, place, nil)
	if err != own {
		t.Errorf("yield's error is %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	err = s.Batch(t.Context(), 3, func(i int) int { return i }, func(i, r int) error { return nil }, place, nil)
	if !errors.Is(err, device.ErrClosed) || !strings.HasPrefix(err.Error(), "test: query 0: ") || strings.Count(err.Error(), "test: ") > 1 {
		t.Errorf("after Close: %v", err)
	}
}

// TestShelf: what was kept last comes back first, and nothing is kept after Close.
func TestShelf(t *testing.T) {
	p := testgraph.Place(testgraph.Path(10).Graph(1), 1)
	var d placed.Shelf
	a, err := run.Array[int32](&d, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := run.Array[int32](&d, p, nil)
	if err != nil || a == b {
		t.Fatal(err)
	}
	if err := errors.Join(run.Keep(&d, a), run.Keep(&d, b)); err != nil {
		t.Fatal(err)
	}
	if run.Kept[uint32](&d, p, nil) != nil {
		t.Error("an array of another type came back")
	}
	if run.Kept[int32](&d, p, nil) != b || run.Kept[int32](&d, p, nil) != a || run.Kept[int32](&d, p, nil) != nil {
		t.Error("other arrays came back")
	}
	if err := errors.Join(run.Keep(&d, a), d.Close(), run.Keep(&d, b)); err != nil {
		t.Fatal(err)
	}
	for _, x := range []*device.Buffer[int32]{a, b} {
		if x.Host() != nil {
			t.Error("an array wasn't freed")
		}
	}
}

// fails is a searcher whose Close fails, as does each but the first, which NewPool asks for its size.
type fails struct{ number *int }

func (fails) Bytes() uint64        { return 1 }
func (fails) Bind(context.Context) {}
func (fails) Unbind()              {}

func (fails) Observer() (metrics.Recorder, string) { return nil, "" }

func (f fails) Close() error {
	if *f.number++; *f.number == 1 {
		return nil
	}
	return errFails
}

var errFails = errors.New("made to fail")

// TestPoolCloses: every Close returns what went wrong, also where another one closed the searchers.
func TestPoolCloses(t *testing.T) {
	var number int
	q, err := run.NewPool("test", testgraph.Place(testgraph.Path(4).Graph(1), 1), func() (fails, error) { return fails{&number}, nil }, device.NewBudget(1))
	if err != nil {
		t.Fatal(err)
	}
	started, end := make(chan struct{}), make(chan struct{})
	go q.Do(context.Background(), func(fails) error { close(started); <-end; return nil })
	<-started
	late, cancel := context.WithCancel(context.Background())
	cancel()
	if err := q.Shutdown(late); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown without time: %v", err)
	}
	close(end)
	for range 3 {
		if err := q.Close(); !errors.Is(err, errFails) {
			t.Errorf("Close: %v", err)
		}
	}
}

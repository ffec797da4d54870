// This file tests frontiers that are used wrongly, freed, or canceled.

package frontier_test

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testctx"
)

type jobFunc func(int)

func (f jobFunc) Run(w int) { f(w) }

// TestFree: a freed frontier, and one over a freed placed graph, is empty and
// takes nothing more; freeing again, or nil, does nothing.
func TestFree(t *testing.T) {
	s := host.New(1).Stream(context.Background())
	defer s.Close()
	closed := func(what string, f *frontier.Frontier) {
		t.Helper()
		p := f.Placed()
		for _, err := range []error{
			f.Check(f.Placed()), f.Add(2), f.Add(), f.Clear(frontier.Queue), f.Clear(frontier.Bitmap), f.Reset(frontier.Queue),
			f.Grow(1), f.Convert(s, frontier.Bitmap), f.Convert(s, frontier.Queue), f.Check(p), f.Check(p, frontier.Queue),
		} {
			if !errors.Is(err, device.ErrClosed) {
				t.Errorf("%s: got %v, want ErrClosed", what, err)
			}
		}
	}
	for _, form := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
		f := frontier.New(placed(10, 1))
		must(t, f.Clear(form))
		must(t, f.Add(1))
		must(t, f.Close())
		must(t, f.Close())
		if f.Len() != 0 || f.Vertices() != nil || f.Queue() != nil || f.Bits() != nil || f.Room() != nil || f.Spare() != nil {
			t.Errorf("freed, the %s has %d entries", form, f.Len())
		}
		closed("freed", f)

		f = frontier.New(placed(10, 1))
		must(t, f.Clear(form))
		must(t, f.Placed().Close())
		closed("its graph was freed", f)
		must(t, f.Close())
	}
	var none *frontier.Frontier
	must(t, none.Close())
}

// TestNoGraph: a frontier over no graph returns errors.
func TestNoGraph(t *testing.T) {
	f := frontier.New(nil)
	_, edges := frontier.NewEdges(nil, true)
	for _, err := range []error{f.Check(f.Placed()), f.Add(), f.Clear(frontier.Bitmap), f.Grow(1), f.Check(nil), edges} {
		if !errors.Is(err, graph.ErrNoGraph) {
			t.Errorf("got %v, want ErrNoGraph", err)
		}
	}
	must(t, f.Close())
}

// TestWrongForms: what a frontier can't be or do in its form is ErrForm.
func TestWrongForms(t *testing.T) {
	s := host.New(2).Stream(context.Background())
	defer s.Close()
	f := frontier.New(placed(100, 1))
	must(t, f.Add(7))
	for _, err := range []error{
		f.Clear(frontier.Form(2)), f.Reset(frontier.Form(9)), f.Convert(s, frontier.Form(2)),
		f.Check(f.Placed(), frontier.Bitmap),
	} {
		if !errors.Is(err, frontier.ErrForm) {
			t.Errorf("got %v, want ErrForm", err)
		}
	}
	check(t, "after errors", f, frontier.Queue, []uint32{7})
	must(t, f.Check(f.Placed(), frontier.Bitmap, frontier.Queue))
	must(t, f.Convert(s, frontier.Bitmap))
	if err := f.Grow(1000); !errors.Is(err, frontier.ErrForm) {
		t.Errorf("growing a bitmap: %v", err)
	}
	if f.Spare() != nil || f.Room() != nil {
		t.Error("a bitmap has room for a queue")
	}
	f.SetLen(5) // a length that the bits don't bear out
	if err := f.Convert(s, frontier.Queue); !errors.Is(err, frontier.ErrForm) {
		t.Errorf("a bitmap of a wrong length: %v", err)
	}
	for _, p := range []*graph.Placed{nil, placed(100, 1)} {
		if err := f.Check(p, frontier.Bitmap); !errors.Is(err, frontier.ErrForeign) {
			t.Errorf("got %v, want ErrForeign", err)
		}
	}
	var none *frontier.Frontier
	if err := none.Check(f.Placed()); !errors.Is(err, frontier.ErrForeign) {
		t.Errorf("no frontier: %v", err)
	}
}

func TestNoVertices(t *testing.T) {
	f := frontier.New(placed(0, 1))
	s := host.New(2).Stream(context.Background())
	defer s.Close()
	for range 2 {
		for _, form := range []frontier.Form{frontier.Bitmap, frontier.Queue} {
			must(t, f.Convert(s, form))
			if f.Len() != 0 || f.Words() != 0 || f.Form() != form {
				t.Errorf("%d entries", f.Len())
			}
			if err := f.Add(0); !errors.Is(err, graph.ErrNoVertex) {
				t.Error(err)
			}
		}
	}
}

// elsewhere is a stream of a device that frontiers can't be on.
type elsewhere struct{ device.Stream }

func (elsewhere) Device() device.Device { return tpu{} }

type tpu struct{ device.Device }

func (tpu) Info() device.Info { return device.Info{Kind: "tpu", Name: "tpu:3"} }

func TestConvertErrors(t *testing.T) {
	p := placed(200_000, 2)
	f := frontier.New(p)
	must(t, f.Add(5, 5, 6))
	if err := f.Convert(elsewhere{}, frontier.Bitmap); !errors.Is(err, device.ErrNotSupported) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := host.New(2).Stream(ctx)
	defer s.Close()
	if err := f.Convert(s, frontier.Bitmap); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	check(t, "after refusing", f, frontier.Queue, []uint32{5, 5, 6})
}

// TestConvertCanceled cancels while the workers are at it.
func TestConvertCanceled(t *testing.T) {
	for _, n := range []int{100, 500_000} {
		for _, from := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
			f := frontier.New(placed(n, 2))
			must(t, f.Clear(from))
			for v := 0; v < n; v += 3 {
				must(t, f.Add(uint32(v)))
			}
			ctx := testctx.NewLate()
			s := host.New(2).Stream(ctx)
			ctx.Cancel(1, s.Stopped)
			if err := f.Convert(s, frontier.Bitmap-from); !errors.Is(err, context.Canceled) {
				t.Errorf("n %d, from a %s: %v, want the context's error", n, from, err)
			}
			s.Close()
			// What it holds isn't said, but it can be used again.
			must(t, f.Clear(frontier.Bitmap))
			must(t, f.Add(9))
			check(t, "used again", f, frontier.Bitmap, []uint32{9})
		}
	}
}

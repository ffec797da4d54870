// This file tests that what a predicate did wrong is forgotten by the next call.

package filter_test

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
)

// TestFaultForgotten: a predicate that breaks its promise while the context ends, or another
// worker panics, isn't held against the one after it.
func TestFaultForgotten(t *testing.T) {
	const n = 200_000
	p := testgraph.Place(testgraph.Build(n, nil, testgraph.Undirected), 4)
	for _, form := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
		for _, panics := range []bool{false, true} {
			ctx, cancel := context.WithCancel(context.Background())
			s := host.New(4).Stream(ctx)
			f, err := filter.New(s, p)
			must(t, err)
			fr := frontier.New(p)
			fill := func() {
				must(t, fr.Fill())
				must(t, fr.Convert(s, form))
			}
			fill()
			func() {
				defer func() { _ = recover() }()
				err = f.Keep(fr, filter.Func(func(w operators.Worker, in, _ []uint32) int {
					if !panics {
						cancel()
					} else if w.ID == 0 {
						panic("enough")
					}
					return len(in) + 1
				}))
				if !errors.Is(err, context.Canceled) && !errors.Is(err, operators.ErrFunctor) {
					t.Errorf("%s: %v", form, err)
				}
			}()
			must(t, s.Close())
			s = host.New(4).Stream(context.Background())
			if !f.Bind(s) {
				t.Fatal("the stream doesn't fit")
			}
			fill()
			if err := f.Keep(fr, filter.Func(func(_ operators.Worker, in, out []uint32) int { return copy(out, in) })); err != nil || fr.Len() != n {
				t.Errorf("%s, panics %v: %d vertices, %v", form, panics, fr.Len(), err)
			}
			cancel()
			must(t, errors.Join(f.Close(), fr.Close(), s.Close()))
		}
	}
}

package gen

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/internal/calls/panics"
)

// loud is a generator whose last block panics.
type loud struct{ Generator }

func (l loud) Block(b int, src, dst []uint32) int {
	if b == l.Blocks()-1 {
		panic("loud")
	}
	return l.Generator.Block(b, src, dst)
}

// TestPanics: a panic of a worker is an error, in whatever order blocks come.
func TestPanics(t *testing.T) {
	g, err := newRMAT(16, rmatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 7} {
		for name, edges := range map[string]func(context.Context, Generator, int, func(int, []uint32, []uint32) error) error{"Edges": Edges, "Ordered": Ordered} {
			err := edges(context.Background(), loud{g}, workers, func(int, []uint32, []uint32) error { return nil })
			var p *panics.Error
			if !errors.As(err, &p) || p.Value != "loud" {
				t.Errorf("%s, %d workers: %v", name, workers, err)
			}
		}
	}
}

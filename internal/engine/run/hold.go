// Package run is the runtime of all traversals, breadth-first searches included. It holds the
// placed graph, leases a stream, keeps workspaces from one traversal to the next, checks memory,
// combines the statistics of levels, and manages the life of a searcher.
package run

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
)

// Hold keeps a placed graph from being freed while a traversal runs, and lets go of it
// around callbacks, which may free it. The zero value holds nothing.
type Hold struct {
	p       *graph.Placed
	who     string
	release func() // nil while nothing is held
	err     error
}

// Take holds the placed graph until Let. Errors begin with who.
func (h *Hold) Take(p *graph.Placed, who string) error {
	h.p, h.who, h.err = p, who, nil
	return h.again()
}

func (h *Hold) again() error {
	release, err := h.p.Hold()
	if err != nil {
		h.err = fmt.Errorf("%s: %w", h.who, err)
		return h.err
	}
	h.release = release
	return nil
}

// Ready returns the context's error, and graph.ErrOptions where it is nil. Errors of that begin
// with who.
func Ready(ctx context.Context, who string) error {
	if err := callctx.Check(ctx, who); err != nil {
		return err
	}
	return ctx.Err()
}

// Let lets go of the placed graph, if it is held. Nothing of it may be touched then.
func (h *Hold) Let() {
	if h.release != nil {
		h.release()
		h.release = nil
	}
}

// Call calls back, and holds nothing meanwhile. The error is device.ErrClosed where the
// placed graph was closed; Err has it then, too.
func (h *Hold) Call(back func()) (err error) {
	h.Let()
	defer func() { err = h.again() }() // also where it panics, for the code that ends the traversal
	back()
	return nil
}

// Err says why the placed graph isn't held any more, though it was to be.
func (h *Hold) Err() error { return h.err }

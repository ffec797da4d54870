// This file holds Advancer, what the operators keep between calls so that a
// level allocates nothing.

package advance

import (
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
)

// Advancer runs advance operators over one placed graph on one stream. It
// belongs to one search and isn't safe for concurrent use.
type Advancer struct {
	// CountExactly makes Push count the edges of ELL4 rows, which graphs
	// of low degree have, by their degree; otherwise each counts as four, which saves
	// a look at the offsets. On a GPU it makes Pull wait and return the number of
	// edges looked at.
	CountExactly bool
	// Strategy is how a GPU shares out the edges of a push. The host has one
	// way.
	Strategy Strategy
	// Level is what functors of the host find in Worker.Level.
	Level int32

	p      *graph.Placed
	on     backend
	closed bool
}

// backend runs the operators on a device: onHost or onGPU, as New chooses. Their
// arguments have passed the checks that are the same on all devices.
type backend interface {
	bind(device.Stream) bool
	err() error // the stream's
	close() error

	runPush(in, out *frontier.Frontier, f Functor) (uint64, error)
	runLevel(levels *device.Buffer[int32], level int32, out *frontier.Frontier, f Functor) (uint64, int, error)
	runPull(in, seen, out *frontier.Frontier, sink Sink) (uint64, error)
	runVisit(in *frontier.Frontier, f Functor) (uint64, error)
	// runBits pushes with an empty bitmap as output, which the functor fills.
	runBits(in, out *frontier.Frontier, f Functor) (uint64, error)
	stop() *atomic.Bool // is set when the context ends, on the host; or nil
	remote() bool       // arrays must be on a GPU; a push by level needs an output there

	runExpand(in *frontier.Frontier, out *front.Edges, strategy Strategy) error
	runContract(in *front.Edges, out *frontier.Frontier, f Functor) error
	runContractExpand(in, out *front.Edges, f Functor) error
}

// New returns an Advancer over a placed graph, on a stream of its device. It
// holds some kilobytes per worker and nothing of the device. The error is
// device.ErrNotSupported for no stream or one of a device without operators,
// device.ErrClosed for a placed graph that was closed, or graph.ErrNoGraph.
func New(s device.Stream, p *graph.Placed) (*Advancer, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("advance: %w", err)
	}
	if p.Remote() != nil {
		a, err := newOnGPU(s, p)
		if err != nil {
			return nil, err
		}
		return a.Advancer, nil
	}
	a, err := newOnHost(s, p)
	if err != nil {
		return nil, err
	}
	return a.Advancer, nil
}

// Bind makes the Advancer run on another stream of the same device with as
// many workers, so that a later search can use it again. It reports whether
// the stream fits.
func (a *Advancer) Bind(s device.Stream) bool { return a != nil && a.on != nil && a.on.bind(s) }

// Close gives back what an Advancer holds on a GPU; on the host it holds
// nothing of the device. Later calls fail with device.ErrClosed. Closing a nil
// Advancer, or closing twice, does nothing.
func (a *Advancer) Close() error {
	if a == nil || a.on == nil {
		return nil
	}
	a.closed = true
	return a.on.close()
}

// enter begins an operator, which leave ends: Placed.Close waits for that.
func (a *Advancer) enter(what string) error {
	if a == nil || a.on == nil {
		return fmt.Errorf("advance: %s: %w: no Advancer (nil); New makes one", what, device.ErrNotSupported)
	}
	if a.closed {
		return fmt.Errorf("advance: %s: %w: the Advancer; make another", what, device.ErrClosed)
	}
	if err := a.p.State().Enter(); err != nil {
		return fmt.Errorf("advance: %s: %w", what, err)
	}
	return nil
}

func (a *Advancer) leave() { a.p.State().Leave() }

// ready returns why an operator can't run at all.
func (a *Advancer) ready(what string) error {
	if err := a.on.err(); err != nil {
		return err
	}
	if err := a.p.Err(); err != nil {
		return fmt.Errorf("advance: %s: %w", what, err)
	}
	return nil
}

// fits returns why the operator can't take a frontier, in any form if none is
// given; role names it among the frontiers.
func (a *Advancer) fits(what, role string, f *frontier.Frontier, forms ...frontier.Form) error {
	if err := f.Check(a.p, forms...); err != nil {
		return fmt.Errorf("advance: %s: %s frontier: %w", what, role, err)
	}
	return nil
}

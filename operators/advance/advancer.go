// This file holds Advancer, what the operators keep between calls so that a
// level allocates nothing.

package advance

import (
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
)

// Advancer runs advance operators over one placed graph on one stream. It
// belongs to one search and isn't safe for concurrent use.
type Advancer struct {
	// CountExactly makes Push count the edges of rows of fixed width
	// (FoursFunctor) by their degree; otherwise each counts as four, which saves
	// a look at the offsets. On a GPU it makes Pull wait and return the number of
	// edges looked at.
	CountExactly bool
	// Strategy is how a GPU shares out the edges of a push. The host has one
	// way.
	Strategy Strategy
	// Level is what functors of the host find in Worker.Level.
	Level int32

	p     *graph.Placed
	s     *host.Stream
	push  pushHost
	level levelHost
	pull  pullHost
	own   []local

	gpu *remote // on a GPU, else nil
}

// local is what one worker has to itself.
type local struct {
	rows    [groupVertices]Row
	ids     [groupVertices]uint32 // a group of a frontier of all vertices
	n       int                   // rows filled in
	edges   uint64                // of those rows
	touched uint32                // keeps loads that only fetch from being dropped
	out     []uint32
	k       int      // entries of out that count
	dst     []uint32 // rows of fixed width: the range that this worker fills
	at      int      // entries of dst that count

	visited uint64 // edges, over the whole call
	emitted int    // vertices let through, over the whole call

	vertices, parents [foundTile]uint32 // pull: what was found
	found             int
	misses            [2][64]uint32 // by word, of one and the one before

	_ [64]byte
}

// counter is an atomic counter on a cache line of its own.
type counter struct {
	_ [64]byte
	n atomic.Int64
	_ [56]byte
}

// New returns an Advancer over a placed graph, on a stream of its device. It
// holds some kilobytes per worker and nothing of the device. The error is
// device.ErrNotSupported for no stream or one of a device without operators,
// device.ErrClosed for a placed graph that was freed, or graph.ErrNoGraph.
func New(s device.Stream, p *graph.Placed) (*Advancer, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("advance: %w", err)
	}
	if p.Remote() != nil {
		gs, err := gpu.StreamOf(s)
		if err != nil {
			return nil, fmt.Errorf("advance: %w", err)
		}
		a := &Advancer{p: p, gpu: newRemote(p, gs)}
		a.push.a, a.pull.a = a, a
		return a, nil
	}
	hs, err := host.StreamOf(s)
	if err != nil {
		return nil, fmt.Errorf("advance: %w", err)
	}
	a := &Advancer{p: p}
	a.own = make([]local, hs.Workers())
	for w := range a.own {
		a.own[w].out = make([]uint32, flushAt+TileEdges)
	}
	a.Bind(hs)
	return a, nil
}

// Bind makes the Advancer run on another stream of the same device with as
// many workers, so that a later search can use it again. It reports whether
// the stream fits.
func (a *Advancer) Bind(s device.Stream) bool {
	if a == nil || a.p == nil {
		return false
	}
	if a.gpu != nil {
		gs, err := gpu.StreamOf(s)
		if err != nil || gs.Device() != a.p.Device() {
			return false
		}
		a.gpu.s = gs
		return true
	}
	hs, err := host.StreamOf(s)
	if err != nil || hs.Workers() != len(a.own) {
		return false
	}
	a.s = hs
	a.push.a, a.level.a, a.pull.a = a, a, a
	a.push.fours.p = &a.push
	return true
}

// enter begins an operator, which leave ends: Placed.Free waits for that.
func (a *Advancer) enter(what string) error {
	if a == nil || a.p == nil {
		return fmt.Errorf("advance: %s: %w: no Advancer (nil); New makes one", what, device.ErrNotSupported)
	}
	if err := a.p.Enter(); err != nil {
		return fmt.Errorf("advance: %s: %w", what, err)
	}
	return nil
}

func (a *Advancer) leave() { a.p.Leave() }

// ready returns why an operator can't run at all.
func (a *Advancer) ready(what string) error {
	var err error
	if a.gpu != nil {
		err = a.gpu.s.Err()
	} else {
		err = a.s.Err()
	}
	if err != nil {
		return err
	}
	if err := a.p.Err(); err != nil {
		return fmt.Errorf("advance: %s: %w", what, err)
	}
	return nil
}

// fits returns why the operator can't take a frontier, in any form if none is
// given; role says which of its frontiers it is.
func (a *Advancer) fits(what, role string, f *frontier.Frontier, forms ...frontier.Form) error {
	if err := f.Check(a.p, forms...); err != nil {
		return fmt.Errorf("advance: %s: %s frontier: %w", what, role, err)
	}
	return nil
}

// reset readies the workers' own state for a call.
func (a *Advancer) reset() {
	for w := range a.own {
		l := &a.own[w]
		l.n, l.edges, l.k, l.visited, l.emitted, l.found = 0, 0, 0, 0, 0, 0
	}
}

func (a *Advancer) totals() (edges uint64, emitted int) {
	for w := range a.own {
		edges += a.own[w].visited
		emitted += a.own[w].emitted
	}
	return edges, emitted
}

// This file holds the entry of the operators on the host, and what workers have to
// themselves.

package advance

import (
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// onHost is the part of an Advancer that runs on the workers of a stream.
type onHost struct {
	*Advancer
	s     *host.Stream
	push  pushHost
	level levelHost
	pull  pullHost
	own   []local
	pairs *pairs // of p, from the first push on that looks at weights
	clean bool   // the mask has no bit set
}

// local is what one worker has to itself.
type local struct {
	rows    [groupVertices]operators.Row
	ids     [groupVertices]uint32 // a group of a frontier of all vertices
	n       int                   // rows filled in
	edges   uint64                // of those rows
	touched uint32                // keeps loads that only fetch from being dropped
	own     *asyncWorker          // what it has to do in a push without rounds
	out     []uint32
	k       int      // entries of out that count
	dst     []uint32 // ELL4 rows: the range that this worker fills
	at      int      // entries of dst that count

	visited uint64 // edges, over the whole call
	emitted int    // vertices let through, over the whole call

	vertices, parents [foundTile]uint32 // pull: what was found
	found             int
	foundBy           []uint64      // the edges, if the sink needs them
	accepted          []bool        // of a sink that may reject edges
	misses            [2][64]uint32 // by word, of one and the one before

	_ [64]byte
}

// counter is an atomic counter on a separate cache line.
type counter struct {
	_ [64]byte
	n atomic.Int64
	_ [56]byte
}

func newOnHost(s device.Stream, p *graph.Placed) (*onHost, error) {
	hs, err := host.StreamOf(s)
	if err != nil {
		return nil, fmt.Errorf("advance: %w", err)
	}
	a := &onHost{Advancer: &Advancer{p: p}, s: hs, own: make([]local, hs.Workers())}
	for w := range a.own {
		a.own[w].out = make([]uint32, flushAt+tileEdges)
	}
	a.on = a
	a.push.a, a.level.a, a.pull.a = a, a, a
	a.push.ell4.p, a.push.async.p = &a.push, &a.push
	return a, nil
}

// hostTool returns the Advancer of an environment on the host.
func hostTool(x *step.Env) (*onHost, error) {
	a, err := step.Tool(x, "advance", func() (*onHost, error) { return newOnHost(x.Stream, x.Placed) })
	if err != nil {
		return nil, err
	}
	a.Level, a.CountExactly = x.Level, x.Counts
	return a, nil
}

func (a *onHost) bind(s device.Stream) bool {
	hs, err := host.StreamOf(s)
	if err != nil || hs.Workers() != len(a.own) {
		return false
	}
	a.s = hs
	return true
}

func (a *onHost) err() error         { return a.s.Err() }
func (a *onHost) close() error       { return nil }
func (h *onHost) stop() *atomic.Bool { return h.s.Stop() }
func (*onHost) remote() bool         { return false }

func (a *onHost) runPush(in, out *frontier.Frontier, f Functor) (uint64, error) {
	return a.push.run(in, out, f)
}

func (a *onHost) runLevel(levels *device.Buffer[int32], level int32, out *frontier.Frontier, f Functor) (uint64, int, error) {
	return a.level.run(levels, level, out, f)
}

func (a *onHost) runPull(in, seen, out *frontier.Frontier, sink Sink) (uint64, error) {
	return a.pull.run(in, seen, out, sink)
}

// runVisit is a push whose output is only counted.
func (a *onHost) runVisit(in *frontier.Frontier, f Functor) (uint64, error) {
	j := &a.push
	j.begin(in)
	j.call(f)
	edges := j.runRows(in.Queue())
	if err := j.end(); err != nil {
		return 0, err
	}
	return edges, a.s.Err()
}

// noEdges is the error of the operators on edge frontiers.
func noEdges(op string) error {
	return fmt.Errorf("advance: %s: %w: only a GPU has edge frontiers; Push does without", op, device.ErrNotSupported)
}

func (*onHost) runExpand(*frontier.Frontier, *front.Edges, Strategy) error {
	return noEdges("expand")
}

func (*onHost) runContract(*front.Edges, *frontier.Frontier, Functor) error {
	return noEdges("contract")
}

func (*onHost) runContractExpand(*front.Edges, *front.Edges, Functor) error {
	return noEdges("contract and expand")
}

// reset readies the workers' own state for a call.
func (a *onHost) reset() {
	for w := range a.own {
		l := &a.own[w]
		l.n, l.edges, l.k, l.visited, l.emitted, l.found = 0, 0, 0, 0, 0, 0
	}
}

func (a *onHost) totals() (edges uint64, emitted int) {
	for w := range a.own {
		edges += a.own[w].visited
		emitted += a.own[w].emitted
	}
	return edges, emitted
}

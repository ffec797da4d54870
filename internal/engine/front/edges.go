// This file holds Edges, an edge frontier on a GPU.

package front

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/gpu"
)

// Edges is an edge frontier: a list of edges, by target and, where wanted, by
// source (Merrill, Garland, Grimshaw, PPoPP 2012). It is on a GPU; on the
// host a push looks at the edges where they are. It belongs to one search.
type Edges struct {
	p       *graph.Placed
	dev     discrete.Device
	sources bool
	t, s    device.Memory
	room    uint64
	ticket  gpu.Ticket
	counted bool
	count   uint64
	emitted uint64
}

// RemoteEdges is an edge frontier as kernels have it (expand.cuh).
type RemoteEdges struct{ Targets, Sources uint64 }

// NewEdges returns an empty edge frontier over a placed graph; sources says
// that sources are kept too. Close gives its memory back. On the host it is
// device.ErrNotSupported; over no graph (nil), or one that was closed, the error is
// that of graph.Placed.Err.
func NewEdges(p *graph.Placed, sources bool) (*Edges, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("frontier: %w", err)
	}
	if p.Remote() == nil {
		return nil, fmt.Errorf("frontier: %w: edge frontiers are for GPUs; advance.Push does without on %s", device.ErrNotSupported, p.Device().Info().Name)
	}
	return &Edges{p: p, dev: p.Device().(discrete.Device), sources: sources, counted: true}, nil
}

// Reset empties it and makes sure of room for so many edges.
func (e *Edges) Reset(room uint64) error {
	e.count, e.counted = 0, true
	if e.t != nil && e.room >= room {
		return nil
	}
	if err := e.Close(); err != nil {
		return err
	}
	// A little more each time, so that growing levels don't allocate each.
	room = max(min(room+room/2, e.p.Graph().NumDirectedEdges()), room, 1)
	t, err := e.p.Device().Alloc(room * 4)
	if err != nil {
		return err
	}
	if e.sources {
		if e.s, err = e.p.Device().Alloc(room * 4); err != nil {
			return errors.Join(err, t.Close())
		}
	}
	e.t, e.room = t, room
	return nil
}

// HasSources reports whether sources are kept.
func (e *Edges) HasSources() bool { return e.sources }

// Set gives it the edges that the host knows.
func (e *Edges) Set(targets, sources []uint32) error {
	if err := e.Reset(uint64(len(targets))); err != nil {
		return err
	}
	if err := discrete.Write(e.dev, e.t, targets); err != nil {
		return err
	}
	if e.sources {
		if err := discrete.Write(e.dev, e.s, sources); err != nil {
			return err
		}
	}
	e.count, e.counted = uint64(len(targets)), true
	return nil
}

// Count returns the number of edges, and, after a ContractExpand, the number
// of vertices that they leave. It waits for the operator that fills it.
func (e *Edges) Count() (edges, vertices uint64, err error) {
	if !e.counted {
		mail, err := e.ticket.Wait()
		if err != nil {
			return 0, 0, err
		}
		e.count, e.emitted, e.counted = mail.Tail, mail.Visited, true
	}
	return e.count, e.emitted, nil
}

// Ticket is where the operator that fills it reports to.
func (e *Edges) Ticket() *gpu.Ticket { return &e.ticket }

// Expect says that the operator whose ticket it is counts the edges.
func (e *Edges) Expect() { e.counted = false }

// Remote returns it as kernels have it.
func (e *Edges) Remote() RemoteEdges {
	r := RemoteEdges{Targets: uint64(e.t.Pointer())}
	if e.s != nil {
		r.Sources = uint64(e.s.Pointer())
	}
	return r
}

// Read copies the edges out; sources is nil where they aren't kept.
func (e *Edges) Read() (targets, sources []uint32, err error) {
	n, _, err := e.Count()
	if err != nil || n == 0 {
		return nil, nil, err
	}
	targets = make([]uint32, n)
	if err := discrete.Read(e.dev, targets, e.t); err != nil {
		return nil, nil, err
	}
	if e.sources {
		sources = make([]uint32, n)
		err = discrete.Read(e.dev, sources, e.s)
	}
	return targets, sources, err
}

// Close gives the memory back. The edge frontier is empty afterwards.
func (e *Edges) Close() (err error) {
	if e == nil {
		return nil
	}
	for _, m := range []*device.Memory{&e.t, &e.s} {
		if *m != nil {
			if er := (*m).Close(); err == nil {
				err = er
			}
			*m = nil
		}
	}
	e.room, e.count, e.counted = 0, 0, true
	return err
}

// Package hubs holds the vertices of long rows, which all blocks of a GPU reduce together.
package hubs

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
)

// ShortRow is the longest row that isn't a hub's, and Segment how many of a hub's edges a
// warp reduces at a time (kShortRow and kSegment of reduce.cuh).
const (
	ShortRow = 128
	Segment  = 1024
)

// Hubs is the memory in which hubs are put aside.
type Hubs struct {
	Args     step.HubsArgs
	Most     uint64 // hubs
	Segments uint64
	mem      device.Memory
}

// Close gives it back.
func (h *Hubs) Close() error {
	if h == nil || h.mem == nil {
		return nil
	}
	m := h.mem
	h.mem = nil
	return m.Close()
}

// Clear enqueues what makes it ready for a reduce.
func (h *Hubs) Clear(s *gpu.Stream) error {
	if h.Args.Any == 0 || h.Args.Fixed != 0 {
		return nil
	}
	return s.Fill(uintptr(h.Args.Count), 0, 2)
}

type hubsKey struct {
	placed.Of[*List]
	in bool
}

// List is the hubs of a graph in one direction, in order.
type List struct {
	vertices, before []uint32
	owners           []uint32 // of segments
	segments         uint64
}

// Any reports whether there are some.
func (l *List) Any() bool { return len(l.vertices) > 0 }

// degreeOf returns the length of rows in a direction.
func degreeOf(g *graph.Graph, in bool) func(v uint32) uint64 {
	if in {
		return g.InDegree
	}
	return g.Degree
}

// listed works the hubs out once for a placed graph.
func listed(p *graph.Placed, in bool) (*List, error) {
	return placed.LoadOrMake(p.State(), hubsKey{in: in}, func() (*List, error) {
		length := degreeOf(p.Graph(), in)
		if d := p.Remote().Shard; d != nil {
			return ListOf(d.First, d.First+d.Count, func(v uint32) uint64 { return length(d.Of.Vertex(v)) }), nil
		}
		return ListOf(0, uint32(p.NumVertices()), length), nil
	})
}

// ListOf lists the hubs among rows of some length each.
func ListOf(first, end uint32, length func(v uint32) uint64) *List {
	l := &List{}
	for v := first; v < end; v++ {
		if d := length(v); d > ShortRow {
			l.vertices, l.before = append(l.vertices, v), append(l.before, uint32(l.segments))
			for range (d + Segment - 1) / Segment {
				l.owners = append(l.owners, uint32(len(l.vertices)-1))
			}
			l.segments = uint64(len(l.owners))
		}
	}
	return l
}

// Of returns the hubs of all vertices, for reduces over out-edges, or in-edges, on a GPU. They
// belong to the environment.
func Of(x *step.Env, in bool) (*Hubs, error) {
	return step.Tool(x, fmt.Sprintf("reduce.hubs.%t", in), func() (*Hubs, error) {
		l, err := listed(x.Placed, in)
		if err != nil {
			return nil, err
		}
		gs, err := gpu.StreamOf(x.Stream)
		if err != nil {
			return nil, err
		}
		return New(gs.Device().(*gpu.Device), l)
	})
}

// New returns memory with those of a list in it.
func New(dev *gpu.Device, l *List) (*Hubs, error) {
	h := &Hubs{}
	if err := h.Grow(dev, uint64(len(l.vertices)), l.segments); err != nil || h.mem == nil {
		return h, err
	}
	h.Args.Fixed = 1
	words := int(2 * h.Segments) // of 32 bits, before the count
	if err := errors.Join(
		discrete.WriteAt(dev, h.mem, int(h.Segments), []uint64{h.Most<<32 | h.Segments}),
		discrete.WriteAt(dev, h.mem, words+2, l.vertices),
		discrete.WriteAt(dev, h.mem, words+2+len(l.vertices), l.before),
		discrete.WriteAt(dev, h.mem, words+2+2*len(l.vertices), l.owners),
	); err != nil {
		return nil, errors.Join(fmt.Errorf("reduce: %w", err), h.Close())
	}
	return h, nil
}

// Room returns room for the hubs of a frontier without duplicates, for reduces over
// out-edges (gather[0]), in-edges (gather[1]), or one after the other. It belongs to the
// environment.
func Room(x *step.Env, gather [2]bool) (*Hubs, error) {
	return step.Tool(x, fmt.Sprintf("reduce.room.%t", gather), func() (*Hubs, error) {
		h, most, segments := &Hubs{}, 0, uint64(0)
		for in, is := range gather {
			if !is {
				continue
			}
			l, err := listed(x.Placed, in == 1)
			if err != nil {
				return nil, err
			}
			most, segments = max(most, len(l.vertices)), max(segments, l.segments)
		}
		return h, h.Grow(x.Placed.Device(), uint64(most), segments)
	})
}

// Grow makes room for hubs of so many segments. Earlier entries are lost.
func (h *Hubs) Grow(dev device.Device, most, segments uint64) error {
	if most <= h.Most && segments <= h.Segments {
		return nil
	}
	if err := h.Close(); err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	h.Most, h.Segments, h.Args = 0, 0, step.HubsArgs{}
	// Partial values, the count, vertices, segments before each, the segments' owners.
	mem, err := dev.Alloc(8*segments + 8 + 2*4*most + 4*segments)
	if err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	h.mem, h.Most, h.Segments = mem, most, segments
	at := uint64(mem.Pointer())
	h.Args = step.HubsArgs{Partials: at, Count: at + 8*segments, Any: 1}
	h.Args.Vertices = h.Args.Count + 8
	h.Args.Before = h.Args.Vertices + 4*most
	h.Args.Owners = h.Args.Before + 4*most
	return nil
}

// Fit makes room for the hubs of a frontier that may have a vertex more than once.
func (h *Hubs) Fit(p *graph.Placed, vs []uint32, in bool) error {
	degree, most, segments := degreeOf(p.Graph(), in), uint64(0), uint64(0)
	for _, v := range vs {
		if d := degree(v); d > ShortRow {
			most++
			segments += (d + Segment - 1) / Segment
		}
	}
	return h.Grow(p.Device(), most, segments)
}

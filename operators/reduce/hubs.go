// This file holds the vertices of long rows, which all blocks of a GPU reduce together.

package reduce

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/step"
)

// Hubs is the memory in which hubs are put aside.
type Hubs struct {
	Args     step.HubsArgs
	most     uint64 // hubs
	segments uint64
	mem      device.Memory
}

// Free gives it back.
func (h *Hubs) Free() error {
	if h == nil || h.mem == nil {
		return nil
	}
	m := h.mem
	h.mem = nil
	return m.Free()
}

// Segments is how many segments there is room for.
func (h *Hubs) Segments() uint64 { return h.segments }

// Clear enqueues what makes it ready for a reduce.
func (h *Hubs) Clear(s *gpu.Stream) error {
	if h.Args.Any == 0 || h.Args.Fixed != 0 {
		return nil
	}
	return s.Fill(uintptr(h.Args.Count), 0, 2)
}

type hubsKey struct{ in bool }

// list is the hubs of a graph in one direction, in order.
type list struct {
	vertices, before []uint32
	segments         uint64
}

// listed works the hubs out once for a placed graph.
func listed(p *graph.Placed, in bool) (*list, error) {
	x, err := p.Once(hubsKey{in}, func() (any, error) {
		rows, l := p.Graph().Out(), &list{}
		if in {
			rows = p.Graph().In()
		}
		for v := range uint32(rows.NumVertices()) {
			if d := rows.Degree(v); d > warpRow {
				l.vertices, l.before = append(l.vertices, v), append(l.before, uint32(l.segments))
				l.segments += (d + segment - 1) / segment
			}
		}
		return l, nil
	})
	if err != nil {
		return nil, err
	}
	return x.(*list), nil
}

// HubsOf returns the hubs for reduces over out-edges, or in-edges: those of all vertices,
// which are listed once, or room for those of a frontier. They belong to the environment.
func HubsOf(x *step.Env, in, all bool) (*Hubs, error) {
	return step.Tool(x, fmt.Sprintf("reduce.hubs.%t.%t", in, all), func() (*Hubs, error) {
		l, err := listed(x.Placed, in)
		if err != nil {
			return nil, err
		}
		h := &Hubs{most: uint64(len(l.vertices)), segments: l.segments}
		if h.most == 0 {
			return h, nil
		}
		dev := x.Placed.Device()
		// Partial values, the count, vertices, segments before each.
		bytes := 8*h.segments + 8 + 2*4*h.most
		if h.mem, err = dev.Alloc(bytes); err != nil {
			return nil, fmt.Errorf("reduce: %w", err)
		}
		at := uint64(h.mem.Pointer())
		h.Args = step.HubsArgs{Partials: at, Count: at + 8*h.segments, Any: 1}
		h.Args.Vertices = h.Args.Count + 8
		h.Args.Before = h.Args.Vertices + 4*h.most
		if !all {
			return h, nil
		}
		h.Args.Fixed = 1
		u, ok := dev.(device.Uploader)
		if !ok {
			return h, nil
		}
		words := int(2 * h.segments) // of 32 bits, before the count
		if err := errors.Join(
			device.WriteAt(u, h.mem, int(h.segments), []uint64{h.most<<32 | h.segments}),
			device.WriteAt(u, h.mem, words+2, l.vertices),
			device.WriteAt(u, h.mem, words+2+len(l.vertices), l.before),
		); err != nil {
			return nil, errors.Join(fmt.Errorf("reduce: %w", err), h.Free())
		}
		return h, nil
	})
}

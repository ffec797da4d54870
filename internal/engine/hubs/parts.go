// This file holds the hubs of a graph by parts of its vertices, for reduces that go through one part after the other.

package hubs

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/gpu"
)

// Parts is the memory of the hubs of each part.
type Parts struct {
	Of  []Hubs // they own no memory
	mem device.Memory
}

// Close gives it back.
func (p *Parts) Close() error {
	if p == nil || p.mem == nil {
		return nil
	}
	m := p.mem
	p.mem = nil
	return m.Close()
}

// PartsOf lists the hubs of each part of the vertices, of which one begins at each of bounds and ends at the next. Parts
// are reduced one after the other: they share the memory of partial values.
func PartsOf(dev *gpu.Device, g *graph.Graph, in bool, bounds []uint32) (*Parts, error) {
	length := degreeOf(g, in)
	p := &Parts{Of: make([]Hubs, len(bounds)-1)}
	var words []uint32 // vertices, before, owners of each part
	var counts []uint64
	partials := uint64(0)
	for i := range p.Of {
		l, h := ListOf(bounds[i], bounds[i+1], length), &p.Of[i]
		h.Most, h.Segments = uint64(len(l.vertices)), l.segments
		partials = max(partials, l.segments)
		counts = append(counts, h.Most<<32|h.Segments)
		h.Args.Vertices = 4 * uint64(len(words))
		words = append(words, l.vertices...)
		h.Args.Before = 4 * uint64(len(words))
		words = append(words, l.before...)
		h.Args.Owners = 4 * uint64(len(words))
		words = append(words, l.owners...)
	}
	if partials == 0 {
		return p, nil
	}
	first := 8 * (partials + uint64(len(counts))) // the words follow partial values and counts
	mem, err := dev.Alloc(first + 4*uint64(len(words)))
	if err != nil {
		return nil, fmt.Errorf("reduce: %w", err)
	}
	p.mem = mem
	if err := errors.Join(discrete.WriteAt(dev, mem, int(partials), counts), discrete.WriteAt(dev, mem, int(first/4), words)); err != nil {
		return nil, errors.Join(fmt.Errorf("reduce: %w", err), p.Close())
	}
	at := uint64(mem.Pointer())
	for i := range p.Of {
		h := &p.Of[i]
		if h.Segments == 0 {
			*h = Hubs{}
			continue
		}
		h.Args.Partials, h.Args.Count, h.Args.Any, h.Args.Fixed = at, at+8*(partials+uint64(i)), 1, 1
		h.Args.Vertices += at + first
		h.Args.Before += at + first
		h.Args.Owners += at + first
	}
	return p, nil
}

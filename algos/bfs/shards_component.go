// This file holds the largest component of an undirected graph on several GPUs.

package bfs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/placed"
)

// shardComponent is a component, in a part for each GPU. Its vertices may be none: where no component has
// half of the graph.
type shardComponent struct {
	parts    []component
	stride   uint32
	vertices uint64
}

// Close gives it back.
func (c *shardComponent) Close() (err error) {
	for i := range c.parts {
		err = errors.Join(err, c.parts[i].Close())
	}
	return err
}

// has reports whether all of these vertices, by their numbers, are in the component.
func (c *shardComponent) has(numbers []uint32) bool {
	return c.vertices > 0 && !slices.ContainsFunc(numbers, func(x uint32) bool { return !c.parts[x/c.stride].has([]uint32{x % c.stride}) })
}

// useComponent does the same as for one GPU. The component is searched once for a placed graph.
func (g *shardSearch) useComponent(sources []uint32) error {
	c, err := placed.LoadOrMake(g.Placed.State(), componentKey[*shardComponent]{}, g.findComponent)
	if err != nil {
		if errors.Is(err, device.ErrMemory) { // a search goes without
			return nil
		}
		return fmt.Errorf("bfs: largest component: %w", err)
	}
	numbers := make([]uint32, len(sources))
	for i, s := range sources {
		numbers[i] = g.placed.Number(s)
	}
	if !c.has(numbers) {
		return nil
	}
	for i, p := range g.parts {
		p.a.component, p.a.own.none = c.vertices, uint64(c.parts[i].outside.Pointer())
	}
	return nil
}

// findComponent searches from the vertex of most edges, without labels.
func (g *shardSearch) findComponent() (_ *shardComponent, err error) {
	words := planeWords(g.placed)
	c := &shardComponent{stride: g.placed.Stride}
	kept := make([]shardArgs, len(g.parts))
	for i, p := range g.parts {
		kept[i] = p.a
	}
	defer func() {
		for i, p := range g.parts {
			p.a = kept[i]
		}
		if err != nil || c.vertices == 0 {
			err = errors.Join(err, c.Close())
			c.parts = nil
		}
	}()
	hub := g.placed.Number(figuresOf(g.Placed).hub)
	for i, p := range g.parts {
		mem, err := p.dev.Alloc(4 * words)
		if err != nil {
			return nil, err
		}
		c.parts = append(c.parts, component{outside: mem, words: make([]uint64, words/2)})
		if err := p.s.Fill(mem.Pointer(), math.MaxUint32, words); err != nil {
			return nil, err
		}
		p.a.row = 0
		a := &p.a.own
		a.depths, a.parents, a.sources = 0, 0, 0
		a.source, a.count, a.limit, a.targets = hub, 1, math.MaxInt32, 0
		a.engine.Levels, a.engine.Room, a.alpha, a.beta = 0, 0, 0, 0
		a.lost, a.bound = uint64(mem.Pointer()), max(uint32(g.placed.Parts[i].Vertices), 1)
		p.a.words = uint32(words)
	}
	if err := g.run(); err != nil {
		return nil, err
	}
	reached := uint64(0)
	for _, m := range g.mails {
		if m.Counts[1] != 0 {
			return nil, fmt.Errorf("bfs: the search ended early (%d)", m.Counts[1])
		}
		reached += m.Tail
	}
	if reached <= g.placed.Candidates/2 {
		return c, nil
	}
	for i, p := range g.parts {
		w := c.parts[i].words
		if err := p.dev.Download(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 4*words), c.parts[i].outside, 0); err != nil {
			return nil, err
		}
	}
	c.vertices = reached
	return c, nil
}

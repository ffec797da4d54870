// This file holds the largest component of an undirected graph, which tells a search on
// a GPU when it is through.

package bfs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/gpu"
)

// component has the vertices outside the largest component of a graph. It is kept with
// the placed graph. A search that begins in the component ends once the component is fully
// visited, and never looks at vertices outside. Any other search ends with a pull that finds
// nothing, for which it reads all rows that are left.
type component struct {
	outside device.Memory // bitmap; nil where no component has half of the graph
	words   []uint64      // the same on the host
}

// Close gives it back.
func (c *component) Close() error {
	if c.outside == nil {
		return nil
	}
	return c.outside.Close()
}

type componentKey[T any] struct{ placed.Of[T] }

// useComponent restricts a search from sources in the largest component to that
// component. The first time it finds the component, by a search from the vertex of most
// edges.
func (g *gpuSearch) useComponent(sources []uint32) error {
	f, p := g.fused, g.Placed
	hub, candidates := figuresOf(p).hub, f.args.candidates
	c, err := placed.LoadOrMake(p.State(), componentKey[*component]{}, func() (*component, error) {
		words, dev := uint64(f.args.stride), p.Device().(*gpu.Device)
		mem, err := dev.Alloc(4 * words)
		if err != nil {
			return nil, err
		}
		if err := g.s.Fill(mem.Pointer(), math.MaxUint32, words); err != nil {
			return nil, errors.Join(err, mem.Close())
		}
		reached, err := g.searchFrom(hub, uint64(mem.Pointer()))
		if err != nil {
			return nil, errors.Join(err, g.abandon(), g.s.Wait(), mem.Close())
		}
		if reached <= uint64(candidates)/2 {
			return &component{}, mem.Close()
		}
		c := &component{outside: mem, words: make([]uint64, words/2)}
		if err := dev.Download(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(c.words))), 4*words), mem, 0); err != nil {
			return nil, errors.Join(err, mem.Close())
		}
		return c, nil
	})
	switch {
	case errors.Is(err, device.ErrMemory): // a search goes without
		return nil
	case errors.Is(err, errLate):
		return err
	case err != nil:
		return fmt.Errorf("bfs: largest component: %w", err)
	}
	if c.has(sources) {
		f.args.none, f.args.stopAtComponent = uint64(c.outside.Pointer()), 1
	}
	return nil
}

// has reports whether all of these vertices are in the component.
func (c *component) has(vertices []uint32) bool {
	return c.outside != nil && !slices.ContainsFunc(vertices, func(v uint32) bool { return c.words[v>>6]>>(v&63)&1 != 0 })
}

// searchFrom searches from v without labels. lost, a bitmap, takes who wasn't reached.
func (g *gpuSearch) searchFrom(v uint32, lost uint64) (reached uint64, err error) {
	f := g.fused
	kept := f.args
	defer func() { f.args = kept }()
	a := &f.args
	a.depths, a.parents, a.codes, a.sources = 0, 0, 0, 0
	a.source, a.count, a.limit, a.targets = v, 1, math.MaxInt32, 0
	a.row(g.Placed)
	a.enter, a.leave = 0, 0
	f.persist.Begin(g.s, &a.engine)
	a.stopAtComponent, a.bound, a.lost, a.pushCost = 0, a.out.N, lost, pushCost
	mail, err := f.persist.Run(func() error { return f.launch(g) }, nil, (*gpu.Ticket).Wait)
	switch {
	case err != nil:
		return 0, err
	case mail.Counts[1] == gpu.EndedLate:
		return 0, errLate
	case mail.Counts[1] != 0:
		return 0, fmt.Errorf("bfs: the search ended early (%d)", mail.Counts[1])
	}
	return mail.Tail, nil
}

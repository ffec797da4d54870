// This file holds the methods of a result.

package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

// Len is how many vertices have their home at this rank.
func (p *Part) Len() int { return p.local }

// Workers is the number of goroutines of this rank.
func (p *Part) Workers() int { return p.team.workers }

// IDs returns the ids of the vertices whose home this rank is, ascending. Depths has the same
// order.
func (p *Part) IDs() []int64 {
	ids := make([]int64, p.local)
	for i := range ids {
		ids[i] = int64(p.idOf(uint32(i)))
	}
	return ids
}

// DepthHash is a vertex's summand in a checksum.
func DepthHash(id int64, depth int32) uint64 { return mix(mix(uint64(id)) + uint64(int64(depth))) }

// Checksum is a hash of the depths of all vertices, those not reached included. It
// doesn't depend on how many ranks there are.
func (r *Result) Checksum(ctx context.Context) (uint64, error) {
	sum := []uint64{0}
	err := comm.Do(r.part.comm, func() error {
		var all atomic.Uint64
		r.part.team.tiles(ctx, len(r.Depths), tileEdges, func(_, from, to int) {
			own := uint64(0)
			for i, d := range r.Depths[from:to] {
				own += DepthHash(int64(r.part.idOf(uint32(from+i))), d)
			}
			all.Add(own)
		})
		sum[0] = all.Load()
		return r.part.comm.Sum(ctx, sum)
	})
	return sum[0], first(r.part.comm, err)
}

// DepthsOf returns the depths of vertices, on all ranks.
func (r *Result) DepthsOf(ctx context.Context, ids []int64) ([]int32, error) {
	found := make([]uint64, len(ids))
	err := comm.Do(r.part.comm, func() error {
		for i, id := range ids {
			switch v, home, ok := r.part.find(uint64(id)); {
			case !home || !ok:
			case v.delegate():
				found[i] = uint64(r.depthD[v.local()] + 1)
			default:
				found[i] = uint64(r.Depths[v.local()] + 1)
			}
		}
		return r.part.comm.Max(ctx, found)
	})
	depths := make([]int32, len(ids))
	for i, f := range found {
		depths[i] = int32(f) - 1
	}
	return depths, first(r.part.comm, err)
}

// ErrInvalid is the error of a result that isn't a breadth-first search of its graph.
var ErrInvalid = errors.New("not a valid result")

// Check checks depths, and parents if there are any, by the rules of Graph500, as
// package bfs does (see bfs.Validate), edge by edge on the ranks that have them. The
// error is the same on all ranks.
func (r *Result) Check(ctx context.Context) error {
	p := r.part
	return first(p.comm, comm.Do(p.comm, func() error {
		if err := p.bring(ctx, subND, subDD, subDN, subNN); err != nil {
			return err
		}
		if len(r.Depths) != p.local || r.Parents != nil && len(r.Parents) != p.local {
			return fmt.Errorf("%w: %d depths and %d parents for %d vertices of this rank", ErrInvalid, len(r.Depths), len(r.Parents), p.local)
		}
		c := check{Result: r, joined: newBits(p.local), joinedD: newBits(len(p.delegate))}
		if err := c.shareDelegates(ctx); err != nil {
			return err
		}
		if err := c.edges(ctx); err != nil {
			return err
		}
		if err := p.comm.Or(ctx, c.joinedD); err != nil {
			return err
		}
		return c.vertices(ctx)
	}))
}

// check is a check under way.
type check struct {
	*Result
	joined, joinedD []uint64 // an edge leads there from the parent, or from one level above
	parentD         []uint64 // of delegates
	depthD          []int32
	bad             error
}

// shareDelegates makes the delegates' parents known, and their depths as their homes
// have them.
func (c *check) shareDelegates(ctx context.Context) error {
	p := c.part
	values := make([]uint64, 2*len(p.delegate))
	c.depthD, c.parentD = make([]int32, len(p.delegate)), values[len(p.delegate):]
	for _, d := range p.here {
		values[d.number] = uint64(c.Depths[d.local] + 1)
		if c.Parents != nil {
			c.parentD[d.number] = uint64(c.Parents[d.local])
		}
	}
	if err := p.comm.Sum(ctx, values); err != nil {
		return err
	}
	for i := range c.depthD {
		c.depthD[i] = int32(values[i]) - 1
	}
	return nil
}

// edge checks an edge that leads from depth du, of a vertex id, to a vertex of depth
// dv with a parent, and reports whether it may be the one by which that was reached.
func (c *check) edge(id uint64, du, dv int32, parent, to func() uint64) bool {
	if du < 0 {
		return false
	}
	if dv < 0 && !(c.Limited && int(du) == c.Levels-1) {
		c.fail(4, to(), "not reached, but vertex %d, at depth %d, leads to it", int64(id), du)
	}
	if dv > du+1 {
		c.fail(3, to(), "at depth %d, but vertex %d, at depth %d, leads to it", dv, int64(id), du)
	}
	return dv == du+1 && (c.Parents == nil || parent() == id)
}

func (c *check) fail(rule int, id uint64, format string, args ...any) {
	if c.bad == nil {
		c.bad = fmt.Errorf("%w: rule %d: vertex %d: %s", ErrInvalid, rule, int64(id), fmt.Sprintf(format, args...))
	}
}

func (c *check) edges(ctx context.Context) error {
	p := c.part
	normal := func(id uint64, du int32, v uint32) {
		if c.edge(id, du, c.Depths[v], func() uint64 { return uint64(c.Parents[v]) }, func() uint64 { return p.idOf(v) }) {
			set(c.joined, v)
		}
	}
	toDelegate := func(id uint64, du int32, v uint32) {
		if c.edge(id, du, c.depthD[v], func() uint64 { return c.parentD[v] }, func() uint64 { return p.delegate[v] }) {
			set(c.joinedD, v)
		}
	}
	for u := range uint32(p.local) {
		id, du := p.idOf(u), c.Depths[u]
		for _, v := range p.nd.to[p.nd.off[u]:p.nd.off[u+1]] {
			toDelegate(id, du, v)
		}
		for _, t := range p.nn.to[p.nn.off[u]:p.nn.off[u+1]] {
			if place(t).owner() == p.rank {
				normal(id, du, uint32(t))
			}
		}
		p.team.progressEvery(int(u))
	}
	for u := range uint32(len(p.delegate)) {
		id, du := p.delegate[u], c.depthD[u]
		for _, v := range p.dn.to[p.dn.off[u]:p.dn.off[u+1]] {
			normal(id, du, v)
		}
		for _, v := range p.dd.to[p.dd.off[u]:p.dd.off[u+1]] {
			toDelegate(id, du, v)
		}
		p.team.progress()
	}
	return c.tell(ctx, func(e told) { normal(e.id, e.depth, e.local) })
}

// vertices checks each vertex, and the counts.
func (c *check) vertices(ctx context.Context) error {
	p := c.part
	for _, d := range p.here {
		if isSet(c.joinedD, d.number) {
			set(c.joined, d.local)
		}
	}
	counts, deepest := []uint64{0}, []uint64{0}
	sources := make(map[int64]bool, len(c.Sources))
	for _, s := range c.Sources {
		sources[s] = true
	}
	for i, d := range c.Depths {
		id := p.idOf(uint32(i))
		if d >= 0 {
			counts[0]++
			deepest[0] = max(deepest[0], uint64(d)+1)
		}
		source := sources[int64(id)]
		switch {
		case d < -1 || (d == 0) != source:
			c.fail(2, id, "at depth %d, which is 0 for sources and for them alone", d)
		case source && c.Parents != nil && c.Parents[i] != int64(id):
			c.fail(1, id, "a source, but not its own parent")
		case d > 0 && !isSet(c.joined, uint32(i)) && c.Parents != nil:
			c.fail(5, id, "no edge leads to it from its parent %d one level above", c.Parents[i])
		case d > 0 && !isSet(c.joined, uint32(i)):
			c.fail(2, id, "at depth %d, but no vertex one level above leads to it", d)
		}
	}
	if c.bad != nil {
		return c.bad
	}
	if err := p.comm.Sum(ctx, counts); err != nil {
		return err
	}
	if err := p.comm.Max(ctx, deepest); err != nil {
		return err
	}
	if counts[0] != c.Reached || int(deepest[0]) != c.Levels {
		return fmt.Errorf("%w: rule 4: %d vertices in %d levels, the result says %d in %d", ErrInvalid, counts[0], deepest[0], c.Reached, c.Levels)
	}
	return nil
}

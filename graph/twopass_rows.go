// This file holds what TwoPass does with its rows after the second pass: sort,
// drop duplicates and renumber, all of it in place.

package graph

import (
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/engine/tuning"
)

// graph makes the graph of the rows.
func (p *passes) graph() (*Graph, error) {
	if p.table != nil {
		p.table.forget()
	}
	out, dropped, err := p.finishRows(&p.out)
	var in *CSR
	if err == nil && p.in != nil {
		in, _, err = p.finishRows(&p.in)
	}
	if err != nil {
		return nil, err
	}
	n := p.ids.n
	deg, err := p.degrees(out, in)
	if err != nil {
		return nil, err
	}
	final, order, err := p.number(&idSource{dense: true, space: n, n: n}, deg, p.o.Order)
	if err != nil {
		return nil, err
	}
	g := &Graph{directed: p.o.Directed, order: order, out: out, in: in, ascends: true, simple: p.o.simple(), weights: p.weightType()}
	g.stats = BuildStats{InputEdges: p.edges, SelfLoops: p.loops.Load(), Duplicates: dropped}
	if (p.o.onDevice() || p.o.sharded() != nil) && p.edges >= tuning.DeviceEdges {
		g.stats.WhyHost = "two passes are for the host"
	}
	vertex := final
	if p.given != nil && final != nil {
		vertex = p.given
		for i, v := range vertex {
			vertex[i] = final[v]
		}
	} else if final == nil {
		vertex = p.given
	}
	if g.ids, err = p.ids.ids(p.crew, vertex, order == OrderGiven); err != nil {
		return nil, err
	}
	p.given, p.ids = nil, idSource{}
	if final != nil {
		for _, c := range []*CSR{out, in} {
			if c == nil {
				continue
			}
			if err := p.renumber(c, final); err != nil {
				return nil, err
			}
		}
	}
	if !g.directed {
		g.in = g.out
	}
	p.packing.unpackGraph(g)
	return g, nil
}

// finishRows sorts rows, drops duplicates unless they are kept, and closes the
// gaps. It returns how many entries it dropped. The openRows are given up.
func (p *passes) finishRows(open **openRows) (*CSR, uint64, error) {
	c, ends := (*open).csr, (*open).ends
	*open = nil
	r := newRowBuckets(c.Offsets, rowParts(c))
	sorters := make([]rowSorter, p.workers)
	var dropped atomic.Uint64
	err := p.each("sort rows", r.len(), func(w, k int) error {
		d := uint64(0)
		for v := r.starts[k]; v < r.starts[k+1]; v++ {
			lo, hi := c.Offsets[v], ends[v]
			row := c.row(lo, hi)
			sorters[w].sort(row)
			if !p.o.KeepDuplicates {
				ends[v] = lo + uint64(dropRepeats(row))
				d += hi - ends[v]
			}
		}
		dropped.Add(d)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	to := uint64(0)
	for v, end := range ends {
		lo := c.Offsets[v]
		c.Offsets[v] = to
		if lo != to {
			c.move(to, lo, end)
		}
		to += end - lo
		if v%(1<<16) == 0 && p.ctx.Err() != nil {
			return nil, 0, p.ctx.Err()
		}
	}
	c.Offsets[len(ends)] = to
	c.trim()
	return c, dropped.Load(), nil
}

// trim drops what lies behind the last row. Where that is the greater part,
// the rest is copied, so that the graph doesn't hold on to it.
func (c *CSR) trim() {
	m := int(c.Offsets[len(c.Offsets)-1])
	if m <= len(c.Targets)/2 {
		targets := make([]uint32, m)
		copy(targets, c.Targets)
		c.Targets = targets
		if c.Weights != nil {
			weights := make([]float32, m)
			copy(weights, c.Weights)
			c.Weights = weights
		}
		if c.EdgeIDs != nil {
			ids := make([]uint64, m)
			copy(ids, c.EdgeIDs)
			c.EdgeIDs = ids
		}
		return
	}
	c.Targets = c.Targets[:m:m]
	if c.Weights != nil {
		c.Weights = c.Weights[:m:m]
	}
	if c.EdgeIDs != nil {
		c.EdgeIDs = c.EdgeIDs[:m:m]
	}
}

// move copies entries lo to hi-1 to where entry to is; the two may overlap.
func (c *CSR) move(to, lo, hi uint64) {
	copy(c.Targets[to:], c.Targets[lo:hi])
	if c.Weights != nil {
		copy(c.Weights[to:], c.Weights[lo:hi])
	}
	if c.EdgeIDs != nil {
		copy(c.EdgeIDs[to:], c.EdgeIDs[lo:hi])
	}
}

// take copies n entries of from, from its entry at on, to where entry to is.
func (c *CSR) take(to int, from *CSR, at, n int) {
	copy(c.Targets[to:], from.Targets[at:at+n])
	if c.Weights != nil {
		copy(c.Weights[to:], from.Weights[at:at+n])
	}
	if c.EdgeIDs != nil {
		copy(c.EdgeIDs[to:], from.EdgeIDs[at:at+n])
	}
}

// dropRepeats keeps the first of equal targets and returns how many are left.
func dropRepeats(row cells) int {
	n := 0
	for i, t := range row.targets {
		if i > 0 && t == row.targets[n-1] {
			continue
		}
		row.targets[n] = t
		if row.weights != nil {
			row.weights[n] = row.weights[i]
		}
		if row.ids != nil {
			row.ids[n] = row.ids[i]
		}
		n++
	}
	return n
}

// rowParts returns how many parts to cut rows into for sorting.
func rowParts(c *CSR) int { return len(c.Targets)>>15 + 1 }

// degrees counts the degrees of the settled rows.
func (p *passes) degrees(out, in *CSR) (d degrees, err error) {
	if p.o.Order == OrderGiven {
		return d, nil
	}
	n := p.ids.n
	d.out = make([]uint32, n)
	for v := range d.out {
		d.out[v] = uint32(out.Degree(uint32(v)))
	}
	if !p.o.Directed {
		return d, nil
	}
	d.in = make([]uint32, n)
	if in != nil {
		for v := range d.in {
			d.in[v] = uint32(in.Degree(uint32(v)))
		}
		return d, nil
	}
	parts := rowParts(out)
	return d, p.each("count degrees", parts, func(_, i int) error {
		lo, hi := span(len(out.Targets), parts, i)
		for _, t := range out.Targets[lo:hi] {
			atomic.AddUint32(&d.in[t], 1)
		}
		return nil
	})
}

// renumber gives row v and every target v the number final[v].
func (p *passes) renumber(c *CSR, final []uint32) error {
	if err := p.permute(c, final); err != nil {
		return err
	}
	r := newRowBuckets(c.Offsets, rowParts(c))
	sorters := make([]rowSorter, p.workers)
	return p.each("renumber", r.len(), func(w, k int) error {
		for v := r.starts[k]; v < r.starts[k+1]; v++ {
			row := c.row(c.Offsets[v], c.Offsets[v+1])
			for i, t := range row.targets {
				row.targets[i] = final[t]
			}
			sorters[w].sort(row)
		}
		return nil
	})
}

// permute moves row v to place final[v], within the arrays. It takes the next
// sixteenth of the rows' new order out of the remaining rows, compacts the
// rest toward the end, and stores the sixteenth in the space that this
// leaves in front.
func (p *passes) permute(c *CSR, final []uint32) error {
	n, m := len(final), len(c.Targets)
	if m == 0 {
		return nil
	}
	old := make([]uint32, n) // the inverse of final
	for v, f := range final {
		old[f] = uint32(v)
	}
	offsets := make([]uint64, n+1)
	for f, v := range old {
		offsets[f+1] = offsets[f] + c.Degree(v)
	}
	// The rest of row v is at starts[v] and has length[v] entries.
	starts, lengths := slices.Clone(c.Offsets[:n]), make([]uint32, n)
	for v := range lengths {
		lengths[v] = uint32(c.Degree(uint32(v)))
	}
	size := (m + windows - 1) / windows
	// A sixteenth of the arrays, in the new order.
	out := newCSR([]uint64{uint64(size)}, Options{Weights: c.Weights != nil, EdgeIDs: c.EdgeIDs != nil})
	next := 0 // the first row, by new number, that isn't taken out wholly
	for front := 0; front < m; front += size {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		filled, room := 0, min(size, m-front)
		for filled < room {
			v := old[next]
			k := min(int(lengths[v]), room-filled)
			out.take(filled, c, int(starts[v]), k)
			filled += k
			starts[v] += uint64(k)
			lengths[v] -= uint32(k)
			if lengths[v] == 0 {
				next++
			}
		}
		end := uint64(m)
		for v := n - 1; v >= 0; v-- {
			k := uint64(lengths[v])
			end -= k
			if k != 0 && starts[v] != end {
				c.move(end, starts[v], starts[v]+k)
				starts[v] = end
			}
		}
		c.take(front, out, 0, filled)
		if p.progress != nil {
			p.progress(Progress{Phase: "permute", Done: uint64(front + filled), Total: uint64(m)})
		}
	}
	c.Offsets = offsets
	return nil
}

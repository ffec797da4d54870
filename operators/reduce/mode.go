// This file holds the step that finds the most frequent value among neighbors.

package reduce

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// Mode returns the step that sets to[v], for the frontier's vertices, to the most frequent value
// among v's neighbors, the smallest in a tie; for a vertex without neighbors to its own value. It
// goes over out-edges, and in a directed graph over in-edges too: a neighbor both ways counts
// twice, and so do duplicate edges. The scalar, which reduces by operators.Sum and may be nil,
// gets the number of vertices whose to differs from their value. The frontier doesn't change.
//
// The most frequent value of a row can't be computed from its parts, so this isn't a reduce of a
// Functor. On a GPU it has its own kernels, which engines launch one by one (mode.cuh explains how
// they count). Directed graphs need their reverse.
func Mode(values, to *device.Buffer[uint32], into *operators.Scalar[uint64]) operators.Step {
	return &mode{values: values, to: to, into: (*link.Scalar[uint64])(into)}
}

type mode struct {
	values, to *device.Buffer[uint32]
	into       *link.Scalar[uint64]
	job        modeHost
}

func (*mode) Name() string { return "mode" }

// Compile says that the persistent engine doesn't have it.
func (*mode) Compile(*step.Program) error {
	return fmt.Errorf("%w: reduce.Mode is kernels of its own", step.ErrNotCompiled)
}

// check gets whether the graph is on a GPU.
func (s *mode) check(p *graph.Placed, remote bool) error {
	n := p.NumVertices()
	for _, b := range []*device.Buffer[uint32]{s.values, s.to} {
		if err := link.CheckBuffer("an array", b, remote); err != nil {
			return fmt.Errorf("reduce: Mode: %w", err)
		}
		if b == nil || b.Len() < n {
			return fmt.Errorf("%w: Mode needs values and to with an entry for each of %d vertices", errFunctor, n)
		}
	}
	switch {
	case n > 0 && s.values.Pointer() == s.to.Pointer():
		return fmt.Errorf("%w: Mode needs values and to apart: it reads what neighbors had before", errFunctor)
	case !p.Graph().HasReverse():
		return fmt.Errorf("reduce: Mode: %w: build the graph with its reverse", graph.ErrNoReverse)
	}
	return nil
}

// Host counts tile by tile; rows of hubs are put aside and come last, one by one.
func (s *mode) Host(x *step.Env) error {
	if err := s.check(x.Placed, false); err != nil {
		return err
	}
	j, all := &s.job, x.Cur.Form() == frontier.All
	if !all {
		if err := x.Cur.List(x.Stream); err != nil {
			return err
		}
	}
	hs, err := host.StreamOf(x.Stream)
	if err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	if err := hs.Err(); err != nil {
		return err
	}
	g := x.Placed.Graph()
	j.s, j.out, j.in, j.values, j.to = hs, g.Out(), nil, s.values.Host(), s.to.Host()
	defer func() { j.s, j.out, j.in, j.queue, j.values, j.to = nil, nil, nil, nil, nil, nil }()
	if g.Directed() {
		j.in = g.In()
	}
	j.queue, j.n = nil, x.Placed.NumVertices()
	if all {
		x.Edges += g.NumDirectedEdges()
	} else {
		j.queue = x.Cur.Queue()
		j.n = len(j.queue)
		for _, v := range j.queue {
			if int(v) >= x.Placed.NumVertices() {
				return fmt.Errorf("reduce: input frontier: %w: vertex %d of %d; a functor or caller wrote it there", graph.ErrNoVertex, v, x.Placed.NumVertices())
			}
		}
	}
	if len(j.own) != hs.Workers() {
		j.own = make([]counts, hs.Workers())
	}
	j.changed.Store(0)
	j.hubs = j.hubs[:0]
	offsets := j.out.Offsets
	if j.queue != nil {
		offsets = nil
	}
	j.runs.divide(offsets, j.n, modeRows, hs.Workers())
	for _, j.late = range []bool{false, true} {
		if j.late && len(j.hubs) == 0 {
			break
		}
		j.next.Store(0)
		hs.Run(j)
		if err := hs.Err(); err != nil {
			return err
		}
	}
	if s.into != nil {
		return s.into.Set(j.changed.Load())
	}
	return nil
}

// modeHost is one such step. It is a host.Job.
type modeHost struct {
	s          *host.Stream
	out, in    *graph.CSR // in is nil where the graph is undirected
	values, to []uint32
	queue      []uint32 // nil: all vertices
	n          int
	late       bool // hubs, one at a time
	next       atomic.Int64
	runs       runs
	changed    atomic.Uint64
	own        []counts

	mu   sync.Mutex
	hubs []uint32
}

// Run is the share of one worker.
func (j *modeHost) Run(worker int) {
	c, changed := &j.own[worker], uint64(0)
	for !j.s.Stopped() {
		if j.late {
			i := int(j.next.Add(1)) - 1
			if i >= len(j.hubs) {
				break
			}
			changed += j.vertex(c, j.hubs[i])
			continue
		}
		lo, hi, ok := j.runs.rows(int(j.next.Add(1)) - 1)
		if !ok {
			break
		}
		for i := lo; i < hi; i++ {
			if i%modeRows == 0 && j.s.Stopped() {
				break
			}
			v := uint32(i)
			if j.queue != nil {
				v = j.queue[i]
			}
			if j.out.Degree(v) > modeHub || j.in != nil && j.in.Degree(v) > modeHub {
				j.mu.Lock()
				j.hubs = append(j.hubs, v)
				j.mu.Unlock()
				continue
			}
			changed += j.vertex(c, v)
		}
	}
	j.changed.Add(changed)
}

// vertex finds the mode of a vertex, and returns 1 where it differs from its value.
func (j *modeHost) vertex(c *counts, v uint32) uint64 {
	row, rest := j.out.Neighbors(v), []uint32(nil)
	if j.in != nil {
		rest = j.in.Neighbors(v)
	}
	x := j.values[v]
	m := x
	switch len(row) + len(rest) {
	case 0:
	case 1, 2:
		m = graph.NoVertex
		for _, u := range row {
			m = min(m, j.values[u])
		}
		for _, u := range rest {
			m = min(m, j.values[u])
		}
	default:
		if len(row)+len(rest) <= modeShort {
			m = c.short(j.values, row, rest)
		} else {
			m = c.long(j.values, row, rest)
		}
	}
	j.to[v] = m
	if m == x {
		return 0
	}
	return 1
}

// counts is what one worker counts with.
type counts struct {
	few  [modeShort]uint32
	keys []uint32 // a table of the values met, by open addressing
	n    []uint32 // how often each was met; 0: the slot is free
	met  []uint32 // the slots taken
	_    [64]byte
}

// short counts by sorting.
func (c *counts) short(values, row, rest []uint32) uint32 {
	few := c.few[:0]
	for _, part := range [2][]uint32{row, rest} {
		for _, u := range part {
			x := values[u]
			i := len(few)
			few = append(few, x)
			for ; i > 0 && few[i-1] > x; i-- {
				few[i] = few[i-1]
			}
			few[i] = x
		}
	}
	best, most, run := few[0], 1, 1
	for i := 1; i < len(few); i++ {
		if few[i] != few[i-1] {
			run = 0
		}
		if run++; run > most {
			best, most = few[i], run
		}
	}
	return best
}

// long counts in a table, with runs of equal values at once: after a few rounds of label
// propagation most neighbors have the same.
func (c *counts) long(values, row, rest []uint32) uint32 {
	bits := 1
	for 1<<bits < 2*(len(row)+len(rest)) {
		bits++
	}
	if size := 1 << bits; len(c.keys) < size {
		c.keys, c.n = make([]uint32, size), make([]uint32, size)
	}
	keys, n, met := c.keys[:1<<bits], c.n[:1<<bits], c.met[:0]
	mask, shift := uint32(len(keys)-1), 32-uint(bits)
	best, most := uint32(0), uint32(0)
	for _, part := range [2][]uint32{row, rest} {
		for i := 0; i < len(part); {
			x, times := values[part[i]], uint32(1)
			for i++; i < len(part) && values[part[i]] == x; i++ {
				times++
			}
			at := x * 0x9e3779b1 >> shift & mask
			for n[at] != 0 && keys[at] != x {
				at = (at + 1) & mask
			}
			if n[at] == 0 {
				keys[at] = x
				met = append(met, at)
			}
			n[at] += times
			if t := n[at]; t > most || t == most && x < best {
				best, most = x, t
			}
		}
	}
	for _, at := range met {
		n[at] = 0
	}
	c.met = met
	return best
}

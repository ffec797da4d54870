// Package sets holds the operators on whole frontiers: union, intersection and
// difference, and the priority split into near and far.
//
// # What works where
//
//	                                       host    GPU
//	Union, Intersection, Difference        yes     yes, enqueued
//	Split (near and far)                   yes     yes, enqueued
//
// Inputs are queues and bitmaps in any combination; all vertices (frontier.All) count as
// a bitmap, which is made when first needed. The result is a set: no vertex is in it
// twice, however often a queue of the input has it. A resulting queue is unordered. The
// forms of the inputs determine the form of the result, so that no operator visits all
// vertices of the graph if a list suffices:
//
//	a         b         Union     Intersection    Difference
//	queue     queue     queue     queue           queue
//	queue     bitmap    bitmap    queue           queue
//	bitmap    queue     bitmap    queue           bitmap
//	bitmap    bitmap    bitmap    bitmap          bitmap
//
// Frontier.Convert changes the form. Every operator that takes a queue uses a private
// bitmap, which the Combiner keeps: a bit a vertex, cleared at each call.
package sets

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/filter"
)

// Combiner runs set operators over one placed graph on one stream. It keeps what
// they need between calls; it belongs to one search and isn't safe for
// concurrent use. Free gives its memory back.
type Combiner struct {
	p     *graph.Placed
	on    backend
	s     device.Stream
	mask  *frontier.Frontier // a bitmap, for what a queue has
	full  *frontier.Frontier // all vertices as a bitmap, once it was needed
	split *filter.Filterer
	below any // *filter.Below of the type of the last split
	freed bool
}

// backend runs the operators on a device: onHost or onGPU, as New chooses. What they are
// given has been checked.
type backend interface {
	bind(device.Stream) // one of the device
	err() error         // the stream's
	run(o op, a, b, out, mask *frontier.Frontier, form frontier.Form) error
}

// New returns a Combiner over a placed graph, on a stream of its device. The
// error is device.ErrNotSupported for no stream or one of a device without
// operators, device.ErrClosed for a placed graph that was freed, or
// graph.ErrNoGraph.
func New(s device.Stream, p *graph.Placed) (*Combiner, error) {
	f, err := filter.New(s, p) // checks both
	if err != nil {
		return nil, fmt.Errorf("sets: %w", err)
	}
	c := &Combiner{p: p, split: f, mask: frontier.New(p), on: &onHost{}}
	if p.Remote() != nil {
		c.on = &onGPU{g: p.Remote()}
	}
	c.s = s
	c.on.bind(s)
	return c, nil
}

// Bind makes the Combiner run on another stream of the same device, so that a
// later search can use it again. It reports whether the stream fits.
func (c *Combiner) Bind(s device.Stream) bool {
	if c == nil || !c.split.Bind(s) {
		return false
	}
	c.s = s
	c.on.bind(s)
	return true
}

// Free frees the memory of the Combiner. Later uses fail with device.ErrClosed. Freeing
// a nil Combiner, or freeing twice, does nothing.
func (c *Combiner) Free() error {
	if c == nil {
		return nil
	}
	c.freed, c.below = true, nil
	err := errors.Join(c.mask.Free(), c.full.Free(), c.split.Free())
	c.full = nil
	return err
}

// whole returns all vertices as a bitmap, which is only read.
func (c *Combiner) whole() (*frontier.Frontier, error) {
	if c.full != nil {
		return c.full, nil
	}
	f := frontier.New(c.p)
	if err := errors.Join(f.Fill(), f.Convert(c.s, frontier.Bitmap)); err != nil {
		return nil, errors.Join(err, f.Free())
	}
	c.full = f
	return f, nil
}

// op is a set operator.
type op uint32

const (
	union op = iota // sets.cu has the same numbers
	intersection
	difference
)

func (o op) String() string { return [...]string{"union", "intersection", "difference"}[o] }

// form returns the form of the result.
func (o op) form(a, b frontier.Form) frontier.Form {
	switch {
	case o == difference:
		return a
	case o == union && (a == frontier.Bitmap || b == frontier.Bitmap):
		return frontier.Bitmap
	case o == intersection && a == frontier.Bitmap && b == frontier.Bitmap:
		return frontier.Bitmap
	}
	return frontier.Queue
}

// Union leaves in out the vertices that are in a, in b, or in both.
//
// a and b are only read and may be the same frontier. out is replaced. It may be a or b
// only if that is a bitmap and the result is one too, as in adding a frontier to the
// vertices seen.
//
// The error of this and the other two is the stream's context's (out is then
// incomplete), device.ErrClosed for a closed or freed object, frontier.ErrForeign for a
// frontier over another placed graph or none, frontier.ErrAliased, on the host
// graph.ErrNoVertex for an entry of a queue that isn't a vertex (out is then empty), or
// the device's.
func (c *Combiner) Union(a, b, out *frontier.Frontier) error { return c.combine(union, a, b, out) }

// Intersection leaves in out the vertices that are in both a and b. The rest is
// as for Union.
func (c *Combiner) Intersection(a, b, out *frontier.Frontier) error {
	return c.combine(intersection, a, b, out)
}

// Difference leaves in out the vertices that are in a and not in b. The rest is
// as for Union.
func (c *Combiner) Difference(a, b, out *frontier.Frontier) error {
	return c.combine(difference, a, b, out)
}

func (c *Combiner) combine(o op, a, b, out *frontier.Frontier) error {
	if err := c.ready(); err != nil {
		return err
	}
	for i, f := range []*frontier.Frontier{a, b, out} {
		if err := f.Check(c.p); err != nil {
			return fmt.Errorf("sets: %s: the %s: %w", o, [...]string{"first frontier", "second frontier", "output"}[i], err)
		}
	}
	if err := c.p.Enter(); err != nil {
		return fmt.Errorf("sets: %s: %w", o, err)
	}
	defer c.p.Leave()
	input := out == a || out == b
	for _, f := range []**frontier.Frontier{&a, &b} {
		if (*f).Form() != frontier.All {
			continue
		}
		full, err := c.whole()
		if err != nil {
			return fmt.Errorf("sets: %s: %w", o, err)
		}
		*f = full
	}
	form := o.form(a.Form(), b.Form())
	if input && (form != frontier.Bitmap || out.Form() != frontier.Bitmap) {
		return fmt.Errorf("sets: %s: %w: the output is an input too, which goes where both that and the result are bitmaps; use another", o, frontier.ErrAliased)
	}
	return c.on.run(o, a, b, out, c.mask, form)
}

// Split sends the vertices of in whose key is below the limit to near, and the others to
// far (the near-far pile of Davidson et al., IPDPS 2014). near is replaced and gets the
// form of in, or becomes a bitmap if in is all vertices. Vertices are appended to far:
// its vertices and its form are kept; if it is a queue it may get a vertex twice. in is
// unchanged.
//
// keys has an entry per vertex, in the memory of the graph's device
// (filter.ErrPredicate). A NaN, as key or limit, is never below. The three frontiers
// must be different ones (frontier.ErrAliased); other errors are the same as for Union.
// near is then in an undefined state, and far has its earlier vertices and perhaps a
// part of in.
func Split[T device.Elem](c *Combiner, in, near, far *frontier.Frontier, keys *device.Buffer[T], limit T) error {
	if err := c.ready(); err != nil {
		return err
	}
	p, ok := c.below.(*filter.Below[T])
	if !ok {
		p = &filter.Below[T]{}
		c.below = p
	}
	p.Keys, p.Limit = keys, limit
	err := c.split.SplitAppend(in, near, far, p)
	p.Keys = nil
	if err != nil {
		return fmt.Errorf("sets: %w", err)
	}
	return nil
}

// ready returns why there can be no operator.
func (c *Combiner) ready() error {
	switch {
	case c == nil, c.p == nil && !c.freed:
		return fmt.Errorf("sets: %w: no Combiner (nil); New makes one", device.ErrNotSupported)
	case c.freed:
		return fmt.Errorf("sets: %w: the Combiner; make another", device.ErrClosed)
	}
	return c.on.err()
}

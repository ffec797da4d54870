// This file says what a step does to arrays, for graphs that are sharded over several devices: each device has
// a copy of every array, of which the entries of its own vertices count.

package step

import (
	"fmt"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/bind"
	"github.com/foray-graph/foray/internal/functor/link"
)

// Sharded is a step that several devices run, each on those of its own vertices that are in the frontier. GPU runs
// it on one device, but for a DealtPush.
type Sharded interface {
	Step
	// Reach says what it does on a part of the graph.
	Reach(x *Env) (*Reach, error)
}

// DealtPush is a step whose frontier afterwards is of vertices of all devices.
type DealtPush interface {
	Sharded
	// Part pushes on a part of the graph, as GPU does, and adds to a bitmap what is let through, once each.
	// What becomes of the frontier of the part is nobody's concern.
	Part(x *Env, found *frontier.Frontier) error
	// Mask is the bitmap of a filter.Unvisited that the push is fused with, over the whole graph; nil: none.
	Mask() *frontier.Frontier
}

// Reach is what a step does.
type Reach struct {
	Far     []uintptr    // arrays that it reads at other vertices than a device's own
	Written []bind.Array // that it writes, at a device's own
	Same    []uintptr    // arrays of which it leaves all copies the same
	// Where has, of arrays in Written that it changes at some vertices alone, an array with entries as wide, which aren't
	// 0 at these until a step has read the first one at other vertices.
	Where  map[uintptr]uintptr
	Folded []Folded // that it changes at any vertex: what the copies come to counts
	Tells  bool     // all that it changes are entries of vertices that it lets through
	Sums   []Sum    // that each device has a part of afterwards
	All    bool     // it goes over all vertices, whatever the frontier is
}

// Folded is an array whose copies are folded, entry by entry.
type Folded struct {
	bind.Array
	Fold link.Fold
}

// Sum is a scalar of a step.
type Sum struct {
	At   uint64 // the address of the value
	Join func(a, b uint64) uint64
}

type reachKey struct {
	code  *bind.Code
	calls link.Calls
}

// reaches has what was found out about methods.
var reaches sync.Map // of reachKey: link.Reach

// calls says what the functor is called for.
func (c *Code) calls() link.Calls {
	switch {
	case c.Kind == Pushes || c.Kind == Visits:
		return link.AtEdges
	case c.Kind == Gathers && c.Use.In:
		return link.GathersIn
	case c.Kind == Gathers:
		return link.GathersOut
	}
	return link.AtVertices
}

// Reach returns what a step with this functor does. into is its scalar, or nil.
func (c *Code) Reach(p *graph.Placed, into *Sum) (*Reach, error) {
	if c.Made == nil {
		return nil, fmt.Errorf("%w: on several GPUs a functor is written in Go; %s isn't", device.ErrNotSupported, c.Name)
	}
	code := c.Made.Code()
	key := reachKey{code, c.calls()}
	known, ok := reaches.Load(key)
	if !ok {
		known, _ = reaches.LoadOrStore(key, link.Reaches(code, key.calls))
	}
	does := known.(link.Reach)
	arrays, accs, err := bind.Arrays(c.Made, p, c.Use.In, c.Use.Into)
	if err != nil {
		return nil, err
	}
	r := &Reach{Tells: does.Tells}
	if into != nil {
		r.Sums = append(r.Sums, *into)
	}
	for _, a := range accs {
		r.Sums = append(r.Sums, Sum{a.At, a.Join})
	}
	if does.Unknown {
		return nil, fmt.Errorf("functor %s: %w: several GPUs can't tell which array it uses", code.Name, device.ErrNotSupported)
	}
	for word, a := range arrays {
		if does.Far[word] {
			r.Far = append(r.Far, a.At)
		}
		if does.Written[word] {
			r.Written = append(r.Written, a)
		}
		if does.Elsewhere[word] {
			fold, err := c.fold(&does, word, a)
			if err != nil {
				return nil, err
			}
			r.Folded = append(r.Folded, Folded{a, fold})
		}
	}
	if len(r.Folded) > MostFolded {
		return nil, fmt.Errorf("functor %s: %w: on several GPUs it may write %d arrays at other vertices than its own", code.Name, device.ErrNotSupported, MostFolded)
	}
	return r, nil
}

// fold returns how the copies of an array are folded that is written at other vertices than a device's own.
func (c *Code) fold(does *link.Reach, word int, a bind.Array) (link.Fold, error) {
	not := func(why string) error {
		return fmt.Errorf("functor %s: %w: on several GPUs %s; %s", c.Made.Code().Name, device.ErrNotSupported, why,
			"at other vertices than its own it may use atomics.Add of integers, Min, Max, Or or And of 32 bits, or Or of 64, one of them for an array, or, at targets that a push lets through, what it likes")
	}
	fold := does.Fold(word)
	switch {
	case fold.Adds():
		if does.Looks[word] {
			return 0, not("it can't look at what an addition to " + a.Name + " returns, which is that of one GPU")
		}
	case does.Adds(word):
		return 0, not("it adds to " + a.Name + ", which isn't of integers, or changes it in another way too")
	case fold != link.Take && a.Width != fold.Width():
		return 0, not(fmt.Sprintf("%s has entries of %d bytes", a.Name, a.Width))
	case fold != link.Take:
	case !does.Tells:
		return 0, not("it writes " + a.Name + " at vertices that it needn't let through")
	case does.Written[word]:
		return 0, not("it writes " + a.Name + " at both ends of an edge")
	}
	return fold, nil
}

// Brief is a functor of a reduce that knows how long the longest row is of those that it is called for. Nobody then looks
// for long ones, for which there would be kernels of their own.
type Brief interface{ Longest() uint64 }

// This file says what a step does to arrays, for graphs that are dealt out to several devices: each device has
// a copy of every array, of which the entries of its own vertices count.

package step

import (
	"fmt"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/made"
	"github.com/foray-graph/foray/internal/splice"
)

// Dealt is a step that several devices run, each on its own vertices: all of them. GPU runs it on one device.
type Dealt interface {
	Step
	// Reach says what it does on a part of the graph.
	Reach(x *Env) (*Reach, error)
}

// Reach is what a step does.
type Reach struct {
	Far     []uintptr    // arrays that it reads at other vertices than a device's own
	Written []made.Array // that it writes, at a device's own
	Lowered []uintptr    // arrays of uint32 that it lowers at any vertex: the least of all copies counts
	Sums    []Sum        // that each device has a part of afterwards
}

// Sum is a scalar of a step.
type Sum struct {
	At   uint64 // the address of the value
	Join func(a, b uint64) uint64
}

type reachKey struct {
	code    *made.Code
	gathers bool
	in      bool
}

// reaches has what was found out about methods.
var reaches sync.Map // of reachKey: splice.Reach

// Reach returns what a step with this functor does. into is its scalar, or nil.
func (c *Code) Reach(p *graph.Placed, into *Sum) (*Reach, error) {
	if c.Made == nil {
		return nil, fmt.Errorf("%w: on several GPUs a functor is written in Go; %s isn't", device.ErrNotSupported, c.Name)
	}
	code := c.Made.Code()
	key := reachKey{code, c.Kind == Gathers, c.Use.In}
	known, ok := reaches.Load(key)
	if !ok {
		known, _ = reaches.LoadOrStore(key, splice.Reaches(code, key.gathers, key.in))
	}
	does := known.(splice.Reach)
	arrays, accs, err := made.Arrays(c.Made, p, c.Use.In, c.Use.Into)
	if err != nil {
		return nil, err
	}
	r := &Reach{}
	if into != nil {
		r.Sums = append(r.Sums, *into)
	}
	for _, a := range accs {
		r.Sums = append(r.Sums, Sum{a.At, a.Join})
	}
	for word, a := range arrays {
		switch {
		case does.Unknown, does.Elsewhere[word] && does.Set[word]:
			return nil, fmt.Errorf("functor %s: %w: on several GPUs it may write %s at its own vertex, or by atomics.Min of an uint32", code.Name, device.ErrNotSupported, a.Name)
		case does.Far[word]:
			r.Far = append(r.Far, a.At)
		}
		switch {
		case does.Elsewhere[word]:
			r.Lowered = append(r.Lowered, a.At)
		case does.Written[word]:
			r.Written = append(r.Written, a)
		}
	}
	return r, nil
}

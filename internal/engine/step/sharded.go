// This file says what a step does to arrays, for graphs that are sharded over several devices: each device has
// a copy of every array, of which the entries of its own vertices count.

package step

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/link"
)

// mostFolded is how many arrays of a step are folded over several GPUs. Over eight of them the functor that folds
// six has 128 words, as many as a block has (link.BlockWords).
const mostFolded = 6

// Sharded is a step that several devices run, each on those of its own vertices that are in the frontier. GPU runs
// it on one device, but for a ShardedPush.
type Sharded interface {
	Step
	// Reach says what it does on a part of the graph.
	Reach(x *Env) (*Reach, error)
}

// ShardedPush is a step whose frontier afterwards is of vertices of all devices.
type ShardedPush interface {
	Sharded
	// Part pushes on a part of the graph, as GPU does, and adds to a bitmap what is let through, once each.
	// The frontier of the part is not used afterwards.
	Part(x *Env, found *frontier.Frontier) error
	// Mask is the bitmap of a filter.Unvisited that the push is fused with, over the whole graph; nil: none.
	Mask() *frontier.Frontier
}

// Together is a step that runs one kernel on each of several devices. The kernels wait for one another.
type Together interface {
	Sharded
	// Together runs it on the parts of the graph, waits until it has ended, and returns its rounds. turn waits until no
	// other such kernels are under way; done lets others begin.
	Together(parts []*Env, turn func() (done func(), err error)) (rounds int, err error)
}

// Reach is what a step does.
type Reach struct {
	Far     []uintptr    // arrays that it reads at other vertices than a device's own
	Written []link.Array // that it writes, at a device's own
	Same    []uintptr    // arrays of which it leaves all copies the same
	// Where has, of arrays in Written that it changes at some vertices alone, an array with entries as wide, which aren't
	// 0 at these until a step has read the first one at other vertices.
	Where  map[uintptr]uintptr
	Folded []Folded   // that it changes at any vertex: what the copies come to counts
	Tells  bool       // it changes only entries of vertices that it lets through
	Sums   []link.Sum // that each device has a part of afterwards
	All    bool       // it goes over all vertices, whatever the frontier is
}

// Folded is an array whose copies are folded, entry by entry.
type Folded struct {
	link.Array
	Fold ir.Update
}

// uses is what a step does with an array.
type uses struct {
	edge      bool // it touches the element of the edge
	far       bool // it touches elements at other vertices than the step's own
	own       bool // it touches elements at its own
	written   bool // it writes at its own
	elsewhere bool // it writes at others
	by        ir.Update
	adds      bool
	looks     bool // at what an addition returned
}

// uses returns what the step does with the array whose address is in a word of the functor's block.
func (c *Code) uses(word int) (u uses) {
	for _, a := range c.Generated.Code().Accesses {
		own, other := a.Source, a.Target
		if c.Kind == Gathers && c.Use.In {
			own, other = other, own
		}
		switch {
		case a.Word != word:
			continue
		case a.Method == "Edge" && (c.Kind == Pushes || c.Kind == Visits), a.Method == "Gather" && c.Kind == Gathers:
		case a.Method == "Apply" && c.Kind == Gathers, a.Method == "Vertex" && c.Kind == Vertices:
			own = a.Vertex
		default: // the step doesn't call the method
			continue
		}
		u.edge = u.edge || a.Edge != ir.Untouched
		u.far = u.far || other != ir.Untouched || a.Others != ir.Untouched
		u.own, u.written = u.own || own != ir.Untouched, u.written || own == ir.Write
		u.elsewhere = u.elsewhere || other == ir.Write || a.Others == ir.Write
		u.adds, u.looks = u.adds || a.Adds, u.looks || a.Looks
		switch {
		case u.by == "":
			u.by = a.By
		case a.By != "" && a.By != u.by:
			u.by = ir.Replace
		}
	}
	return u
}

// Reach returns what a step with this functor does. into is its scalar, or nil.
func (c *Code) Reach(p *graph.Placed, into *link.Sum) (*Reach, error) {
	if c.Generated == nil {
		return nil, fmt.Errorf("%w: on several GPUs a functor is written in Go; %s isn't", device.ErrNotSupported, c.Name)
	}
	arrays, accs, err := link.Arrays(c.Generated, p, c.Use.In, c.Use.Into)
	if err != nil {
		return nil, err
	}
	code := c.Generated.Code()
	r := &Reach{Tells: code.Tells && (c.Kind == Pushes || c.Kind == Visits)}
	if into != nil {
		r.Sums = append(r.Sums, *into)
	}
	for _, a := range accs {
		r.Sums = append(r.Sums, link.Sum{At: a.At, Join: a.Join})
	}
	for word, a := range arrays {
		u := c.uses(word)
		if err := c.ofEdges(p, u, a); err != nil {
			return nil, err
		}
		if u.far {
			r.Far = append(r.Far, a.At)
		}
		if u.written {
			r.Written = append(r.Written, a)
		}
		if u.elsewhere {
			fold, err := c.fold(u, r.Tells, a)
			if err != nil {
				return nil, err
			}
			r.Folded = append(r.Folded, Folded{a, fold})
		}
	}
	if len(r.Folded) > mostFolded {
		return nil, fmt.Errorf("functor %s: %w: on several GPUs it may write %d arrays at other vertices than its own", code.Name, device.ErrNotSupported, mostFolded)
	}
	return r, nil
}

// ofEdges returns an error for an array that is divided with the rows of edges, and that a functor doesn't index by Edge.Index
// alone, and for another array that it does index by Edge.Index.
func (c *Code) ofEdges(p *graph.Placed, u uses, a link.Array) error {
	d := p.Remote().ShardPlace()
	if d == nil || a.Hidden {
		return nil
	}
	these, edges := d.EdgesAt(a.At, c.Use.In)
	why := ""
	switch {
	case u.edge && !edges:
		why = "indexes " + a.Name + " by Edge.Index, so it has to be an array of edges; traverse.EdgeColumn, EdgeArray and PrefixSums return such arrays"
	case u.edge && !these:
		why = "indexes " + a.Name + " by Edge.Index, which isn't an array of the edges that this step goes over"
	case edges && (u.far || u.written || u.elsewhere || u.own):
		why = "indexes " + a.Name + ", which has the entries of a GPU's own edges, by something else than Edge.Index; take one GPU"
	default:
		return nil
	}
	return fmt.Errorf("functor %s: %w: on several GPUs it %s", c.Generated.Code().Name, device.ErrNotSupported, why)
}

// fold returns how the copies of an array are folded that is written at other vertices than a device's own.
func (c *Code) fold(u uses, tells bool, a link.Array) (ir.Update, error) {
	not := func(why string) (ir.Update, error) {
		return "", fmt.Errorf("functor %s: %w: on several GPUs %s; %s", c.Generated.Code().Name, device.ErrNotSupported, why,
			"at other vertices than its own it may use atomics.Add of integers, Min, Max, Or, or And of 32 bits, one of them for an array, or, at targets that a push lets through, what it likes")
	}
	switch {
	case u.by.Adds() && u.looks:
		return not("it can't look at what an addition to " + a.Name + " returns, which is that of one GPU")
	case u.by.Adds():
	case u.adds:
		return not("it adds to " + a.Name + ", which isn't of integers, or changes it in another way too")
	case u.by != ir.Replace && a.Width != u.by.Bytes():
		return not(fmt.Sprintf("%s has entries of %d bytes", a.Name, a.Width))
	case u.by != ir.Replace:
	case !tells:
		return not("it writes " + a.Name + " at vertices that it needn't let through")
	case u.written:
		return not("it writes " + a.Name + " at both ends of an edge")
	}
	return u.by, nil
}

// Brief is a functor of a reduce that knows how long the longest row is of those that it is called for. Nobody then looks
// for long ones, for which there would be kernels of their own.
type Brief interface{ Longest() uint64 }

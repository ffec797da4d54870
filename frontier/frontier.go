// Package frontier holds the active vertices of a traversal: as a queue
// (sparse) or as a bitmap (dense), in the memory of the device that the graph
// is on. Operators (packages advance and filter) read one frontier and fill
// another. Each documents the forms of its input and output; Convert changes
// the form.
//
// The guide is [docs/compose.md].
//
// Frontiers are on the host or on a GPU, with the same methods, but:
//
//   - Len waits for a GPU, which counts the entries itself.
//   - Edges, the edge frontier, is there on a GPU only: on the host NewEdges
//     returns device.ErrNotSupported.
//
// [docs/compose.md]: https://github.com/foray-graph/foray/blob/main/docs/compose.md
package frontier

import (
	"errors"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
)

// Errors to test for with errors.Is. Frontiers and the operators on them wrap
// one of these, and name the operator and its argument.
var (
	// ErrForm: a frontier in a form that the operator doesn't take, or an
	// invalid form. Convert changes the form.
	ErrForm = errors.New("frontier in the wrong form")
	// ErrForeign: a nil frontier, or one over another placed graph than the
	// operator's. Graphs have different vertices, and devices have separate
	// memory.
	ErrForeign = errors.New("frontier of another placed graph")
	// ErrAliased: one frontier as input and output of an operator that needs
	// two.
	ErrAliased = errors.New("the same frontier twice")
)

// Form is the current representation of a frontier. String returns its name.
type Form uint8

// The forms.
const (
	Queue  = Form(front.Queue)  // a list of vertices, in no order; may hold duplicates
	Bitmap = Form(front.Bitmap) // a bit for each vertex of the graph
	All    = Form(front.All)    // every vertex of the graph, which takes no memory
)

func (f Form) String() string { return front.Form(f).String() }

// Frontier is a set of active vertices (a multiset in queue form). It belongs
// to one search: it isn't safe for concurrent use, except that operators fill
// it from all workers of one stream.
type Frontier struct {
	inside      // a queue's list has room for its capacity + front.Slack
	done   bool // closed
	conv   converter
	late   error // why it was made too late

	unread error // why the last count or copy on a GPU failed

	on storage
}

// inside is what operators alone use.
type inside = front.Inside

// storage is where entries are: onHost, onGPU or overShards, as New chooses.
type storage interface {
	count() int
	vertices() []uint32 // a copy, of a queue or bitmap that isn't empty
	// reset follows a change of form that left no entries, fill one to all vertices; zero
	// clears the words of a bitmap.
	reset()
	fill()
	zero() error
	bits() error // makes the words of a bitmap, if they aren't there
	// grow makes room for capacity entries of the list and keeps the first ones.
	grow(capacity, keep int) error
	add(vs []uint32) error // vertices of the graph, to a queue or bitmap
	// convert changes a queue to a bitmap, or back, then in ascending order; list makes a
	// queue in any order.
	convert(s device.Stream, form Form) error
	list(s device.Stream) error
	release() error // what reset and grow made, but for list and bits
}

// at returns the storage, which is empty for a frontier that New didn't make.
func (f *Frontier) at() storage {
	if f.on == nil {
		return onHost{f}
	}
	return f.on
}

// New returns an empty frontier over the vertices of a placed graph, in queue form. It allocates
// its memory on first use; Close frees it. For a nil or closed placed graph every method with an
// error result returns an error.
func New(p *graph.Placed) *Frontier {
	f := &Frontier{}
	f.S.P = p
	if f.late = p.State().Enter(); f.late == nil {
		defer p.State().Leave()
		f.S.N = front.Size(p)
		if f.R = front.NewRemote(&f.S); f.R != nil {
			f.on = onGPU{f}
			return f
		}
		if parts := partsOf(p); parts != nil {
			f.on = overShards{f, parts}
			f.R = front.NewSharded(&f.S, parts)
			return f
		}
	}
	f.on = onHost{f}
	return f
}

// err returns why the frontier can't be used: device.ErrClosed once it, or its
// placed graph, was closed, graph.ErrNoGraph if it was made over nil, else nil.
// All methods with an error result return this error first.
func (f *Frontier) err() error {
	if f.S.P == nil {
		return fmt.Errorf("frontier: %w: pass a graph.Placed to New", graph.ErrNoGraph)
	}
	if f.done {
		return fmt.Errorf("frontier: %w: the frontier; make another", device.ErrClosed)
	}
	if f.late != nil { // Close had begun, and may still wait for others
		return fmt.Errorf("frontier: %w", f.late)
	}
	if err := f.S.P.Err(); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return nil
}

// none is ErrForeign for a nil frontier, with a message about that.
type none struct{}

func (none) Error() string {
	return "nil; frontier.New makes a frontier, and traverse.Traversal.Bits the bitmap of a step"
}
func (none) Is(err error) bool { return err == ErrForeign }

// Check checks an operator's argument: it returns what err does, ErrForeign unless the
// frontier is over p, and ErrForm unless it has one of the forms. A nil frontier
// is ErrForeign.
func (f *Frontier) Check(p *graph.Placed, forms ...Form) error {
	if f == nil {
		return none{}
	}
	if err := f.err(); err != nil {
		return err
	}
	if f.S.P != p {
		return fmt.Errorf("%w: make it with frontier.New over the one that the operator is for", ErrForeign)
	}
	if len(forms) > 0 && !slices.Contains(forms, f.Form()) {
		return fmt.Errorf("%w: it is %s, want %s; Convert makes one of it", ErrForm, described(f.Form()), described(forms[0]))
	}
	return nil
}

// described names a frontier in a form, for errors.
func described(f Form) string {
	if f == All {
		return "all vertices"
	}
	return "a " + f.String()
}

// Form returns the frontier's current form.
func (f *Frontier) Form() Form { return Form(f.S.Form) }

// ReadErr returns the error of the last Len or Vertices, which have no error result: on a GPU the device or
// the context may have ended the work that they wait for. It is nil if they were right.
func (f *Frontier) ReadErr() error {
	for _, p := range f.parts() {
		if p.unread != nil {
			return p.unread
		}
	}
	return f.unread
}

// Len returns the number of entries. On a GPU it waits for the device; ReadErr returns an error if that failed.
func (f *Frontier) Len() int { return f.at().count() }

// Close frees the memory. Methods with an error result then return device.ErrClosed; the others see
// an empty queue. Closing a nil frontier, or closing twice, does nothing.
func (f *Frontier) Close() error {
	if f == nil {
		return nil
	}
	f.done = true
	f.S.Length.Store(0)
	f.S.Form, f.Scattered = front.Queue, false
	err := f.at().release()
	if e := f.S.List.Close(); err == nil {
		err = e
	}
	if e := f.S.Bits.Close(); err == nil {
		err = e
	}
	f.S.List, f.S.Bits = nil, nil
	return err
}

// Clear empties the frontier and gives it the form. The error is ErrForm for an
// invalid form, or the device's, if it has no memory left.
func (f *Frontier) Clear(form Form) error {
	had := f.S.Bits != nil || len(f.parts()) > 0
	if err := f.Reset(form); err != nil {
		return err
	}
	if form == Bitmap && had {
		return f.on.zero()
	}
	return nil
}

// Fill makes the frontier hold every vertex of the graph, once, in the form All.
func (f *Frontier) Fill() error {
	if err := f.err(); err != nil {
		return err
	}
	f.S.Length.Store(int64(f.S.N))
	f.S.Form, f.Scattered = front.All, false
	f.on.fill()
	return nil
}

// Reset gives the frontier the form and length 0 as Clear does, but leaves the
// words of a bitmap as they are, for an operator that writes all of them.
func (f *Frontier) Reset(form Form) error {
	if err := f.err(); err != nil {
		return err
	}
	switch form {
	case Queue:
		if err := f.on.grow(f.S.N, 0); err != nil {
			return err
		}
	case Bitmap:
		if err := f.on.bits(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("frontier: %w: %s isn't a form; want queue or bitmap", ErrForm, form)
	}
	f.S.Length.Store(0)
	f.S.Form, f.Scattered = front.Form(form), false
	f.on.reset()
	return nil
}

// Grow makes sure that the queue has room for capacity entries, and keeps its
// entries. A queue initially has room for all vertices of the graph, which is
// enough without duplicates. The error is ErrForm for a bitmap, or the device's,
// if it has no memory left.
func (f *Frontier) Grow(capacity int) error {
	if err := f.err(); err != nil {
		return err
	}
	if f.Form() != Queue {
		return fmt.Errorf("frontier: grow: %w: it is %s, which needs no room; want a queue", ErrForm, described(f.Form()))
	}
	return f.on.grow(capacity, f.Len())
}

// Add adds vertices. A queue may then have a vertex twice. If the graph doesn't
// have one of the vertices, the error is graph.ErrNoVertex, and none is added.
func (f *Frontier) Add(vs ...uint32) error {
	if err := f.err(); err != nil {
		return err
	}
	for _, v := range vs {
		if int64(v) >= int64(f.S.N) {
			return fmt.Errorf("frontier: %w: vertex %d of %d; Graph.Vertex finds that of an external id", graph.ErrNoVertex, v, f.S.N)
		}
	}
	if f.Form() == All {
		return nil // they are there
	}
	return f.on.add(vs)
}

// Vertices returns a copy of the entries: of a queue in its order, of a bitmap
// ascending. ReadErr returns an error if a copy from a GPU failed.
func (f *Frontier) Vertices() []uint32 {
	if f.Len() == 0 {
		return nil
	}
	if f.Form() == All {
		vs := make([]uint32, f.S.N)
		for v := range vs {
			vs[v] = uint32(v)
		}
		return vs
	}
	return f.at().vertices()
}

package filter

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/host"
)

// Filterer runs filter operators over one placed graph on one stream. It keeps
// what they need between calls, so that a level allocates nothing; it belongs
// to one search and isn't safe for concurrent use.
type Filterer struct {
	// Level is what predicates of the host find in Worker.Level.
	Level int32

	p      *graph.Placed
	on     backend
	mask   *frontier.Frontier // Unique's own
	closed bool
}

// backend runs the operators on a device: onHost or onGPU, as New chooses. Their arguments
// have been checked.
type backend interface {
	bind(device.Stream) bool
	stream() device.Stream
	err() error // the stream's
	close() error
	// takes returns why the predicate can't be asked there.
	takes(p Predicate) error
	// begin and end stand around an operator that asks a predicate written in Go.
	begin(link.Functor) error
	end(link.Functor) error

	against(fr, seen *frontier.Frontier, claim bool) error
	// keep passes the level to the predicate.
	keep(level int32, fr *frontier.Frontier, p Predicate) error
}

// New returns a Filterer over a placed graph, on a stream of its device. The
// error is device.ErrNotSupported for no stream or one of a device without
// operators, device.ErrClosed for a placed graph that was closed, or
// graph.ErrNoGraph.
func New(s device.Stream, p *graph.Placed) (*Filterer, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	if p.Remote() != nil {
		gs, err := gpu.StreamOf(s)
		if err != nil {
			return nil, fmt.Errorf("filter: %w", err)
		}
		return &Filterer{p: p, on: &onGPU{p: p, g: p.Remote(), s: gs, spare: frontier.New(p)}}, nil
	}
	hs, err := host.StreamOf(s)
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	return &Filterer{p: p, on: &onHost{p: p, s: hs}}, nil
}

// Bind makes the Filterer run on another stream of the same device, so that a
// later search can use it again. It reports whether the stream fits.
func (f *Filterer) Bind(s device.Stream) bool { return f != nil && f.on != nil && f.on.bind(s) }

// Close frees the memory of the Filterer. Later uses fail with device.ErrClosed. Closing a
// nil Filterer, or closing twice, does nothing.
func (f *Filterer) Close() error {
	if f == nil || f.on == nil {
		return nil
	}
	f.closed = true
	err := f.mask.Close()
	f.mask = nil
	return errors.Join(err, f.on.close())
}

// ready returns why an operator can't run over a frontier in one of the forms.
func (f *Filterer) ready(what string, fr *frontier.Frontier, forms ...frontier.Form) error {
	if f == nil || f.on == nil {
		return fmt.Errorf("filter: %s: %w: no Filterer (nil); New makes one", what, device.ErrNotSupported)
	}
	if f.closed {
		return fmt.Errorf("filter: %s: %w: the Filterer; make another", what, device.ErrClosed)
	}
	if err := f.on.err(); err != nil {
		return err
	}
	if err := fr.Check(f.p, forms...); err != nil {
		return fmt.Errorf("filter: %s: %w", what, err)
	}
	return nil
}

// Cull drops the vertices of fr that are in the bitmap seen, which is only
// read: culling by bitmask. Duplicates stay. A queue keeps its order.
//
// The error of this and the other operators is the stream's context's (fr is then in an
// undefined state), device.ErrClosed for a closed object, frontier.ErrForm,
// ErrForeign or ErrAliased for a frontier that doesn't fit, or on the host
// graph.ErrNoVertex for an entry of a queue that isn't a vertex: fr is then empty, and a
// bitmap to which vertices were being added is in an undefined state; Clear it.
func (f *Filterer) Cull(fr, seen *frontier.Frontier) error {
	return f.against("cull", fr, seen, false)
}

// Unvisited drops the vertices of fr that are in the bitmap seen, and duplicates, and adds
// the rest to seen. It is unspecified which copy of a duplicate is kept. Errors are the
// same as for Cull.
func (f *Filterer) Unvisited(fr, seen *frontier.Frontier) error {
	return f.against("unvisited", fr, seen, true)
}

func (f *Filterer) against(what string, fr, seen *frontier.Frontier, claim bool) error {
	if err := f.ready(what, fr); err != nil {
		return err
	}
	if err := f.p.State().Enter(); err != nil {
		return fmt.Errorf("filter: %s: %w", what, err)
	}
	defer f.p.State().Leave()
	if err := seen.Check(f.p, frontier.Bitmap); err != nil {
		return fmt.Errorf("filter: %s: the mask: %w", what, err)
	}
	if fr.Form() == frontier.All {
		if err := fr.Convert(f.on.stream(), frontier.Bitmap); err != nil {
			return fmt.Errorf("filter: %s: %w", what, err)
		}
	}
	if fr == seen {
		return fmt.Errorf("filter: %s: %w: as its own mask; use another for what was seen", what, frontier.ErrAliased)
	}
	return f.on.against(fr, seen, claim)
}

// Unique drops duplicates in fr: exact dedupe. A bitmap has none. Errors are the same as
// for Cull.
func (f *Filterer) Unique(fr *frontier.Frontier) error {
	if err := f.ready("unique", fr); err != nil {
		return err
	}
	if fr.Form() != frontier.Queue {
		return nil
	}
	if f.mask == nil {
		f.mask = frontier.New(f.p)
	}
	if err := f.mask.Clear(frontier.Bitmap); err != nil {
		return err
	}
	return f.against("unique", fr, f.mask, true)
}

// Keep drops the vertices of fr that the predicate rejects. In a queue the remaining
// vertices keep their order (compaction by prefix sum), and the predicate is called for
// every copy of a duplicate. A bitmap stays a bitmap, and all vertices become one.
//
// Errors are the same as for Cull; device.ErrNotSupported on a GPU for a predicate that
// isn't a functor written in Go, which leaves fr unchanged; the fault of a functor; and
// operators.ErrFunctor: if a predicate breaks its contract, fr is empty afterwards.
func (f *Filterer) Keep(fr *frontier.Frontier, p Predicate) error {
	return f.ask("keep", p, func() error {
		if err := f.ready("keep", fr); err != nil {
			return err
		}
		if fr.Form() == frontier.All {
			if err := fr.Convert(f.on.stream(), frontier.Bitmap); err != nil {
				return fmt.Errorf("filter: keep: %w", err)
			}
		}
		return f.keep(fr, p)
	})
}

// ask calls run, which asks a predicate.
func (f *Filterer) ask(what string, p Predicate, run func() error) (err error) {
	m, ok := link.Of(p)
	if !ok || f == nil || f.on == nil {
		return run()
	}
	if m.Code().Accumulators > 0 {
		return fmt.Errorf("filter: %s: %w: functor %s has accumulators; give it to the step filter.Keep", what, graph.ErrOptions, m.Code().Name)
	}
	if err := step.Fits(step.Vertices, link.Use{Keep: true}, m.Code()); err != nil {
		return fmt.Errorf("filter: %s: %w", what, err)
	}
	if err := f.on.begin(m); err != nil {
		return fmt.Errorf("filter: %s: %w", what, err)
	}
	defer func() { err = errors.Join(err, f.on.end(m)) }() // after a panic too
	return run()
}

// keep is Keep of a queue or bitmap, or on the host of all vertices, which become a queue.
func (f *Filterer) keep(fr *frontier.Frontier, p Predicate) error {
	if err := f.ready("keep", fr); err != nil {
		return err
	}
	if err := f.p.State().Enter(); err != nil {
		return fmt.Errorf("filter: keep: %w", err)
	}
	defer f.p.State().Leave()
	if err := f.checkPredicate("keep", p); err != nil {
		return err
	}
	return f.on.keep(f.Level, fr, p)
}

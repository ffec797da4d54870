// This file holds Push as a step of a traversal.

package advance

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/bitmap"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators"
)

// Push returns the step that visits the out-edges of the frontier and makes what the
// functor lets through the frontier. On a GPU the functor is
// written in Go (foray generate), or an operators.KernelFunctor.
//
// A functor that may let a vertex through more than once (see Functor) should be
// followed by filter.Unique or filter.Unvisited, with which the engines fuse the push: it
// then needs no more room than the graph has vertices.
func Push(f Functor) operators.Step { return &pushStep{f: f} }

// pushStep is a Push, perhaps fused with the filter after it.
type pushStep struct {
	f      Functor
	within *Within            // or nil
	seen   *frontier.Frontier // of a filter that lasts
	once   bool               // of one that doesn't
	host   culledEll4
	remote fusedFunctor
	culls  *pushStep // what Cull returned
}

func (s *pushStep) Name() string {
	switch {
	case s.seen != nil:
		return "push and unvisited"
	case s.once:
		return "push and unique"
	}
	return "push"
}

func (s *pushStep) Moves() {}

// Cull fuses the push with a filter: again and again, in a loop around Do.
func (s *pushStep) Cull(seen *frontier.Frontier) step.Step {
	if s.culls == nil || s.culls.seen != seen {
		s.culls = &pushStep{f: s.f, within: s.within, seen: seen, once: seen == nil}
	}
	return s.culls
}

// Range implements step.Ranged, for a PushByWeight.
func (s *pushStep) Range(above, most float32) { s.within.Above, s.within.Most = above, most }

// ready checks the step, makes the frontier a list, and returns the bitmap by which targets
// are culled, nil for none. The step must then empty one that doesn't last (s.seen is nil).
func (s *pushStep) ready(x *step.Env) (*frontier.Frontier, error) {
	if s.seen != nil {
		if err := s.seen.Check(x.Placed, frontier.Bitmap); err != nil {
			return nil, fmt.Errorf("advance: push: the mask: %w", err)
		}
	}
	if err := checkFunctor("push", s.f, x.Placed, x.Spare); err != nil { // which a culled one hides
		return nil, err
	}
	if err := listed(x); err != nil {
		return nil, err
	}
	if s.once && !isUnique(s.f) {
		return mask(x)
	}
	return s.seen, nil
}

// Host pushes tile by tile.
func (s *pushStep) Host(x *step.Env) error {
	a, err := hostTool(x)
	if err != nil {
		return err
	}
	seen, err := s.ready(x)
	if err != nil {
		return err
	}
	if s.within != nil {
		if err := s.within.check(x.Placed); err != nil {
			return err
		}
		a.push.within = s.within
		defer func() { a.push.within = nil }()
	}
	f := s.f
	if seen != nil {
		if s.seen == nil {
			if !a.clean {
				if err := seen.Clear(frontier.Bitmap); err != nil {
					return err
				}
			}
			a.clean = false
		}
		s.host.culled = culled{Functor: s.f, words: seen.Bits()}
		s.host.rows, _ = s.f.(rowsFunctor)
		f = &s.host.culled
		if s.host.ell4 = a.ell4Of(s.f); s.host.ell4 != nil && s.within == nil {
			f = &s.host
		}
	}
	if err := step.OnHost(s.f, step.Pushes, x, link.Use{}, func() error { return push(x, a.Advancer, f) }); err != nil {
		return err
	}
	if seen == nil && isUnique(s.f) && tuning.CheckUnique.Load() {
		return s.checkUnique(x)
	}
	switch {
	case s.seen != nil: // its length is kept up to date
		s.seen.SetLen(s.seen.Len() + x.Cur.Len())
	case seen != nil:
		return a.cleaned(seen, x.Cur)
	}
	return nil
}

// GPU launches the kernel of a strategy.
func (s *pushStep) GPU(x *step.Env) error {
	if s.within != nil {
		return errWithin
	}
	a, err := gpuTool(x)
	if err != nil {
		return err
	}
	seen, err := s.ready(x)
	if err != nil {
		return err
	}
	if seen != nil && s.seen == nil {
		if err := clearRemote(x, seen); err != nil {
			return err
		}
	}
	if !step.OnGPU(s.f) && seen == nil {
		return push(x, a.Advancer, s.f)
	}
	if err := s.remote.of(&x.Codes, step.Pushes, s.f, x.Level); err != nil {
		return fmt.Errorf("advance: push: %w", err)
	}
	s.remote.seen = seen
	if err := s.remote.code.Launched(x, push(x, a.Advancer, &s.remote)); err != nil {
		return err
	}
	if s.seen == nil {
		if seen == nil && isUnique(s.f) && tuning.CheckUnique.Load() {
			return errors.Join(x.Stream.Sync(), s.checkUnique(x))
		}
		return nil
	}
	return s.seen.Remote().Join(x.Cur.Remote())
}

// checkUnique returns an error for a vertex that the functor has let through twice.
func (s *pushStep) checkUnique(x *step.Env) error {
	seen := map[uint32]bool{}
	for _, v := range x.Cur.Vertices() {
		if seen[v] {
			name := fmt.Sprintf("%T", s.f)
			if f, ok := link.Of(s.f); ok {
				name = f.Code().Name
			}
			return fmt.Errorf("functor %s: %w: it let vertex %d through twice in one step, but it is marked //foray:unique; use an operation of package atomics whose result tells one thread that it was first, or filter.Unique", name, graph.ErrOptions, v)
		}
		seen[v] = true
	}
	return x.Cur.ReadErr()
}

// push pushes into the spare frontier, which takes its turn.
func push(x *step.Env, a *Advancer, f Functor) error {
	edges, err := a.pushed(x.Cur, x.Spare, f, true)
	if err != nil {
		return err
	}
	x.Edges += edges
	x.Swap()
	return nil
}

// listed makes a bitmap a list, which pushes take.
func listed(x *step.Env) error {
	if x.Cur.Form() != frontier.Bitmap {
		return nil
	}
	return x.Cur.List(x.Stream)
}

// mask returns a bitmap of the vertices let through in one push.
func mask(x *step.Env) (*frontier.Frontier, error) {
	return step.Tool(x, "advance.mask", func() (*frontier.Frontier, error) { return frontier.New(x.Placed), nil })
}

// cleaned empties the mask after a push that let f through: entry by entry, where that is less.
// A round of a thousand vertices takes ten microseconds, clearing the mask of a road network twice
// that.
func (a *onHost) cleaned(mask, f *frontier.Frontier) error {
	words := mask.Bits()
	if f.Len() > len(words)/maskShare {
		if err := mask.Clear(frontier.Bitmap); err != nil {
			return err
		}
	} else {
		list, pieces := f.Pieces()
		for _, p := range pieces {
			for _, v := range list[p.First : p.First+p.Len] {
				words[v>>6] = 0
			}
		}
	}
	a.clean = true
	return nil
}

// clearRemote empties a bitmap on a GPU, in the order of the stream.
func clearRemote(x *step.Env, m *frontier.Frontier) error {
	gs, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return err
	}
	if err := m.Reset(frontier.Bitmap); err != nil {
		return err
	}
	return gs.Fill(uintptr(m.Remote().Words()), 0, uint64(m.Words())*2)
}

// Compile appends the push to a program.
func (s *pushStep) Compile(p *step.Program) error {
	if s.within != nil {
		return fmt.Errorf("%w: %w", step.ErrNotCompiled, errWithin)
	}
	if err := checkFunctor("push", s.f, p.Placed, nil); err != nil {
		return err
	}
	op, code, err := edgeOp(p.Codes, step.Pushes, s.f)
	if err != nil {
		return err
	}
	switch {
	case s.seen != nil:
		if err := s.seen.Check(p.Placed, frontier.Bitmap); err != nil {
			return fmt.Errorf("advance: push: %w", err)
		}
		op.Seen = s.seen.Remote().Words()
		p.Seen = append(p.Seen, s.seen)
	case isUnique(s.f):
	case s.once:
		op.Flags = step.Dedupe
	default:
		return fmt.Errorf("%w: functor %T may let a vertex through twice; let filter.Unique or filter.Unvisited follow the push", step.ErrNotCompiled, s.f)
	}
	p.Moves, p.Pushes = true, true
	return p.Add(code, op)
}

// culled is a functor whose output is culled by a bitmap, tile by tile, on the host.
type culled struct {
	Functor
	rows  rowsFunctor
	words []uint64
}

// Unique says that no vertex is let through twice.
func (*culled) Unique() bool { return true }

// Visit visits and culls.
func (c *culled) Visit(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	return c.cull(w, out, c.Functor.Visit(w, source, firstEdge, targets, out), len(targets))
}

// VisitRows does so for many rows.
func (c *culled) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	if c.rows != nil {
		edges := 0
		for _, r := range rows {
			edges += int(r.Len)
		}
		return c.cull(w, out, c.rows.VisitRows(w, rows, targets, out), edges)
	}
	k := 0
	for _, r := range rows {
		part := targets[r.First : r.First+uint64(r.Len)]
		n := c.cull(w, out[k:], c.Functor.Visit(w, r.Source, r.First, part, out[k:]), len(part))
		if uint(n) > uint(len(part)) {
			return -1
		}
		k += n
	}
	return k
}

// culledEll4 is one that takes ELL4 rows.
type culledEll4 struct {
	culled
	ell4 ell4Functor
}

// culledOf returns the functor that culls, or nil.
func culledOf(f Functor) *culled {
	switch f := f.(type) {
	case *culled:
		return f
	case *culledEll4:
		return &f.culled
	}
	return nil
}

// VisitEll4 visits and culls.
func (c *culledEll4) VisitEll4(w operators.Worker, sources []uint32, rows [][4]uint32, out []uint32) int {
	return c.cull(w, out, c.ell4.VisitEll4(w, sources, rows, out), 4*len(sources))
}

// Ahead prefetches what the functor will touch.
func (c *culledEll4) Ahead(sources []uint32) {
	if next, ok := c.ell4.(aheadFunctor); ok {
		next.Ahead(sources)
	}
}

// cull keeps those of the first k entries whose bits it sets. What can't be is left to
// the operator to find.
func (c *culled) cull(w operators.Worker, out []uint32, k, most int) int {
	if uint(k) > uint(most) {
		return -1
	}
	n, words := 0, c.words
	for _, v := range out[:k] {
		if int(v>>6) >= len(words) {
			out[n] = v
			n++
			continue
		}
		if w.Alone && bitmap.ClaimAlone(words, v) || !w.Alone && bitmap.Claim(words, v) {
			out[n] = v
			n++
		}
	}
	return n
}

// fusedFunctor is the device side of a functor of a traversal with its filter, as kernels take
// it (EdgeOp of traverse/traversal.cuh).
type fusedFunctor struct {
	Functor
	f     any // the functor
	code  *step.Code
	seen  *frontier.Frontier // or nil
	pile  uint64             // of one that sorts, as kernels have it
	level int32
}

// of makes it the functor f, which must have a device side.
func (f *fusedFunctor) of(kept *step.Codes, kind step.Kind, x any, level int32) (err error) {
	if f.code, err = step.CodeOf(kept, x, kind, link.Use{}); err != nil {
		return err
	}
	f.Functor, _ = x.(Functor)
	f.f, f.seen, f.pile, f.level = x, nil, 0, level
	return nil
}

func (f *fusedFunctor) Unique() bool { return f.seen != nil || f.pile != 0 || isUnique(f.Functor) }

func (f *fusedFunctor) Kernels() ([]byte, string) { return f.code.Image, f.code.Name }

func (f *fusedFunctor) Params(words *step.Params) {
	fields, number := f.code.Words()
	copy(words[:], fields[:])
	words[6] = f.pile
	if f.seen != nil {
		words[6] = f.seen.Remote().Words()
	}
	words[7] = uint64(uint32(f.level)) | uint64(number)<<32
}

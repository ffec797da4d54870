// Package reduce holds the operator that reduces a value per edge over the edges of each
// vertex of a frontier (Gunrock's neighbor reduce): PageRank's sums, smallest labels,
// counts of neighbors.
//
// The guide is [docs/operators/reduce.md].
//
// On the host a Functor gets rows in tiles; rows of hubs are split among the workers. On a GPU it
// is written in Go (foray generate), or an operators.KernelFunctor whose device side is a
// foray::GatherFunctor (operators/functor.cuh). There a thread or a few lanes reduce a short row,
// a warp a longer one, and all blocks a hub. The division of a row, and the order in which its parts are joined,
// depend only on the row on both devices: a sum of floats over a vertex's edges is the same in
// every run on a device.
//
// [docs/operators/reduce.md]: https://github.com/foray-graph/foray/blob/main/docs/operators/reduce.md
package reduce

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/chunks"
	"github.com/foray-graph/foray/internal/engine/hubs"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
)

// errFunctor is operators.ErrFunctor as errors of this package have it.
var errFunctor = fmt.Errorf("reduce: %w", operators.ErrFunctor)

// Functor is what is reduced, and what becomes of it: T is a value per edge and the total of
// a vertex's edges, V what vertices bring to a scalar.
type Functor[T device.Elem, V operators.Number] interface {
	// Gather sets out[i] to the reduced value of the edges of rows[i], which are
	// targets[r.First:r.First+uint64(r.Len)]; for an empty row, to the identity of Join: 0 for a
	// sum. targets are the targets of the rows that the step visits: in-neighbors for In. Their
	// weights are the same entries of Graph.In().Weights (graph.Placed.InWeights) for In, and of
	// Graph.Out().Weights (Weights) for Out. A row may be a part of a vertex's.
	Gather(w operators.Worker, rows []operators.Row, targets []uint32, out []T)
	// Join reduces the totals of two parts of a row, which come in order.
	Join(a, b T) T
	// Apply is told the totals of vertices, each once, and returns what the vertices
	// reduce to, in the scalar's way; without a scalar that is ignored.
	Apply(w operators.Worker, vs []uint32, totals []T) V
}

// nextFunctor is a Functor that takes the rows of vertices that follow one another, as they lie in
// the graph: the host's reduce of all vertices calls it where there is no hub among them. What is
// written in Go has it.
type nextFunctor[T device.Elem] interface {
	// GatherNext is Gather for vertex, vertex+1 and so on, one for each entry of out.
	// The targets of the first one are targets[offsets[0]:offsets[1]].
	GatherNext(w operators.Worker, vertex uint32, offsets []uint64, targets []uint32, out []T)
}

// In returns the step that reduces over the in-edges of the frontier's vertices, and leaves
// what Apply returns, reduced, in the scalar, which may be nil. The frontier stays as it is.
// Graphs need their reverse: graph.ErrNoReverse.
func In[T device.Elem, V operators.Number](f Functor[T, V], into *operators.Scalar[V]) operators.Step {
	return &gather[T, V]{f: f, into: (*link.Scalar[V])(into), in: true}
}

// Out is In over the out-edges.
func Out[T device.Elem, V operators.Number](f Functor[T, V], into *operators.Scalar[V]) operators.Step {
	return &gather[T, V]{f: f, into: (*link.Scalar[V])(into)}
}

type gather[T device.Elem, V operators.Number] struct {
	f    Functor[T, V]
	into *link.Scalar[V]
	in   bool
	job  gatherHost[T, V]
}

func (s *gather[T, V]) Name() string { return "reduce" }

func (s *gather[T, V]) check(p *graph.Placed) error {
	if s.f == nil {
		return fmt.Errorf("%w: the functor is nil", errFunctor)
	}
	if s.in && !p.Graph().HasReverse() {
		return fmt.Errorf("reduce: %w: build the graph with its reverse, or reduce over the out-edges", graph.ErrNoReverse)
	}
	return nil
}

// rows are those that are gone through.
func (s *gather[T, V]) rows(p *graph.Placed) *graph.CSR {
	if s.in {
		return p.Graph().In()
	}
	return p.Graph().Out()
}

// from checks the step, and returns the vertices whose edges it reduces over: a queue, or
// nil for all.
func (s *gather[T, V]) from(x *step.Env) (*frontier.Frontier, error) {
	if err := s.check(x.Placed); err != nil {
		return nil, err
	}
	if x.Cur.Form() == frontier.All {
		x.Edges += x.Placed.Graph().NumDirectedEdges()
		return nil, nil
	}
	return x.Cur, x.Cur.List(x.Stream)
}

func (s *gather[T, V]) use() link.Use {
	u := link.Use{In: s.in}
	if s.into != nil {
		u.How, u.Into = s.into.How(), s.into
	}
	return u
}

func (s *gather[T, V]) op(kept *step.Codes, p *graph.Placed) (step.Op, *step.Code, error) {
	code, err := step.CodeOf(kept, s.f, step.Gathers, s.use())
	if err != nil {
		return step.Op{}, nil, fmt.Errorf("reduce: %w", err)
	}
	scalar, err := step.ArgsOf(s.into, p.Device())
	if err != nil {
		return step.Op{}, nil, fmt.Errorf("reduce: %w", err)
	}
	op := step.Op{Code: step.OpReduce, Scalar: scalar}
	if s.in {
		op.Flags = step.InEdges
	}
	return op, code, nil
}

// GPU launches the kernels: all rows but those of hubs, the hubs' segments, the hubs.
func (s *gather[T, V]) GPU(x *step.Env) error {
	from, err := s.from(x)
	if err != nil {
		return err
	}
	l, err := step.Launches(x)
	if err != nil {
		return err
	}
	op, code, err := s.op(&x.Codes, x.Placed)
	if err != nil {
		return err
	}
	if from == nil && overSlabs(x.Placed, code) {
		if done, err := s.onSlabs(x, op, code); err != nil || done {
			return code.Launched(x, err)
		}
	}
	if from == nil {
		if done, err := s.inChunks(x, op, code); err != nil || done {
			return code.Launched(x, err)
		}
	}
	room, err := s.hubs(x, from)
	if err != nil {
		return err
	}
	o := step.Operation{Code: code, Op: op, From: from, Hubs: room.Args, Level: x.Level, Blocks: link.MaxBlocks}
	if err := room.Clear(l.Stream()); err != nil {
		return err
	}
	return code.Launched(x, launch(l, &o, room))
}

func launch(l *step.Launcher, o *step.Operation, h *hubs.Hubs) error {
	if err := l.Launch(o); err != nil || h.Args.Any == 0 {
		return err
	}
	return launchHubs(l, o, h)
}

// launchHubs launches the kernels of hubs, after the one of other rows.
func launchHubs(l *step.Launcher, o *step.Operation, h *hubs.Hubs) error {
	o.Op.Code, o.Threads = step.OpSegments, h.Segments*32
	if err := l.Launch(o); err != nil {
		return err
	}
	o.Op.Code, o.Threads = step.OpHubs, h.Most
	return l.Launch(o)
}

// hubs readies the memory of the hubs.
func (s *gather[T, V]) hubs(x *step.Env, from *frontier.Frontier) (*hubs.Hubs, error) {
	if from == nil {
		return hubs.Of(x, s.in)
	}
	if b, is := s.f.(step.Brief); is && b.Longest() <= hubs.ShortRow {
		return &hubs.Hubs{}, nil
	}
	h, err := hubs.Room(x, [2]bool{!s.in, s.in})
	if err != nil || h.Args.Any == 0 || !from.Remote().IsList() {
		return h, err
	}
	// A push that no filter followed may have let a hub through often.
	if err := x.Stream.Sync(); err != nil {
		return nil, err
	}
	vs := from.Vertices()
	if err := from.ReadErr(); err != nil {
		return nil, err
	}
	return h, h.Fit(x.Placed, vs, s.in)
}

// Reach describes what the functor does on several GPUs.
func (s *gather[T, V]) Reach(x *step.Env) (*step.Reach, error) {
	if err := s.check(x.Placed); err != nil {
		return nil, err
	}
	_, code, err := s.op(&x.Codes, x.Placed)
	if err != nil {
		return nil, err
	}
	return code.Reach(x.Placed, s.into.Sum())
}

// Compile appends the step to a program.
func (s *gather[T, V]) Compile(p *step.Program) error {
	if err := s.check(p.Placed); err != nil {
		return err
	}
	if !step.OnGPU(s.f) {
		return fmt.Errorf("%w: the functor %T has no kernels (see operators.KernelFunctor)", step.ErrNotCompiled, s.f)
	}
	op, code, err := s.op(p.Codes, p.Placed)
	if err != nil {
		return err
	}
	if p.All && !p.Must && overSlabs(p.Placed, code) {
		return fmt.Errorf("%w: a reduce over slabs is kernels of its own", step.ErrNotCompiled)
	}
	if p.All && !p.Must && chunks.Streams(p.Placed) {
		return fmt.Errorf("%w: a reduce over rows in the host's memory is a kernel for each chunk of them", step.ErrNotCompiled)
	}
	p.Gather[op.Flags&step.InEdges>>1] = true
	return p.Add(code, op)
}

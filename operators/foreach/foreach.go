// Package foreach holds the operator that calls a functor at each vertex of a
// frontier, or of the graph, and reduces what it returns into a scalar.
//
// The guide is [docs/operators/foreach.md].
//
// On the host a Functor gets vertices in tiles. On a GPU it is written in Go
// (foray generate), or an operators.KernelFunctor whose device side is a
// foray::VertexFunctor (operators/functor.cuh).
//
// [docs/operators/foreach.md]: https://github.com/foray-graph/foray/blob/main/docs/operators/foreach.md
package foreach

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// errFunctor is operators.ErrFunctor as errors of this package have it.
var errFunctor = fmt.Errorf("foreach: %w", operators.ErrFunctor)

// Functor is what happens at vertices.
type Functor[T operators.Number] interface {
	// Visit is called for tiles of vertices, by several workers at once. It returns
	// what they reduce to, in the scalar's way; without a scalar that is ignored. vs is
	// valid during the call only.
	Visit(w operators.Worker, vs []uint32) T
}

// Func makes a Functor of a function, for the host.
func Func[T operators.Number](f func(w operators.Worker, vs []uint32) T) Functor[T] {
	return hostFunc[T](f)
}

type hostFunc[T operators.Number] func(w operators.Worker, vs []uint32) T

func (f hostFunc[T]) Visit(w operators.Worker, vs []uint32) T { return f(w, vs) }

// Each returns the step that calls the functor at each vertex of the frontier and leaves
// what it returns, reduced, in the scalar, which may be nil. The frontier stays as it is.
func Each[T operators.Number](f Functor[T], into *operators.Scalar[T]) operators.Step {
	return &each[T]{f: f, into: (*link.Scalar[T])(into)}
}

// EachNoBarrier is Each, without a scalar, for a functor that has nothing to do with the step behind it:
// neither reads what the other writes, nor do they write the same. In one kernel on a GPU that step
// begins before this one has ended, so that a round of a small frontier has one barrier less.
func EachNoBarrier[T operators.Number](f Functor[T]) operators.Step {
	return &each[T]{f: f, beside: true}
}

// All is Each at every vertex of the graph, whatever the frontier is.
func All[T operators.Number](f Functor[T], into *operators.Scalar[T]) operators.Step {
	return &each[T]{f: f, into: (*link.Scalar[T])(into), all: true}
}

type each[T operators.Number] struct {
	f    Functor[T]
	into *link.Scalar[T]
	all  bool
	job  eachHost[T]
	// beside: the step behind it needn't wait.
	beside bool
}

func (s *each[T]) Name() string { return "foreach" }

func (s *each[T]) check() error {
	if fn, ok := s.f.(hostFunc[T]); s.f == nil || ok && fn == nil {
		return fmt.Errorf("%w: the functor is nil", errFunctor)
	}
	return nil
}

// from checks the step, and returns the vertices that it visits: a queue, or nil for all.
func (s *each[T]) from(x *step.Env) (*frontier.Frontier, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.all || x.Cur.Form() == frontier.All {
		return nil, nil
	}
	return x.Cur, x.Cur.List(x.Stream)
}

// GPU launches a kernel that visits.
func (s *each[T]) GPU(x *step.Env) error {
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
	return code.Launched(x, l.Launch(&step.Operation{Code: code, Op: op, From: from, Level: x.Level, Blocks: link.MaxBlocks}))
}

func (s *each[T]) use() link.Use {
	if s.into == nil {
		return link.Use{}
	}
	return link.Use{How: s.into.How(), Into: s.into}
}

func (s *each[T]) op(kept *step.Codes, p *graph.Placed) (step.Op, *step.Code, error) {
	code, err := step.CodeOf(kept, s.f, step.Vertices, s.use())
	if err != nil {
		return step.Op{}, nil, fmt.Errorf("foreach: %w", err)
	}
	scalar, err := step.ArgsOf(s.into, p.Device())
	if err != nil {
		return step.Op{}, nil, fmt.Errorf("foreach: %w", err)
	}
	op := step.Op{Code: step.OpEach, Scalar: scalar}
	if s.all {
		op.Flags = step.AllVertices
	}
	if s.beside {
		op.Flags |= step.Beside
	}
	return op, code, nil
}

// Reach describes what the functor does on several GPUs.
func (s *each[T]) Reach(x *step.Env) (*step.Reach, error) {
	if _, err := s.from(x); err != nil {
		return nil, err
	}
	_, code, err := s.op(&x.Codes, x.Placed)
	if err != nil {
		return nil, err
	}
	does, err := code.Reach(x.Placed, s.into.Sum())
	if err != nil {
		return nil, err
	}
	does.All = s.all
	return does, nil
}

// Compile appends the step to a program.
func (s *each[T]) Compile(p *step.Program) error {
	if err := s.check(); err != nil {
		return err
	}
	if !step.OnGPU(s.f) {
		return fmt.Errorf("%w: the functor %T has no kernels (see operators.KernelFunctor)", step.ErrNotCompiled, s.f)
	}
	op, code, err := s.op(p.Codes, p.Placed)
	if err != nil {
		return err
	}
	return p.Add(code, op)
}

// eachHost is one foreach on the host. It is a host.Job.
type eachHost[T operators.Number] struct {
	s     *host.Stream
	f     Functor[T]
	how   operators.Reduction
	n     int
	queue []uint32 // nil: all vertices
	level int32
	alone bool
	next  atomic.Int64
	tile  int
	*scratch[T]
}

// scratch is the memory of steps on the host.
type scratch[T operators.Number] struct {
	own   []share
	parts []T // what tiles reduce to, in order, so that sums of floats are always the same
}

// share is what one worker has to itself.
type share struct {
	ids [tileMost]uint32
	_   [64]byte
}

// Host visits in tiles.
func (s *each[T]) Host(x *step.Env) error {
	return step.OnHost(s.f, step.Vertices, x, s.use(), func() error { return s.onHost(x) })
}

func (s *each[T]) onHost(x *step.Env) error {
	from, err := s.from(x)
	if err != nil {
		return err
	}
	hs, err := host.StreamOf(x.Stream)
	if err != nil {
		return fmt.Errorf("foreach: %w", err)
	}
	if err := hs.Err(); err != nil {
		return err
	}
	j := &s.job
	j.s, j.f, j.level, j.queue, j.n = hs, s.f, x.Level, nil, x.Placed.NumVertices()
	if s.into != nil {
		j.how = operators.Reduction(s.into.How())
	}
	if from != nil {
		j.queue = from.Queue()
		j.n = len(j.queue)
	}
	j.scratch = step.Scratch[scratch[T]](x)
	if len(j.own) != hs.Workers() {
		j.own = make([]share, hs.Workers())
	}
	j.tile = tileMost
	for j.tile > tileLeast && j.n < tiles*j.tile {
		j.tile /= 2
	}
	count := (j.n + j.tile - 1) / j.tile
	j.parts = slices.Grow(j.parts[:0], count)[:count]
	j.next.Store(0)
	if j.alone = j.n <= aloneVertices || hs.Workers() == 1; j.alone {
		j.Run(0)
	} else {
		hs.RunOn(min(count, j.n/shareVertices), j)
	}
	if err := hs.Err(); err != nil {
		j.f, j.queue, j.s, j.scratch = nil, nil, nil, nil
		return err
	}
	total := operators.Identity[T](j.how)
	for _, x := range j.parts {
		total = operators.Join(j.how, total, x)
	}
	j.f, j.queue, j.s, j.scratch = nil, nil, nil, nil
	if s.into != nil {
		return s.into.Set(total)
	}
	return nil
}

// Run is the share of one worker.
func (j *eachHost[T]) Run(worker int) {
	l := &j.own[worker]
	w := operators.Worker{ID: worker, Alone: j.alone, Level: j.level}
	for !j.s.Stopped() {
		lo := int(j.next.Add(int64(j.tile))) - j.tile
		if lo >= j.n {
			return
		}
		hi := min(lo+j.tile, j.n)
		vs := l.ids[:hi-lo]
		if j.queue != nil {
			vs = j.queue[lo:hi]
		} else {
			for i := range vs {
				vs[i] = uint32(lo + i)
			}
		}
		j.parts[lo/j.tile] = j.f.Visit(w, vs)
	}
}

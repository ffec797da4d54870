// This file holds InByWeight, the least value over in-edges by rising weight.

package reduce

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// Within says when an InByWeight is done with a row: at the first edge of weight w where w + Least
// isn't less than the least value so far, or than Key of the vertex. A GPU may look at a few edges more.
type Within struct {
	// Key has an entry per vertex, on the device of the graph. The functor may lower entries, by
	// package atomics.
	Key   *device.Buffer[float32]
	Least float32
	// LeastOf, if not nil, is a scalar that supplies this value instead of Least, before the step. It
	// may be the scalar that the step reduces into: then it has the value of the last run.
	LeastOf *operators.Scalar[float64]
}

// InByWeight is In for a functor that reduces by the minimum, and whose value of an edge is at
// least its weight plus w.Least, where it counts. The rows of in-edges must ascend by weight: a
// row is gone through from its lightest edge on, and no further than a lower value may come.
// That a graph's rows do so is looked at once per placed graph; else it is graph.ErrOptions.
//
// On a GPU the functor must be one that is written in Go.
func InByWeight[V operators.Number](f Functor[float32, V], w Within, into *operators.Scalar[V]) operators.Step {
	return &within[V]{gather: gather[float32, V]{f: f, into: (*link.Scalar[V])(into), in: true}, w: w}
}

type within[V operators.Number] struct {
	gather[float32, V]
	w   Within
	job withinHost[V]
}

func (*within[V]) Name() string { return "reduce within" }

// op is the operation on a GPU.
func (s *within[V]) op(kept *step.Codes, p *graph.Placed) (step.Op, *step.Code, error) {
	if err := s.check(p, true); err != nil {
		return step.Op{}, nil, err
	}
	op, code, err := s.gather.op(kept, p)
	if err != nil {
		return op, nil, err
	}
	if code.Generated == nil {
		return op, nil, fmt.Errorf("reduce: within: %w: the functor %T isn't written in Go", device.ErrNotSupported, s.f)
	}
	least, err := step.ArgsOf((*link.Scalar[float64])(s.w.LeastOf), p.Device())
	if err != nil {
		return op, nil, fmt.Errorf("reduce: within: %w", err)
	}
	weights, err := p.InWeights()
	if err != nil {
		return op, nil, fmt.Errorf("reduce: within: %w", err)
	}
	op.Code = step.OpLightest
	op.Words = [step.FieldWords]uint64{uint64(weights.Pointer()), uint64(s.w.Key.Pointer()), least.Value, math.Float64bits(float64(s.w.Least))}
	return op, code, nil
}

// GPU launches the kernel.
func (s *within[V]) GPU(x *step.Env) error {
	op, code, err := s.op(&x.Codes, x.Placed)
	if err != nil {
		return err
	}
	from, err := s.from(x)
	if err != nil {
		return err
	}
	l, err := step.Launches(x)
	if err != nil {
		return err
	}
	return code.Launched(x, l.Launch(&step.Operation{Code: code, Light: true, Op: op, From: from, Level: x.Level, Blocks: link.MaxBlocks}))
}

// Compile appends the step to a program.
func (s *within[V]) Compile(p *step.Program) error {
	op, code, err := s.op(p.Codes, p.Placed)
	if err != nil {
		return err
	}
	p.Light = true
	return p.Add(code, op)
}

// check gets whether the graph is on a GPU.
func (s *within[V]) check(p *graph.Placed, remote bool) error {
	if err := s.gather.check(p); err != nil {
		return err
	}
	if err := link.CheckBuffer("Key", s.w.Key, remote); err != nil {
		return fmt.Errorf("reduce: within: %w", err)
	}
	if s.w.Key.Len() < p.NumVertices() {
		return fmt.Errorf("%w: within: Key has fewer entries than the graph has vertices", errFunctor)
	}
	_, err := placed.LoadOrMake(p.State(), placed.Ascending(1), func() (bool, error) {
		if err := p.Graph().Fetch(); err != nil {
			return false, err
		}
		c := p.Graph().In()
		if c.Weights == nil && c.NumEdges() > 0 {
			return false, fmt.Errorf("reduce: within: %w: load the graph with arrow.Options.Weight, or build it with graph.Options.Weights", graph.ErrNoWeights)
		}
		for v := range c.NumVertices() {
			for e := c.Offsets[v] + 1; e < c.Offsets[v+1]; e++ {
				if !(c.Weights[e-1] <= c.Weights[e]) {
					return false, fmt.Errorf("reduce: within: %w: the weights of row %d don't ascend; sort the rows, or use In", graph.ErrOptions, v)
				}
			}
		}
		return true, nil
	})
	return err
}

// Host reduces in tiles of vertices.
func (s *within[V]) Host(x *step.Env) error {
	if err := s.check(x.Placed, false); err != nil {
		return err
	}
	u := link.Use{In: true}
	if s.into != nil {
		u.How, u.Into = s.into.How(), s.into
	}
	return step.OnHost(s.f, step.Gathers, x, u, func() error { return s.onHost(x) })
}

func (s *within[V]) onHost(x *step.Env) error {
	from, err := s.from(x)
	if err != nil {
		return err
	}
	hs, err := host.StreamOf(x.Stream)
	if err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	if err := hs.Err(); err != nil {
		return err
	}
	j := &s.job
	w := s.w
	if w.LeastOf != nil {
		least, err := (*link.Scalar[float64])(w.LeastOf).Get()
		if err != nil {
			return fmt.Errorf("reduce: within: %w", err)
		}
		w.Least = float32(least)
	}
	j.s, j.f, j.w, j.level, j.csr, j.queue, j.n = hs, s.f, w, x.Level, x.Placed.Graph().In(), nil, x.Placed.NumVertices()
	defer func() { j.s, j.f, j.csr, j.queue = nil, nil, nil, nil }()
	if from != nil {
		j.queue = from.Queue()
		j.n = len(j.queue)
	}
	how := operators.Sum
	if s.into != nil {
		how = operators.Reduction(s.into.How())
	}
	j.how = how
	if len(j.own) != hs.Workers() {
		j.own = make([]withinShare[V], hs.Workers())
	}
	for i := range j.own {
		j.own[i].value, j.own[i].edges = operators.Identity[V](how), 0
	}
	j.bad.Store(nil)
	j.next.Store(0)
	if j.alone = hs.Workers() == 1 || j.n <= tileRows; j.alone {
		j.Run(0)
	} else {
		hs.Run(j)
	}
	if err := j.bad.Load(); err != nil {
		return *err
	}
	if err := hs.Err(); err != nil {
		return err
	}
	total := operators.Identity[V](how)
	for i := range j.own {
		x.Edges += j.own[i].edges
		total = operators.Join(how, total, j.own[i].value)
	}
	if s.into != nil {
		return s.into.Set(total)
	}
	return nil
}

// withinHost is one InByWeight. It is a host.Job.
type withinHost[V operators.Number] struct {
	s     *host.Stream
	f     Functor[float32, V]
	w     Within
	csr   *graph.CSR
	n     int
	queue []uint32 // nil: all vertices
	level int32
	alone bool
	how   operators.Reduction
	next  atomic.Int64
	own   []withinShare[V]
	bad   atomic.Pointer[error]
}

// withinShare is what one worker has to itself.
type withinShare[V any] struct {
	ids    [tileRows]uint32
	totals [tileRows]float32
	row    [1]operators.Row
	value  V
	edges  uint64
	_      [64]byte
}

// Run is the share of one worker.
func (j *withinHost[V]) Run(worker int) {
	w := operators.Worker{ID: worker, Alone: j.alone, Level: j.level}
	for !j.s.Stopped() && j.bad.Load() == nil {
		lo := int(j.next.Add(tileRows)) - tileRows
		if lo >= j.n {
			return
		}
		j.tile(w, lo, min(lo+tileRows, j.n))
	}
}

// tile reduces the rows of some vertices, and applies the totals of those that have edges to look
// at.
func (j *withinHost[V]) tile(w operators.Worker, lo, hi int) {
	l, c, keys := &j.own[w.ID], j.csr, j.w.Key.Host()
	k, rows := 0, &l.row
	for i := lo; i < hi; i++ {
		v := uint32(i)
		if j.queue != nil {
			if v = j.queue[i]; int(v)+1 >= len(c.Offsets) {
				err := fmt.Errorf("reduce: input frontier: %w: vertex %d of %d; a functor or caller wrote it there", graph.ErrNoVertex, v, len(c.Offsets)-1)
				j.bad.CompareAndSwap(nil, &err)
				return
			}
		}
		best := math.Float32frombits(atomic.LoadUint32((*uint32)(unsafe.Pointer(&keys[v]))))
		total := float32(math.Inf(1))
		first, last := c.Offsets[v], c.Offsets[v+1]
		looked := false
		for n := uint64(firstEdges); first < last; n = min(2*n, mostEdges) {
			row := c.Weights[first:min(first+n, last)]
			d := 0
			for d < len(row) && row[d]+j.w.Least < best {
				d++
			}
			if d == 0 {
				break
			}
			rows[0] = operators.Row{First: first, Source: v, Len: uint32(d)}
			j.f.Gather(w, rows[:], c.Targets, l.totals[k:k+1])
			looked = true
			l.edges += uint64(d)
			total = j.f.Join(total, l.totals[k])
			if best = min(best, total); d < len(row) {
				break
			}
			first += uint64(d)
		}
		if looked {
			l.ids[k], l.totals[k] = v, total
			k++
		}
	}
	if k > 0 {
		l.value = operators.Join(j.how, l.value, j.f.Apply(w, l.ids[:k], l.totals[:k]))
	}
}

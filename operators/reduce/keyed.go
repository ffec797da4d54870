// This file holds the keyed reduce: totals per key over each vertex's edges.

package reduce

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
)

// NoKey is the key of an edge that a keyed reduce skips, and the key that Apply gets, with the score
// -Inf, for a vertex that has no key to choose.
const NoKey = ^uint32(0)

// KeyFunctor is a functor with Key, Gather and Apply, and perhaps Score, which foray generate makes for all devices. T is a
// value per edge and the total per key, V what Apply brings to a scalar.
type KeyFunctor[T device.Elem, V operators.Number] interface {
	// Keys and Values set out to the keys and the values of the rows' edges, one after the other.
	Keys(w operators.Worker, rows []operators.Row, targets, out []uint32)
	Values(w operators.Worker, rows []operators.Row, targets []uint32, out []T)
	// ApplyKeys applies the totals of pairs of a vertex and a key, or, of a functor with Score, the score of each vertex's
	// chosen key. It returns what they reduce to, in the scalar's way.
	ApplyKeys(w operators.Worker, vs, keys []uint32, totals []T, scores []float64) V
}

// scorer is a KeyFunctor with Score: of each vertex's keys, the one with the greatest score is applied.
type scorer[T device.Elem] interface {
	Scores(w operators.Worker, vs, keys []uint32, totals []T, scores []float64)
}

// InByKey returns the step that totals, for each vertex of the frontier, the values of its in-edges by key. Self-loops
// are edges of the row like others, and so is each of several parallel edges; an edge with the key NoKey is
// skipped, and Gather doesn't fault there. Values are added in the order of the row's edges, so that totals of floats have the same bits on every
// device and for any number of workers.
//
// A functor with Score gets the score of each key, and Apply once per vertex, with the key of the greatest score: the
// least such key in a tie. A score that is NaN isn't chosen. A vertex without a key to choose gets NoKey and -Inf.
// A functor without Score gets Apply for each pair of a vertex and a key, in no particular order, and none for a vertex
// without edges. What Apply returns is reduced into the scalar, which may be nil.
//
// The frontier stays as it is. Graphs need their reverse: graph.ErrNoReverse. On a GPU the step launches separate
// kernels; a Repeat with it runs level by level.
func InByKey[T device.Elem, V operators.Number](f KeyFunctor[T, V], into *operators.Scalar[V]) operators.Step {
	return &byKey[T, V]{f: f, into: (*link.Scalar[V])(into), in: true}
}

// OutByKey is InByKey over the out-edges.
func OutByKey[T device.Elem, V operators.Number](f KeyFunctor[T, V], into *operators.Scalar[V]) operators.Step {
	return &byKey[T, V]{f: f, into: (*link.Scalar[V])(into)}
}

type byKey[T device.Elem, V operators.Number] struct {
	f    KeyFunctor[T, V]
	into *link.Scalar[V]
	in   bool
	job  keyedHost[T, V]
}

func (*byKey[T, V]) Name() string { return "reduce by key" }

// Compile says that the persistent engine doesn't have it.
func (*byKey[T, V]) Compile(*step.Program) error {
	return fmt.Errorf("%w: a reduce by key is kernels of its own", step.ErrNotCompiled)
}

func (s *byKey[T, V]) check(p *graph.Placed) error {
	if s.f == nil {
		return fmt.Errorf("%w: the functor is nil", errFunctor)
	}
	if _, ok := link.Of(s.f); !ok {
		return fmt.Errorf("%w: %T: a reduce by key takes functors that foray generate made", errFunctor, s.f)
	}
	if s.in && !p.Graph().HasReverse() {
		return fmt.Errorf("reduce: %w: build the graph with its reverse, or reduce over the out-edges", graph.ErrNoReverse)
	}
	_, chooses := s.f.(scorer[T])
	if _, float := any(*new(V)).(float64); float && !chooses && s.into != nil && operators.Reduction(s.into.How()) == operators.Sum {
		return fmt.Errorf("reduce: %w: Apply is called in no particular order for keys, on which a sum of float64 depends; return an integer, or reduce by Min or Max", graph.ErrOptions)
	}
	return nil
}

// rows are those that are gone through.
func (s *byKey[T, V]) rows(p *graph.Placed) *graph.CSR {
	if s.in {
		return p.Graph().In()
	}
	return p.Graph().Out()
}

// from checks the step, and returns the vertices whose edges it reduces over: a queue, or nil for all.
func (s *byKey[T, V]) from(x *step.Env) (*frontier.Frontier, error) {
	if err := s.check(x.Placed); err != nil {
		return nil, err
	}
	if x.Cur.Form() == frontier.All {
		x.Edges += x.Placed.Graph().NumDirectedEdges()
		return nil, nil
	}
	return x.Cur, x.Cur.List(x.Stream)
}

func (s *byKey[T, V]) use() link.Use {
	u := link.Use{In: s.in}
	if s.into != nil {
		u.How, u.Into = s.into.How(), s.into
	}
	return u
}

// This file holds Triangles, the step of a traversal.

package intersect

import (
	"fmt"
	"reflect"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
)

// TriangleFunctor is what happens at triangles. It is written in Go (foray generate), as a method Common.
type TriangleFunctor interface {
	// VisitTriangles calls Common for the triangles of edges of one vertex: targets[i] is the head of edge firstEdge+i out
	// of source. Tiles come on several workers at once.
	VisitTriangles(w operators.Worker, source uint32, firstEdge uint64, targets []uint32)
}

// Triangles returns the step that calls the functor's method Common for triangles, whatever the frontier is, which stays
// as it is. A triangle has three different vertices A, B and C, and an edge from A to B, from A to C and from B to C:
//
//   - In an undirected graph A > B > C, by the vertices' own numbers, so that each triangle comes once.
//   - In a directed graph each edge from A to B comes with every common out-neighbor C. Cycles of three edges have no such
//     vertex.
//   - Each combination of parallel edges is a separate triangle.
//
// Triangles of one edge from A to B come in ascending order of C. A Common that returns bool ends them with false. If the
// functor has a method Edge that returns bool, only triangles of three edges come for which it returns true.
//
// The errors of the step are graph.ErrMalformed for a graph whose rows don't ascend, operators.ErrFunctor for no functor
// of foray generate, and device.ErrNotSupported on several GPUs.
func Triangles(f TriangleFunctor) operators.Step {
	s := &triangles{f: f}
	if m, ok := link.Of(f); ok {
		s.visits = advance.VisitAll(&cornerVisitor{m, f}).(step.Step)
	}
	return s
}

// triangles visits all edges: Common is compiled to a loop over the common neighbors of an edge's ends.
type triangles struct {
	f      TriangleFunctor
	visits step.Step // nil: the functor isn't generated
}

// cornerVisitor is a functor of triangles as a visit takes it.
type cornerVisitor struct {
	link.Functor
	f TriangleFunctor
}

func (v *cornerVisitor) Visit(w operators.Worker, source uint32, firstEdge uint64, targets []uint32) {
	v.f.VisitTriangles(w, source, firstEdge, targets)
}

func (s *triangles) Name() string { return "triangles" }

func (s *triangles) check(p *graph.Placed) error {
	if v := reflect.ValueOf(s.f); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("%w: the functor of Triangles is nil", errFunctor)
	}
	if m, ok := link.Of(s.f); !ok || !m.Code().Corners {
		return fmt.Errorf("%w: the functor %T of Triangles isn't written in Go for foray generate, with a method Common", errFunctor, s.f)
	}
	return checkRows(p)
}

// Host calls Common on a team of goroutines.
func (s *triangles) Host(x *step.Env) error {
	if err := s.check(x.Placed); err != nil {
		return err
	}
	return s.visits.Host(x)
}

// GPU launches the kernel of a strategy of visits.
func (s *triangles) GPU(x *step.Env) error {
	if err := s.check(x.Placed); err != nil {
		return err
	}
	return s.visits.GPU(x)
}

// Compile appends the step to a program.
func (s *triangles) Compile(p *step.Program) error {
	if err := s.check(p.Placed); err != nil {
		return err
	}
	return s.visits.Compile(p)
}

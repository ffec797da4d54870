// This file runs functors of pushes with two piles. The one target is due now, later, or never.

package steps

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// near reports a functor of a push with two piles.
func near(f *ir.Functor) bool { return f.Method(ir.Edge) != nil && f.Method(ir.Vertex) != nil }

// ended is the result of such a step: the stage, and how many vertices are due at it.
func ended(stage uint32, due int) uint64 { return uint64(stage)<<32 | uint64(due) }

// expectNear calls the methods as a push and a refill would. It leaves open how often the refill calls Vertex.
// It expects no refill if Vertex writes data, or returns a stage that isn't allowed.
func expectNear(self any, c *functorfuzz.Case, call functorfuzz.Call) (want expected, faulted string) {
	call.Method = c.Functor.Method(ir.Edge)
	pushed := functorfuzz.Invoke(self, c, call)
	want = expected{t: ir.Uint64, bits: ended(0, 0), slices: pushed.Slices}
	switch {
	case pushed.Panic != "" || pushed.Result == uint64(pile.Never):
		return want, pushed.Panic
	case pushed.Result == 0:
		want.bits = ended(0, 1)
		return want, ""
	}
	call.Method = c.Functor.Method(ir.Vertex)
	asked := functorfuzz.Invoke(self, c, call)
	switch {
	case !slices.EqualFunc(asked.Slices, pushed.Slices, slices.Equal[[]uint64]):
		return want, ""
	case asked.Panic != "":
		return expected{asked: true}, asked.Panic
	case asked.Result > pushed.Result:
		return want, "" // a vertex in a pile may become due earlier, not later
	}
	want.asked = true
	if due := uint32(asked.Result); due != 0 && due != pile.Never {
		want.bits = ended(due, 1)
	}
	return want, ""
}

// runNear runs such a functor, and a refill if asked.
func runNear(f any, x *traverse.Traversal, cur *traverse.Frontier, do func(...operators.Step), asked bool) (uint64, error) {
	g, ok := f.(interface {
		advance.Sorter
		pile.Functor
	})
	if !ok {
		return 0, fmt.Errorf("no operator for %T", f)
	}
	far := x.Pile()
	steps := []operators.Step{advance.PushNear(g, far)}
	if asked {
		steps = append(steps, pile.Refill(far, g))
	}
	do(steps...)
	n := cur.Len()
	if err := x.Sync(); err != nil { // the stage may be set after the length
		return 0, err
	}
	stage, err := far.Stage()
	return ended(stage, n), err
}

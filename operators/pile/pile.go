// Package pile holds the far pile of a traversal: vertices to expand in a later stage (Davidson,
// Baxter, Garland, Owens, IPDPS 2014, "near-far"). Shortest paths use it to expand near vertices
// first, and k-core to peel level by level.
//
//	far := t.Pile()
//	t.Repeat(t.From(source), advance.PushNear(relax, far), pile.Refill(far, due))
//
// The guide is [docs/operators/piles.md].
//
// Stages are numbers, 0 at first. advance.PushNear turns the targets due at the current stage or
// earlier into the frontier, and puts later ones into the pile; each vertex is in the frontier
// once, and in the pile once. When the frontier is empty, Refill advances to the earliest stage
// at which a vertex of the pile is due, and the vertices due then become the frontier.
//
// If a vertex of the pile became due at an earlier stage, because its key changed, it was in the
// frontier then: Refill drops it.
//
// The steps of a Repeat have one pile. They run on the host, on a GPU level by level, and in one
// kernel.
//
// [docs/operators/piles.md]: https://github.com/foray-graph/foray/blob/main/docs/operators/piles.md
package pile

import (
	"math"

	"github.com/foray-graph/foray/internal/engine/farpile"
)

// Never is the stage of a vertex that is dropped, the largest number.
const Never = math.MaxUint32

// Pile is vertices that are due later. traverse.Traversal.Pile makes one. It belongs to the traversal.
type Pile farpile.Pile

// Stage returns the stage that the traversal is at. On a GPU steps that change it must have
// ended. For nil the error is graph.ErrOptions.
func (x *Pile) Stage() (uint32, error) { return (*farpile.Pile)(x).Stage() }

// Len returns how many vertices are in the pile. On a GPU steps that change it must have
// ended. For nil the error is graph.ErrOptions.
func (x *Pile) Len() (int, error) { return (*farpile.Pile)(x).Len() }

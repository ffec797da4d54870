package advance_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
)

// TestPushLevel compares with the naive definition: Push of all vertices at
// the level, the output counted.
func TestPushLevel(t *testing.T) {
	for _, c := range testgraph.All() {
		t.Run(c.Name, func(t *testing.T) {
			g := c.Graph(4)
			n := g.NumVertices()
			r := rand.New(rand.NewPCG(8, uint64(n)))
			for _, workers := range workerCounts() {
				b := newBench(t, g, workers)
				for _, of := range []int{1, 7, 400} { // levels; level 0 is pushed
					levels := make([]int32, n)
					var vs []uint32
					for v := range levels {
						if levels[v] = int32(r.IntN(of)) - int32(of)/2; levels[v] == 0 {
							vs = append(vs, uint32(v))
						}
					}
					what := fmt.Sprintf("%d workers, %d levels", workers, of)
					plain, rows, ell4 := newVisitor(b, 90), &rowsVisitor{visitor: newVisitor(b, 90)}, newEll4Visitor(b, 90)
					for kind, f := range map[*visitor]advance.Functor{plain: advance.Func(plain.Visit), rows.visitor: rows, ell4.visitor: ell4} {
						edges, count, err := b.a.PushLevel(device.Wrap(levels), 0, nil, f)
						must(t, err)
						kind.check(t, what, vs)
						want := len(kind.emitted(vs))
						if kind == ell4.visitor { // self-loops it turns down
							want = 0
							for _, v := range vs {
								for _, t := range g.Out().Neighbors(v) {
									if t != v && hash(v, t) < 90 {
										want++
									}
								}
							}
						}
						if edges != degrees(g, vs) || count != want {
							t.Fatalf("%s: %d edges and %d let through, want %d and %d", what, edges, count, degrees(g, vs), want)
						}
					}
				}
			}
		})
	}
}

// TestPushLevelWhileWritten claims in the array that is read.
func TestPushLevelWhileWritten(t *testing.T) {
	g := testgraph.ByName("uniform-undirected").Graph(4)
	for _, workers := range workerCounts() {
		b := newBench(t, g, workers)
		levels := make([]int32, g.NumVertices())
		for v := range levels {
			levels[v] = -1
		}
		levels[17] = 0
		want := make([]int32, len(levels))
		copy(want, levels)
		for level := int32(0); ; level++ {
			_, count, err := b.a.PushLevel(device.Wrap(levels), level, nil, advance.Func(
				func(_ operators.Worker, _ uint32, _ uint64, targets, out []uint32) int {
					k := 0
					for _, v := range targets {
						if atomic.CompareAndSwapInt32(&levels[v], -1, level+1) {
							out[k] = v
							k++
						}
					}
					return k
				}))
			must(t, err)
			next := 0
			for u := range want {
				if want[u] != level {
					continue
				}
				for _, v := range g.Out().Neighbors(uint32(u)) {
					if want[v] < 0 {
						want[v] = level + 1
						next++
					}
				}
			}
			if count != next || !slices.Equal(levels, want) {
				t.Fatalf("%d workers, level %d: %d, want %d", workers, level, count, next)
			}
			if next == 0 {
				break
			}
		}
	}
}

func TestPushLevelErrors(t *testing.T) {
	b := newBench(t, testgraph.ByName("path").Graph(1), 2)
	for _, n := range []int{0, 1499, 1501} {
		_, _, err := b.a.PushLevel(device.Wrap(make([]int32, n)), 0, nil, &nothing{})
		if !errors.Is(err, graph.ErrMalformed) || !strings.Contains(err.Error(), fmt.Sprint(n)) {
			t.Errorf("%d levels for 1500 vertices: %v", n, err)
		}
	}
}

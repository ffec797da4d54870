// This file holds searches of few edges a level on the host, such as those of paths and trees: one
// goroutine takes less time for all of the way than steps take to begin their levels.

package bc

import (
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/traverse"
)

// narrow is the step that adds the dependencies of a source to the scores if no level has many edges.
// It ignores the frontier. On a GPU it does nothing.
type narrow struct {
	sum    *device.Buffer[float64]
	source uint32
	done   bool // the last source's dependencies were added
}

// add adds the dependencies of the source, if it can. at is any frontier, by is s.
func (s *narrow) add(t *traverse.Traversal, at *traverse.Frontier, by []operators.Step) bool {
	s.done = false
	t.Do(at, by...)
	return s.done
}

// Name is what errors call the step.
func (*narrow) Name() string { return "narrow search" }

// GPU leaves the source to the steps.
func (*narrow) GPU(*step.Env) error { return nil }

// Compile has the steps of a source be run one by one.
func (*narrow) Compile(*step.Program) error { return step.ErrNotCompiled }

// Host searches from the source, and gives up at the first level with many edges.
func (s *narrow) Host(x *step.Env) error {
	hs, err := host.StreamOf(x.Stream)
	if err != nil {
		return err
	}
	rows := x.Placed.Graph().Out()
	b, err := step.Tool(x, "bc.narrow", func() (*brandes, error) { return newBrandes(rows.NumVertices()), nil })
	if err != nil {
		return err
	}
	if err := hs.Err(); err != nil {
		return err
	}
	if b.lost > b.gained/narrowShare+narrowTries {
		return nil
	}
	ended := b.forwards(rows, s.source, hs)
	edges := uint64(b.edges)
	if !ended {
		b.lost += edges
		return hs.Err()
	}
	b.gained += edges
	b.backwards(rows, s.sum.Host(), hs)
	if err := hs.Err(); err != nil {
		return err
	}
	s.done = true
	x.Went(len(b.levels), b.levels[len(b.levels)-1].end, edges)
	return nil
}

// brandes is the memory of narrow searches. Nothing is cleared between sources: marks only grow.
type brandes struct {
	first  uint32    // the mark of the source; earlier searches have smaller marks
	mark   []uint32  // of every vertex: when it was found
	count  []float64 // of shortest paths to it, in units of its level
	share  []float64 // what a path to it brings to those before it, in units of the level above
	order  []uint32  // the vertices that were found
	levels []narrowLevel
	edges  int // that the search looked at

	gained, lost uint64 // edges of searches that ended, and of those that were given up
}

// narrowLevel is a level of a search.
type narrowLevel struct {
	end  int     // of its vertices in order
	unit float64 // of counts in the level above, in units of this level's
}

func newBrandes(n int) *brandes {
	return &brandes{mark: make([]uint32, n), count: make([]float64, n), share: make([]float64, n), order: make([]uint32, n)}
}

// begin forgets the search before.
func (b *brandes) begin(source uint32) {
	if last := uint64(b.first) + uint64(len(b.levels)) + 1; last+uint64(len(b.mark)) < math.MaxUint32 {
		b.first = uint32(last)
	} else {
		clear(b.mark)
		b.first = 1
	}
	b.mark[source], b.count[source], b.order[0] = b.first, 1, source
	b.levels = append(b.levels[:0], narrowLevel{end: 1, unit: 1})
	b.edges = 0
}

// forwards finds the levels from a source on, and counts paths. It reports whether it got to the end:
// not where a level has many edges, nor where counts differ too much.
func (b *brandes) forwards(rows *graph.CSR, source uint32, hs *host.Stream) bool {
	b.begin(source)
	mark, count, order, offsets, targets := b.mark, b.count, b.order, rows.Offsets, rows.Targets
	most := 1.0 // no count of the level is larger
	for from, to, first := 0, 1, b.first; from < to; {
		next, end, edges := first+uint32(len(b.levels)), to, 0
		for _, v := range order[from:to] {
			row := targets[offsets[v]:offsets[v+1]]
			if edges += len(row); edges > tuning.NarrowEdges {
				b.edges += edges
				return false
			}
			n := count[v]
			for _, w := range row {
				switch m := mark[w]; {
				case m < first:
					mark[w], count[w], order[end] = next, n, w
					end++
				case m == next:
					count[w] += n
				}
			}
		}
		b.edges += edges
		from, to = to, end
		if from == to {
			break
		}
		unit := 1.0
		if most *= float64(edges); most > narrowCount {
			if unit, most = b.rescale(order[from:to]); unit == 0 {
				return false
			}
		}
		b.levels = append(b.levels, narrowLevel{end, unit})
		if len(b.levels)%narrowLook == 0 && hs.Stopped() {
			return false
		}
	}
	return true
}

// rescale makes the counts of a level small if they are large. It returns the unit of the level above
// and the largest count, or zero where counts differ so much that they don't fit.
func (b *brandes) rescale(level []uint32) (unit, most float64) {
	least := math.Inf(1)
	for _, v := range level {
		most, least = max(most, b.count[v]), min(least, b.count[v])
	}
	if most < narrowRescale {
		return 1, most
	}
	unit = power(-exponent(most))
	if least*unit < 1/narrowCount {
		return 0, 0
	}
	for _, v := range level {
		b.count[v] *= unit
	}
	return unit, most * unit
}

// backwards adds up the dependencies from the last level to the source.
func (b *brandes) backwards(rows *graph.CSR, score []float64, hs *host.Stream) {
	mark, count, share, offsets, targets := b.mark, b.count, b.share, rows.Offsets, rows.Targets
	below, unit := b.first+uint32(len(b.levels)), 1.0
	for i := len(b.levels) - 1; i > 0; i-- {
		level := b.order[b.levels[i-1].end:b.levels[i].end]
		for _, v := range level {
			total := 0.0
			for _, w := range targets[offsets[v]:offsets[v+1]] {
				if mark[w] == below {
					total += share[w]
				}
			}
			n := count[v]
			dependency := n * total
			score[v] += dependency
			share[v] = (1 + dependency) / n
		}
		if unit = b.levels[i].unit; unit != 1 {
			for _, v := range level {
				share[v] *= unit
			}
		}
		below--
		if i%narrowLook == 0 && hs.Stopped() {
			return
		}
	}
}

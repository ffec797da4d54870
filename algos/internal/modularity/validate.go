// This file holds Validate.

package modularity

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
)

// Validate checks a result; connected says that communities have to be connected.
func Validate(g *graph.Graph, r *Result, o Options, connected bool) error {
	if err := g.Fetch(); err != nil {
		return err
	}
	label, err := labelsOf(g, r.Community, "communities")
	if err != nil {
		return err
	}
	count, err := contiguous(label)
	if err != nil {
		return err
	}
	if count != r.Communities {
		return fmt.Errorf("there are %d communities, not %d", count, r.Communities)
	}
	if m := oracle.Modularity(g, label, o.Resolve().Resolution, o.Weighted); !(math.Abs(m-r.Modularity) <= valueTolerance*(1+o.Resolve().Resolution)) {
		return fmt.Errorf("the modularity is %v, not %v", m, r.Modularity)
	}
	if connected {
		if v, w, split := oracle.Apart(g, label, o.Weighted); split {
			return fmt.Errorf("community %d isn't connected: no path within it joins the vertices %d and %d", label[v], v, w)
		}
	}
	if o.Levels == (len(r.Levels) == 0) && g.NumVertices() > 0 {
		return fmt.Errorf("there are %d levels", len(r.Levels))
	}
	finer := []uint32(nil)
	for i, l := range r.Levels {
		level, err := labelsOf(g, l, fmt.Sprintf("labels of level %d", i+1))
		if err != nil {
			return err
		}
		if _, err := contiguous(level); err != nil {
			return fmt.Errorf("level %d: %w", i+1, err)
		}
		if v, ok := coarser(finer, level); !ok {
			return fmt.Errorf("level %d divides the community of vertex %d of the level before", i+1, v)
		}
		finer = level
	}
	if len(r.Levels) > 0 {
		if v, ok := coarser(label, finer); !ok {
			return fmt.Errorf("the last level and the communities differ at vertex %d", v)
		}
		if v, ok := coarser(finer, label); !ok {
			return fmt.Errorf("the communities divide the one of vertex %d of the last level", v)
		}
	}
	return nil
}

func labelsOf(g *graph.Graph, values interface{ Slice() ([]uint32, error) }, what string) ([]uint32, error) {
	label, err := values.Slice()
	if err == nil && len(label) != g.NumVertices() {
		err = fmt.Errorf("%d %s, the graph has %d vertices", len(label), what, g.NumVertices())
	}
	return label, err
}

// contiguous returns how many labels there are, which have to be from 0 on, without gaps.
func contiguous(label []uint32) (count int, err error) {
	seen := make([]bool, len(label))
	most := -1
	for v, c := range label {
		if int64(c) >= int64(len(label)) {
			return 0, fmt.Errorf("vertex %d has the label %d, of %d vertices", v, c, len(label))
		}
		if most = max(most, int(c)); !seen[c] {
			seen[c] = true
			count++
		}
	}
	if count != most+1 {
		return 0, fmt.Errorf("there are %d labels, and the largest is %d: they aren't contiguous", count, most)
	}
	return count, nil
}

// coarser reports whether vertices with the same finer label have the same one, or a vertex for which that is wrong.
func coarser(finer, label []uint32) (v int, ok bool) {
	if finer == nil {
		return 0, true
	}
	to := make([]uint32, len(finer))
	for i := range to {
		to[i] = none
	}
	for v, f := range finer {
		if to[f] == none {
			to[f] = label[v]
		}
		if to[f] != label[v] {
			return v, false
		}
	}
	return 0, true
}

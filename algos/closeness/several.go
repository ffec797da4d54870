// This file holds what differs on several GPUs, which search by 64 lanes.

package closeness

import (
	"fmt"

	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// several reports whether a graph is dealt out to several GPUs.
func several(p *graph.Placed) bool { return p.Err() == nil && run.Across(p) != nil }

// sums are what vertices add up over all searches.
type sums struct {
	distances *device.Buffer[uint64]
	reached   *device.Buffer[uint32]
	harmonic  *device.Buffer[float64]
}

// adds returns the step that adds the lanes of a level, which depth tells how deep it is.
func (s *sums) adds(t *traverse.Traversal, l *msbfs.Lanes) (add operators.Step, depth func(int)) {
	if several(t.Placed()) {
		f := newAddOne(l.New(), s.distances, s.reached, s.harmonic, 0)
		return foreach.Each(f, nil), func(d int) { f.depth = uint32(d) }
	}
	f := newAdd(l.New(), uint64(l.Words()), s.distances, s.reached, s.harmonic, 0)
	return foreach.Each(f, nil), func(d int) { f.depth = uint32(d) }
}

// narrows returns the step that narrows bounds by the lanes of a level, which depth tells how deep it is.
func narrows(t *traverse.Traversal, l *msbfs.Lanes, least, most, of *device.Buffer[int32]) (narrow operators.Step, depth func(int)) {
	if several(t.Placed()) {
		f := newNarrowOne(l.New(), least, most, of, 0)
		return foreach.Each(f, nil), func(d int) { f.depth = int32(d) }
	}
	f := newNarrow(l.New(), uint64(l.Words()), least, most, of, 0)
	return foreach.Each(f, nil), func(d int) { f.depth = int32(d) }
}

// backwards returns an error where searches against the edges' directions are wanted of several GPUs.
func backwards(p *graph.Placed) error {
	if !several(p) || !p.Graph().Directed() {
		return nil
	}
	return fmt.Errorf("%w: several GPUs (%s) find closeness of all vertices of a directed graph, not of some; take one GPU", device.ErrNotSupported, p.Device().Info().Name)
}

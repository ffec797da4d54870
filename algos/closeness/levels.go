// This file holds the steps that use a level of lanes, for one word of lanes and for more.

package closeness

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/algos/internal/lanes"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// sums are what vertices add up over all searches.
type sums struct {
	distances *device.Buffer[uint64]
	reached   *device.Buffer[uint32]
	harmonic  *device.Buffer[float64]
}

// adds returns the step that adds the lanes of a level, and a function that sets the depth of the level.
func (s *sums) adds(l *lanes.Lanes) (add operators.Step, depth func(int)) {
	if l.Words() == 1 {
		f := newAddOne(l.New(), s.distances, s.reached, s.harmonic, 0)
		return foreach.Each(f, nil), func(d int) { f.depth = uint32(d) }
	}
	f := newAdd(l.New(), uint64(l.Words()), s.distances, s.reached, s.harmonic, 0)
	return foreach.Each(f, nil), func(d int) { f.depth = uint32(d) }
}

// narrows returns the step that narrows bounds by the lanes of a level, and a function that sets the depth of the
// level.
func narrows(l *lanes.Lanes, least, most, of *device.Buffer[int32]) (narrow operators.Step, depth func(int)) {
	if l.Words() == 1 {
		f := newNarrowOne(l.New(), least, most, of, 0)
		return foreach.Each(f, nil), func(d int) { f.depth = int32(d) }
	}
	f := newNarrow(l.New(), uint64(l.Words()), least, most, of, 0)
	return foreach.Each(f, nil), func(d int) { f.depth = int32(d) }
}

// someOverShards is some over the shards of several GPUs, which search along the edges' directions only.
func someOverShards(ctx context.Context, t *traverse.Traversal, o Options) (*Result, error) {
	if p := t.Placed(); p.Graph().Directed() {
		return nil, fmt.Errorf("%w: several GPUs (%s) find closeness of all vertices of a directed graph, not of some; take one GPU", device.ErrNotSupported, p.Device().Info().Name)
	}
	return some(ctx, t, o)
}

// This file holds the two ways to find the most frequent labels.

package lpa

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// labeler finds the most frequent labels.
type labeler interface {
	memory() traverse.Memory
	bytes(p *graph.Placed) uint64 // beside that
	// rounds goes on until no label changes, for so many rounds at most.
	rounds(t *traverse.Traversal, label *device.Buffer[uint32], most int) error
}

// labelerOf chooses by the device: reduce.Mode is the host's.
func labelerOf(p *graph.Placed) labeler {
	if p.Remote() == nil {
		return byRows{}
	}
	return byTables{}
}

// byRows has an operator count the labels of each row.
type byRows struct{}

func (byRows) memory() traverse.Memory    { return traverse.Memory{Arrays: []int{4, 4, 4}} }
func (byRows) bytes(*graph.Placed) uint64 { return 0 }

func (byRows) rounds(t *traverse.Traversal, label *device.Buffer[uint32], most int) error {
	next, changed := traverse.Array[uint32](t, 0), traverse.Scalar[uint64](t, operators.Sum)
	t.Repeat(t.All(), reduce.Mode(label, next, changed), foreach.All(newTake(label, next), nil),
		traverse.Below(changed, 1), traverse.AtMost(most))
	return t.Err()
}

// byTables counts edge by edge in tables, one for each vertex.
type byTables struct{}

func (byTables) memory() traverse.Memory { return traverse.Memory{Arrays: []int{4, 4, 8, 8, 8}} }

func (byTables) bytes(p *graph.Placed) uint64 { return 8 * slots(p.Graph()) }

// slots is how many slots all tables have.
func slots(g *graph.Graph) uint64 {
	if g.Directed() {
		return 4 * g.Out().NumEdges()
	}
	return 2 * g.Out().NumEdges()
}

func (byTables) rounds(t *traverse.Traversal, label *device.Buffer[uint32], most int) (err error) {
	g, dev := t.Placed().Graph(), t.Placed().Device()
	start := make([]uint64, g.NumVertices()+1)
	for v, at := range g.Out().Offsets {
		start[v] = 2 * at
		if g.Directed() {
			start[v] += 2 * g.In().Offsets[v]
		}
	}
	tables := make([]*device.Buffer[uint32], 2)
	starts, err := device.NewBuffer[uint64](dev, len(start))
	defer func() {
		for _, b := range append(tables, nil) {
			b.Free() // fails only where the device does, which the traversal reports
		}
		starts.Free()
	}()
	if err != nil {
		return err
	}
	for i := range tables {
		if tables[i], err = device.NewBuffer[uint32](dev, int(slots(g))); err != nil {
			return fmt.Errorf("tables of labels: %w; run on the host", err)
		}
	}
	if err := starts.Write(dev, 0, start); err != nil {
		return err
	}
	const part = 1 << 20
	free := slices.Repeat([]uint32{none}, int(min(slots(g), part)))
	for at := 0; at < tables[0].Len(); at += part {
		if err := tables[0].Write(dev, at, free[:min(part, tables[0].Len()-at)]); err != nil {
			return err
		}
	}
	keys, count := tables[0], tables[1]
	found, changed := traverse.Array[uint64](t, 0), traverse.Scalar[uint64](t, operators.Sum)
	offsets := traverse.Offsets(t)
	if t.Err() != nil {
		return t.Err()
	}
	steps := []operators.Step{
		advance.VisitAll(newTally(label, starts, keys, count, g.Directed())),
		reduce.Out(newBest(starts, offsets, keys, count, found), nil),
	}
	if g.Directed() {
		steps = append(steps, reduce.In(newBestIn(starts, offsets, keys, count, found), nil))
	}
	t.Repeat(t.All(), append(steps, foreach.All(newSettle(label, found), changed), traverse.Below(changed, 1), traverse.AtMost(most))...)
	traverse.Get(t, changed) // waits, since the tables are freed
	return t.Err()
}

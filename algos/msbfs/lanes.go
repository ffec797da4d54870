// This file holds Lanes, the loop that all searches of many sources are.

package msbfs

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// MostLanes is how many sources are searched from at once.
const MostLanes = laneCount

// Lanes is breadth-first searches from up to MostLanes sources in one traversal. Each source has
// a lane, a bit of the words that every vertex has. Start gives sources their lanes; Next searches
// a level, until it returns false. After each, steps over Frontier see in New which lanes have
// reached a vertex just now.
//
// Errors stick to the traversal. The arrays are the traversal's.
type Lanes struct {
	t               *traverse.Traversal
	cur             *traverse.Frontier
	seen, new, next *device.Buffer[uint64]
	edges, done     *operators.Scalar[uint64]
	any             *operators.Scalar[uint64]
	push            operators.Step
	pull            operators.Step // nil: a directed graph without its reverse
	settle          operators.Step
	active          operators.Step
	puller          *pullFunctor
	settler         *settleFunctor
	all             uint64 // edges of the graph
	full            uint64 // the lanes that search
	pulled          bool   // the last level was
	depth           int32
	reached         uint64 // lanes that reached anything in the last level
	ahead           uint64 // edges out of the frontier
	left            uint64 // with pull, edges into vertices that some lane hasn't seen

	// Of Count.
	blocks            *traverse.Frontier
	counts            *device.Buffer[uint64]
	counted           *operators.Scalar[uint64]
	tally, tallyBlock operators.Step
	zero, copied      []uint64
}

// Memory is what Lanes hold, for traverse.Algorithm.
var Memory = traverse.Memory{Arrays: []int{8, 8, 8, 8, 8}, Frontiers: 1} // the last two are offsets

// NewLanes returns lanes in the memory of the traversal, which go along the edges of its graph.
// A directed graph without its reverse is searched by pushes alone, which is slower.
func NewLanes(t *traverse.Traversal) (*Lanes, error) {
	l := &Lanes{t: t, cur: t.From()}
	l.seen, l.new, l.next = traverse.Array[uint64](t, 0), traverse.Array[uint64](t, 0), traverse.Array[uint64](t, 0)
	l.edges, l.done = traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Sum)
	l.any = traverse.Scalar[uint64](t, operators.Or)
	out := traverse.Offsets(t)
	if t.Err() != nil {
		return nil, t.Err()
	}
	in := out // without pulls nobody asks how many edges are left
	back, err := t.Placed().Reversed()
	switch {
	case err == nil:
		var sources *device.Buffer[uint32]
		if in, err = back.Offsets(); err == nil {
			sources, err = back.Targets()
		}
		if err != nil {
			return nil, err
		}
		l.puller = newPull(in, sources, l.seen, l.next, 0)
		l.pull = foreach.All(l.puller, nil)
	case !errors.Is(err, graph.ErrNoReverse):
		return nil, err
	}
	l.settler = newSettle(l.seen, l.new, l.next, out, in, 0, l.done, l.any)
	l.settle = foreach.Each(l.settler, l.edges)
	l.push, l.active = advance.Push(newPush(l.seen, l.new, l.next)), filter.Keep(newActive(l.new))
	l.all = t.Placed().Graph().Out().NumEdges()
	return l, nil
}

// Start begins a search from each of the sources, MostLanes at most: lane i is that of source i.
// Searches before are forgotten. A source that the graph doesn't have is graph.ErrNoVertex, too
// many are graph.ErrOptions.
func (l *Lanes) Start(sources []uint32) error {
	t, n := l.t, l.t.Placed().NumVertices()
	if len(sources) > MostLanes {
		return fmt.Errorf("msbfs: %w: %d sources at once; give %d at most", graph.ErrOptions, len(sources), MostLanes)
	}
	lanes := map[uint32]uint64{}
	for i, v := range sources {
		if int64(v) >= int64(n) {
			return fmt.Errorf("msbfs: source %d: %w: vertex %d of %d", i, graph.ErrNoVertex, v, n)
		}
		lanes[v] |= 1 << i
	}
	l.full = 1<<len(sources) - 1 // of 64, all bits
	l.depth, l.reached, l.pulled, l.ahead, l.left = 0, l.full, false, 0, l.all
	t.Fill(l.cur)
	t.Do(l.cur, foreach.All(newForget(l.seen, l.new, l.next), nil))
	t.Replace(l.cur, slices.Collect(maps.Keys(lanes))...)
	for v, bits := range lanes {
		traverse.Set(t, l.next, v, bits)
	}
	if l.puller != nil {
		l.puller.full = l.full
	}
	l.settler.full = l.full
	if len(sources) > 0 {
		l.settled()
	}
	return t.Err()
}

// settled ends a level.
func (l *Lanes) settled() {
	t := l.t
	t.Do(l.cur, l.settle)
	l.reached, l.ahead = traverse.Get(t, l.any), traverse.Get(t, l.edges)
	l.left -= min(traverse.Get(t, l.done), l.left)
}

// Next searches a level further, and reports whether any lane reached a vertex in it.
func (l *Lanes) Next() bool {
	t := l.t
	done := l.pull != nil && l.left == 0 // else nothing says how many edges lead to a vertex
	if l.reached == 0 || l.ahead == 0 || done || !t.Next(l.cur) {
		return false
	}
	pull := l.pull != nil && l.ahead > (l.left+pullVertex*uint64(t.Placed().NumVertices()))/pullFactor
	switch {
	case pull:
		t.Fill(l.cur)
		t.Do(l.cur, l.pull)
	case l.pulled:
		t.Do(l.cur, l.active, l.push)
	default:
		t.Do(l.cur, l.push)
	}
	l.pulled = pull
	l.depth++
	l.settled()
	return l.reached != 0 && t.Err() == nil
}

// Frontier is the vertices that lanes reached in the last level, and possibly others, whose
// entries of New are 0. It must not be changed.
func (l *Lanes) Frontier() *traverse.Frontier { return l.cur }

// New has the lanes that reached a vertex in the last level, of the vertices of Frontier.
func (l *Lanes) New() *device.Buffer[uint64] { return l.new }

// Depth is the last level, which is the distance of what was reached in it: 0 of the sources.
func (l *Lanes) Depth() int { return int(l.depth) }

// Reached are the lanes that reached a vertex in the last level.
func (l *Lanes) Reached() uint64 { return l.reached }

// Count returns how many vertices each lane reached in the last level. It costs a pass over the
// frontier.
func (l *Lanes) Count() ([]uint64, error) {
	t := l.t
	if l.counts == nil {
		n := t.Placed().NumVertices()
		all := make([]uint32, (n+block-1)/block)
		for i := range all {
			all[i] = uint32(i)
		}
		l.blocks = t.From(all...)
		l.counts = traverse.Entries[uint64](t, copies*MostLanes, 0)
		l.counted = traverse.Scalar[uint64](t, operators.Sum)
		l.tally, l.tallyBlock = foreach.Each(newTally(l.new, l.counts), l.counted), foreach.Each(newTallyBlock(l.new, l.counts), l.counted)
		l.zero, l.copied = make([]uint64, copies*MostLanes), make([]uint64, copies*MostLanes)
	}
	if t.Err() != nil {
		return nil, t.Err()
	}
	dev := t.Placed().Device()
	if err := l.counts.Write(dev, 0, l.zero); err != nil {
		return nil, err
	}
	if l.pulled {
		t.Do(l.blocks, l.tallyBlock)
	} else {
		t.Do(l.cur, l.tally)
	}
	traverse.Get(t, l.counted) // waits
	if t.Err() != nil {
		return nil, t.Err()
	}
	if err := l.counts.Read(dev, 0, l.copied); err != nil {
		return nil, err
	}
	sum := make([]uint64, MostLanes)
	for i, n := range l.copied {
		sum[i%MostLanes] += n
	}
	return sum, nil
}

// Err returns the traversal's error.
func (l *Lanes) Err() error { return l.t.Err() }

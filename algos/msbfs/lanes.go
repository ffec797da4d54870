// This file holds Lanes, the loop that all searches of many sources are.

package msbfs

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/lanes"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Lanes is breadth-first searches from many sources in one traversal. Each source has a lane, a
// bit of the words that every vertex has. Start gives sources their lanes; Next searches a level,
// until it returns false. After each, steps over Frontier see in New which lanes have reached a
// vertex just now.
//
// Errors stick to the traversal. The arrays are the traversal's.
type Lanes struct {
	t               *traverse.Traversal
	cur             *traverse.Frontier
	seen, new, next *device.Buffer[uint64]
	edges, done     *operators.Scalar[uint64]
	push            []operators.Step
	pull            operators.Step // nil: a directed graph without its reverse
	level           *lanes.Level   // on a GPU: ends levels, and pulls
	settle, active  operators.Step
	search          func(lanes []uint64) error // those that still search
	any             func() error               // finds reached
	sources         *device.Buffer[uint32]     // of Start
	lanes           *device.Buffer[uint64]
	words           int    // of a vertex
	all             uint64 // edges of the graph
	pulled          bool   // the last level was
	depth           int32
	reached         []uint64 // lanes that reached anything in the last level
	ahead           uint64   // edges out of the frontier
	left            uint64   // with pull, edges into vertices that some lane hasn't seen
	err             error    // of a copy

	results []uint64 // of a level on a GPU

	// Of Count on the host.
	blocks            *traverse.Frontier
	counts            *device.Buffer[uint64]
	counted           *operators.Scalar[uint64]
	tally, tallyBlock operators.Step
	zero, copied      []uint64
}

// Memory returns what so many lanes hold, for traverse.Algorithm.
func Memory(lanes int) traverse.Memory {
	w := 8 * words(lanes)
	return traverse.Memory{Arrays: []int{w, w, w, 8, 8}, Frontiers: 1} // the last two are offsets
}

// words returns how many words there are for that many lanes.
func words(lanes int) int {
	if lanes <= wordLanes {
		return 1
	}
	return (min(lanes, MostLanes) + wordsAtOnce*wordLanes - 1) / (wordsAtOnce * wordLanes) * wordsAtOnce
}

// NewLanes returns lanes in the memory of the traversal, which go along the edges of its graph.
// There are 64, 256 or 512 of them: as many as were asked for, or more. A directed graph without
// its reverse is searched by pushes alone, which is slower. A number below 1 or above MostLanes is
// graph.ErrOptions.
func NewLanes(t *traverse.Traversal, most int) (*Lanes, error) {
	if err := checkLanes(most); err != nil {
		return nil, err
	}
	if n := uint64(t.Placed().NumVertices()); n*uint64(words(most)) > 1<<32 {
		return nil, fmt.Errorf("msbfs: %w: %d lanes for each of %d vertices; search from fewer sources at once", graph.ErrOptions, most, n)
	}
	l := &Lanes{t: t, cur: t.From(), words: words(most)}
	for _, b := range []**device.Buffer[uint64]{&l.seen, &l.new, &l.next} {
		if l.words == 1 {
			*b = traverse.Array[uint64](t, 0)
		} else {
			*b = traverse.Entries[uint64](t, l.words*t.Placed().NumVertices(), 0)
		}
	}
	l.edges, l.done = traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Sum)
	out := traverse.Offsets(t)
	if t.Err() != nil {
		return nil, t.Err()
	}
	in := out // without pulls nobody asks how many edges are left
	var sources *device.Buffer[uint32]
	back, err := t.Placed().Reversed()
	switch {
	case err == nil:
		if in, err = back.Offsets(); err == nil {
			sources, err = back.Targets()
		}
		if err != nil {
			return nil, err
		}
	case !errors.Is(err, graph.ErrNoReverse):
		return nil, err
	}
	l.active = filter.Keep(newActive(l.new, uint64(l.words)))
	l.reached = make([]uint64, l.words)
	l.sources, l.lanes = traverse.Entries[uint32](t, l.Most(), 0), traverse.Entries[uint64](t, l.Most()*l.words, 0)
	if t.Err() != nil {
		return nil, t.Err()
	}
	if l.words == 1 {
		l.narrow(out, in, sources)
	} else {
		l.wide(out, in, sources)
	}
	if t.Placed().Remote() != nil {
		l.level = &lanes.Level{Words: l.words, Seen: l.seen, New: l.new, Next: l.next, Results: traverse.Entries[uint64](t, lanes.Results+65*l.words, 0)}
		l.results = make([]uint64, lanes.Results+65*l.words)
	}
	l.all = t.Placed().Graph().Out().NumEdges()
	return l, t.Err()
}

// narrow makes the steps for one word.
func (l *Lanes) narrow(out, in *device.Buffer[uint64], sources *device.Buffer[uint32]) {
	any := traverse.Scalar[uint64](l.t, operators.Or)
	l.push = []operators.Step{advance.Push(newPush(l.seen, l.new, l.next))}
	pull, settle := newPull(in, sources, l.seen, l.next, 0), newSettle(l.seen, l.new, l.next, out, in, 0, l.done, any)
	if sources != nil {
		l.pull = foreach.All(pull, nil)
	}
	l.settle = foreach.Each(settle, l.edges)
	l.search = func(lanes []uint64) error {
		pull.full, settle.full = lanes[0], lanes[0]
		return nil
	}
	l.any = func() error {
		l.reached[0] = traverse.Get(l.t, any)
		return nil
	}
}

// wide makes those for several.
func (l *Lanes) wide(out, in *device.Buffer[uint64], sources *device.Buffer[uint32]) {
	w, dev, zero := uint64(l.words), l.t.Placed().Device(), make([]uint64, l.words)
	any, full := traverse.Entries[uint64](l.t, l.words, 0), traverse.Entries[uint64](l.t, l.words, 0)
	l.push = []operators.Step{advance.Push(newPushWide(l.seen, l.new, l.next, w)), filter.Unique()}
	if sources != nil {
		l.pull = foreach.All(newPullWide(in, sources, l.seen, l.next, full, w), nil)
	}
	l.settle = foreach.Each(newSettleWide(l.seen, l.new, l.next, out, in, full, any, w, l.done), l.edges)
	l.search = func(lanes []uint64) error { return full.Write(dev, 0, lanes) }
	l.any = func() error {
		if err := any.Read(dev, 0, l.reached); err != nil {
			return err
		}
		return any.Write(dev, 0, zero)
	}
}

func checkLanes(n int) error {
	if n < 1 || n > MostLanes {
		return fmt.Errorf("msbfs: %w: %d sources at once; give 1 to %d", graph.ErrOptions, n, MostLanes)
	}
	return nil
}

// Most is how many sources Start takes.
func (l *Lanes) Most() int { return l.words * wordLanes }

// Words is how many words a vertex has, one for 64 lanes.
func (l *Lanes) Words() int { return l.words }

// Start begins a search from each of the sources, Most at most: lane i is that of source i.
// Searches before are forgotten. A source that the graph doesn't have is graph.ErrNoVertex, too
// many are graph.ErrOptions.
func (l *Lanes) Start(sources []uint32) error {
	t, n := l.t, l.t.Placed().NumVertices()
	if len(sources) > l.Most() {
		return fmt.Errorf("msbfs: %w: %d sources at once; give %d at most", graph.ErrOptions, len(sources), l.Most())
	}
	lanes := map[uint32][]int{}
	clear(l.reached)
	for i, v := range sources {
		if int64(v) >= int64(n) {
			return fmt.Errorf("msbfs: source %d: %w: vertex %d of %d", i, graph.ErrNoVertex, v, n)
		}
		lanes[v] = append(lanes[v], i)
		l.reached[i/wordLanes] |= 1 << (i % wordLanes)
	}
	vertices := slices.Sorted(maps.Keys(lanes))
	bits := make([]uint64, len(vertices)*l.words)
	for at, v := range vertices {
		for _, i := range lanes[v] {
			bits[at*l.words+i/wordLanes] |= 1 << (i % wordLanes)
		}
	}
	traverse.Get(t, l.edges) // waits for steps that read the arrays
	if t.Err() != nil {
		return t.Err()
	}
	dev := t.Placed().Device()
	if err := errors.Join(l.sources.Write(dev, 0, vertices), l.lanes.Write(dev, 0, bits)); err != nil {
		return err
	}
	l.depth, l.pulled, l.ahead, l.left = 0, false, 0, l.all
	t.Fill(l.cur)
	t.Do(l.cur, foreach.All(newForget(l.seen, l.new, l.next, uint64(l.words)), nil))
	t.Replace(l.cur, vertices...)
	if len(sources) > 0 {
		t.Do(l.cur, foreach.Each(newBegin(l.next, l.sources, l.lanes, uint64(l.words), uint64(len(vertices))), nil))
		l.settled()
	}
	return l.Err()
}

// settled ends a level.
func (l *Lanes) settled() {
	t := l.t
	if l.level != nil {
		l.settledOnGPU()
		return
	}
	// A lane that reached nothing in a level has ended. Nobody need look for it any more.
	if l.err = l.search(l.reached); l.err != nil {
		return
	}
	t.Do(l.cur, l.settle)
	l.ahead = traverse.Get(t, l.edges)
	l.left -= min(traverse.Get(t, l.done), l.left)
	if t.Err() == nil {
		l.err = l.any()
	}
}

// settledOnGPU ends a level by one step, which pulls as well.
func (l *Lanes) settledOnGPU() {
	t := l.t
	l.level.Pull = l.pulled
	copy(l.level.Full[:], l.reached)
	t.Do(l.cur, l.level)
	traverse.Get(t, l.edges) // waits
	if l.Err() != nil {
		return
	}
	if l.err = l.level.Results.Read(t.Placed().Device(), 0, l.results); l.err != nil {
		return
	}
	l.ahead = l.results[lanes.Edges]
	l.left -= min(l.results[lanes.Done], l.left)
	copy(l.reached, l.results[lanes.Any:])
}

// Next searches a level further, and reports whether any lane reached a vertex in it.
func (l *Lanes) Next() bool {
	t := l.t
	done := l.pull != nil && l.left == 0 // else nothing says how many edges lead to a vertex
	if l.Err() != nil || !l.anyReached() || l.ahead == 0 || done || !t.Next(l.cur) {
		return false
	}
	pull := l.pull != nil && l.ahead > (l.left+pullVertex*uint64(t.Placed().NumVertices()))/pullFactor
	switch {
	case pull:
		t.Fill(l.cur)
		if l.level == nil {
			t.Do(l.cur, l.pull)
		}
	case l.pulled:
		t.Do(l.cur, append([]operators.Step{l.active}, l.push...)...)
	default:
		t.Do(l.cur, l.push...)
	}
	l.pulled = pull
	l.depth++
	l.settled()
	return l.anyReached() && l.Err() == nil
}

func (l *Lanes) anyReached() bool {
	return slices.ContainsFunc(l.reached, func(lanes uint64) bool { return lanes != 0 })
}

// Frontier is the vertices that lanes reached in the last level, and possibly others, whose
// entries of New are 0. It must not be changed.
func (l *Lanes) Frontier() *traverse.Frontier { return l.cur }

// New has the lanes that reached a vertex in the last level, of the vertices of Frontier: Words
// words each, beginning at Words times the vertex. Lane i is bit i%64 of word i/64.
func (l *Lanes) New() *device.Buffer[uint64] { return l.new }

// Depth is the last level, which is the distance of what was reached in it: 0 of the sources.
func (l *Lanes) Depth() int { return int(l.depth) }

// Reached returns the lanes that reached a vertex in the last level, in ascending order.
func (l *Lanes) Reached() iter.Seq[int] {
	return func(yield func(int) bool) {
		for k, lanes := range l.reached {
			for ; lanes != 0; lanes &= lanes - 1 {
				if !yield(k*wordLanes + bits.TrailingZeros64(lanes)) {
					return
				}
			}
		}
	}
}

// Count returns how many vertices each lane reached in the last level. It costs a pass over the
// frontier.
func (l *Lanes) Count() ([]uint64, error) {
	t, w := l.t, uint64(l.words)
	if l.Err() == nil && l.level != nil {
		return slices.Clone(l.results[lanes.Any+l.words:]), nil
	}
	if l.counts == nil {
		n := t.Placed().NumVertices()
		all := make([]uint32, (n+tallyLength-1)/tallyLength)
		for i := range all {
			all[i] = uint32(i)
		}
		l.blocks = t.From(all...)
		l.counts = traverse.Entries[uint64](t, copies*l.Most(), 0)
		l.counted = traverse.Scalar[uint64](t, operators.Sum)
		l.tally = foreach.Each(newTally(l.new, l.counts, w), l.counted)
		l.tallyBlock = foreach.Each(newTallyBlock(l.new, l.counts, w, uint64(n), tallyLength), l.counted)
		l.zero, l.copied = make([]uint64, copies*l.Most()), make([]uint64, copies*l.Most())
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
	sum := make([]uint64, l.Most())
	for i, n := range l.copied {
		sum[i%l.Most()] += n
	}
	return sum, nil
}

// Err returns the first error, of the traversal or of a copy.
func (l *Lanes) Err() error {
	if err := l.t.Err(); err != nil {
		return err
	}
	return l.err
}

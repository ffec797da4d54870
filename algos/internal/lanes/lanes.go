// Package lanes searches breadth-first from many sources in one traversal, each in a lane: a bit of the
// words that every vertex has. Packages msbfs and closeness are made of it.
package lanes

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
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
	push            []operators.Step
	activePush      []operators.Step       // active and push
	forgets, begins []operators.Step       // of begin, on one device
	beginning       *beginFunctor          // of begins
	part            part                   // of the device
	pulls           bool                   // a directed graph without its reverse is pushed alone
	sources         *device.Buffer[uint32] // of Start
	lanes           *device.Buffer[uint64]
	words           int    // of a vertex
	all             uint64 // edges of the graph
	pulled          bool   // the last level was
	depth           int32
	reached         []uint64 // lanes that reached anything in the last level
	ahead           uint64   // edges out of the frontier
	left            uint64   // with pulls, edges into vertices that some lane hasn't seen
	err             error    // of a copy

	// Room of Start.
	order, bits []uint64
	vertices    []uint32
}

// Keep takes the memory that Count takes at its first call.
func (l *Lanes) Keep() { l.part.keep(l) }

// Fetch copies New to the host, in the order of vertices.
func (l *Lanes) Fetch(to []uint64) error { return l.part.fetch(l, to) }

// part is what differs between devices.
type part interface {
	// start gives vertices, which ascend, their lanes: settle makes them a level.
	start(l *Lanes, vertices []uint32, bits []uint64) error
	// pull makes the frontier all vertices and has them take over lanes. A GPU's settle does so.
	pull(l *Lanes)
	// runFew searches a whole level if it has few edges, and reports whether it did.
	runFew(l *Lanes) bool
	// settle ends a level: it adds the lanes found to the lanes seen.
	settle(l *Lanes)
	// count counts the vertices that each lane reached in the last level.
	count(l *Lanes) ([]uint64, error)
	// wait waits for steps that read the arrays.
	wait(l *Lanes)
	// keep makes what count takes memory for, which else its first call does.
	keep(l *Lanes)
	// fetch copies New to the host, in the order of vertices.
	fetch(l *Lanes, to []uint64) error
	// join searches one batch of pairs, which is in the order of targets.
	join(l *Lanes, sources []uint32, batch []joined, found *operators.Scalar[uint64], distances []int32) error
}

// Memory returns what so many lanes hold, for traverse.Algorithm.
func Memory(lanes int) traverse.Memory {
	w := 8 * words(lanes)
	return traverse.Memory{Arrays: []int{w, w, w, 8 / pieceShare}, Frontiers: 1}
}

// FastLanes returns how many lanes search from so many sources in the least time, where more than one
// batch is searched: 256 on a GPU if that has memory to spare, 64 on the host.
func FastLanes(p *graph.Placed, sources int) int {
	const wide = wordsAtOnce * WordLanes
	batches := func(lanes int) float64 { return float64((sources + lanes - 1) / lanes) }
	if p.Remote() == nil || wideFor*batches(wide) >= batches(WordLanes) {
		return WordLanes
	}
	if total := p.Device().Info().MemoryTotal; total != 0 && Memory(wide).Bytes(p) > total/wideShare {
		return WordLanes
	}
	return wide
}

// words returns how many words there are for that many lanes.
func words(lanes int) int {
	if lanes <= WordLanes {
		return 1
	}
	return (min(lanes, MostLanes) + wordsAtOnce*WordLanes - 1) / (wordsAtOnce * WordLanes) * wordsAtOnce
}

// NewLanes returns lanes in the memory of the traversal, which go along the edges of its graph.
// There are 64, 256 or 512 of them: as many as were asked for, or more. A directed graph without
// its reverse is searched by pushes alone, which is slower. A number below 1 or above MostLanes is
// graph.ErrOptions.
func NewLanes(t *traverse.Traversal, most int) (*Lanes, error) {
	if err := CheckLanes(most); err != nil {
		return nil, err
	}
	most = AtMost(t.Placed(), most)
	if n := uint64(t.Placed().NumVertices()); n*uint64(words(most)) > 1<<32 {
		return nil, fmt.Errorf("%w: %d lanes for each of %d vertices; search from fewer sources at once", graph.ErrOptions, most, n)
	}
	l := &Lanes{t: t, cur: t.From(), words: words(most)}
	for _, b := range []**device.Buffer[uint64]{&l.seen, &l.new, &l.next} {
		if l.words == 1 {
			*b = traverse.Array[uint64](t, 0)
		} else {
			*b = traverse.ArrayN[uint64](t, l.words*t.Placed().NumVertices(), 0)
		}
	}
	l.reached = make([]uint64, l.words)
	l.sources, l.lanes = traverse.ArrayN[uint32](t, l.Most(), 0), traverse.ArrayN[uint64](t, l.Most()*l.words, 0)
	if t.Err() != nil {
		return nil, t.Err()
	}
	var err error
	if l.part, err = run.Choose(t.Placed(), run.Ways[func(*Lanes) (part, error)]{Host: newOnHost, GPU: newOnGPU, Shards: newOverShards})(l); err != nil {
		return nil, err
	}
	l.all = t.Placed().Graph().NumDirectedEdges()
	return l, t.Err()
}

// onOne makes the steps for one device. back is the graph turned round; nil where that isn't there.
func (l *Lanes) onOne() (back *graph.Placed, err error) {
	l.beginning = newBegin(l.next, l.sources, l.lanes, uint64(l.words), 0)
	l.begins = []operators.Step{foreach.Each(l.beginning, nil)}
	l.forgets = []operators.Step{foreach.All(newForget(l.seen, l.new, l.next, uint64(l.words)), nil)}
	if l.words == 1 {
		l.push = []operators.Step{advance.Push(newPush(l.seen, l.new, l.next))}
	} else {
		l.push = []operators.Step{advance.Push(newPushWide(l.seen, l.new, l.next, uint64(l.words))), filter.Unique()}
	}
	l.activePush = append([]operators.Step{filter.Keep(newActive(l.new, uint64(l.words)))}, l.push...)
	if back, err = l.t.Placed().Reversed(); errors.Is(err, graph.ErrNoReverse) {
		return nil, nil
	}
	l.pulls = err == nil
	return back, err
}

// CheckLanes returns graph.ErrOptions unless so many sources can be searched from at once.
func CheckLanes(n int) error {
	if n < 1 || n > MostLanes {
		return fmt.Errorf("%w: %d sources at once; give 1 to %d", graph.ErrOptions, n, MostLanes)
	}
	return nil
}

// Most is how many sources Start takes.
func (l *Lanes) Most() int { return l.words * WordLanes }

// Words is how many words a vertex has, one for 64 lanes.
func (l *Lanes) Words() int { return l.words }

// Start begins a search from each of the sources, Most at most: lane i belongs to source i.
// Searches before are forgotten. A source that the graph doesn't have is graph.ErrNoVertex, too
// many are graph.ErrOptions.
func (l *Lanes) Start(sources []uint32) error {
	t, n := l.t, l.t.Placed().NumVertices()
	if len(sources) > l.Most() {
		return fmt.Errorf("%w: %d sources at once; give %d at most", graph.ErrOptions, len(sources), l.Most())
	}
	clear(l.reached)
	l.order, l.vertices, l.bits = l.order[:0], l.vertices[:0], l.bits[:0]
	for i, v := range sources {
		if int64(v) >= int64(n) {
			return fmt.Errorf("source %d: %w: vertex %d of %d", i, graph.ErrNoVertex, v, n)
		}
		l.order = append(l.order, uint64(v)<<32|uint64(i))
		l.reached[i/WordLanes] |= 1 << (i % WordLanes)
	}
	slices.Sort(l.order)
	for _, x := range l.order {
		v, i := uint32(x>>32), int(uint32(x))
		at := len(l.vertices) - 1
		if at < 0 || l.vertices[at] != v {
			l.vertices = append(l.vertices, v)
			at++
			for range l.words {
				l.bits = append(l.bits, 0)
			}
		}
		l.bits[at*l.words+i/WordLanes] |= 1 << (i % WordLanes)
	}
	l.part.wait(l) // for steps that read the arrays
	if t.Err() != nil {
		return t.Err()
	}
	l.depth, l.pulled, l.ahead, l.left = 0, false, 0, l.all
	if err := l.part.start(l, l.vertices, l.bits); err != nil {
		return err
	}
	if len(sources) > 0 {
		l.part.settle(l)
	}
	return l.Err()
}

// Next searches a level further, and reports whether any lane reached a vertex in it.
func (l *Lanes) Next() bool {
	t := l.t
	done := l.pulls && l.left == 0 // otherwise the number of edges into a vertex isn't known
	if l.Err() != nil || !l.anyReached() || l.ahead == 0 || done || !t.Next(l.cur) {
		return false
	}
	l.depth++
	pull := l.pulls && l.ahead > (l.left+pullVertex*uint64(t.Placed().NumVertices()))/pullFactor
	switch {
	case !pull && l.part.runFew(l):
		return l.anyReached() && l.Err() == nil
	case pull:
		l.part.pull(l)
	case l.pulled:
		t.Do(l.cur, l.activePush...)
	default:
		t.Do(l.cur, l.push...)
	}
	l.pulled = pull
	l.part.settle(l)
	return l.anyReached() && l.Err() == nil
}

// fetch is part.fetch on one device.
func (l *Lanes) fetch(to []uint64) error { return l.new.Read(l.t.Placed().Device(), 0, to) }

// begin is start on one device.
func (l *Lanes) begin(vertices []uint32, bits []uint64) error {
	t, dev := l.t, l.t.Placed().Device()
	if err := errors.Join(l.sources.Write(dev, 0, vertices), l.lanes.Write(dev, 0, bits)); err != nil {
		return err
	}
	t.Fill(l.cur)
	t.Do(l.cur, l.forgets...)
	t.Replace(l.cur, vertices...)
	if len(vertices) > 0 {
		l.beginning.count = uint64(len(vertices))
		t.Do(l.cur, l.begins...)
	}
	return nil
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

// Depth is the last level, which is the distance of the vertices that it reached: 0 for the sources.
func (l *Lanes) Depth() int { return int(l.depth) }

// Reached returns the lanes that reached a vertex in the last level, in ascending order.
func (l *Lanes) Reached() iter.Seq[int] {
	return func(yield func(int) bool) {
		for k, lanes := range l.reached {
			for ; lanes != 0; lanes &= lanes - 1 {
				if !yield(k*WordLanes + bits.TrailingZeros64(lanes)) {
					return
				}
			}
		}
	}
}

// Count returns how many vertices each lane reached in the last level. On the host it costs a pass over
// the frontier. The slice is valid until the next call.
func (l *Lanes) Count() ([]uint64, error) {
	if err := l.Err(); err != nil {
		return nil, err
	}
	return l.part.count(l)
}

// Err returns the first error, of the traversal or of a copy.
func (l *Lanes) Err() error {
	if err := l.t.Err(); err != nil {
		return err
	}
	return l.err
}

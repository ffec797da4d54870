// This file holds Each, which yields the vertices that each source reaches.

package msbfs

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/algos/internal/lanes"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/traverse"
)

// pollItems is how many vertices Each goes over on the host before it looks at the context; from
// sortedVertices of them on, a bitmap puts them in order instead of a sort, which can't be interrupted.
const (
	pollItems      = 1 << 12
	sortedVertices = 1 << 12
)

// eachBytes is the memory of Each for vertices reached: not measured, but little compared with a
// graph of which 64 searches fill it.
const eachBytes = 1 << 30

// EachOptions say what Each finds. The zero value finds all reachable vertices.
type EachOptions struct {
	// DepthLimit ends each search after this number of levels below its source: no depth is larger.
	// 0 means no limit; a negative number is graph.ErrOptions.
	DepthLimit int
	// Parents finds the parent of every vertex too: of the neighbors one level nearer, that of the
	// least internal number.
	Parents bool
	// Targets, if not nil, are the only vertices that are handed out. A batch ends once all of its
	// sources have reached all of them.
	Targets []uint32
	// Progress, if not nil, is called after each batch of sources, in phase "search", with the sources that are done.
	Progress func(graph.Progress)
	// Logger, if not nil, gets a line at the end (slog.LevelInfo), also of a run that fails.
	Logger *slog.Logger
	// Metrics, if not nil, gets the end of the run.
	Metrics metrics.Recorder
}

// check returns what is wrong with the options, which wraps graph.ErrOptions, or nil.
func (o EachOptions) check() error {
	if o.DepthLimit < 0 {
		return fmt.Errorf("msbfs: %w: DepthLimit is %d; want a number of levels, or 0 for no limit", graph.ErrOptions, o.DepthLimit)
	}
	return nil
}

// Found is what one source reached, itself included. The slices are as long as Vertices, and
// valid until the next iteration.
type Found struct {
	Source   uint32
	Vertices []uint32 // by depth, then ascending
	Depths   []int32
	Parents  []uint32 // with EachOptions.Parents; of a source itself
}

// Each searches from each of the sources separately, and returns an iterator over what they reached, in
// the order of the sources. A source that is given twice is searched from twice. Up to 64 sources are
// searched from at once, fewer if what they might reach takes more than 1 GiB of the host's memory at
// 12 bytes a vertex. So memory doesn't grow with the number of sources.
//
// The search runs on the device of the placed graph, while the caller iterates. After each level the
// host gathers the vertices that were reached, and finds parents by a look at their edges. An error is
// the last pair of the iterator, and one of those of Run. The caller may break off the loop.
func Each(ctx context.Context, p *graph.Placed, sources []uint32, o EachOptions) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		ended := false
		err := find(ctx, p, sources, o, func(f Found) bool {
			ended = !yield(f, nil)
			return !ended
		})
		if err != nil && !ended {
			yield(Found{}, err)
		}
	}
}

// find is Each with a function that is called with what each source reached, and returns false to end it.
func find(ctx context.Context, p *graph.Placed, sources []uint32, o EachOptions, yield func(Found) bool) error {
	if err := callctx.Check(ctx, "msbfs"); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	search := func(t *traverse.Traversal, sources []uint32) (none struct{}, err error) {
		return none, each(ctx, t, sources, o, yield)
	}
	a := traverse.Algorithm[[]uint32, struct{}]{Name: "msbfs: each", Memory: lanes.Memory(lanes.WordLanes), Run: search, RunShards: search}
	_, err := traverse.Run(ctx, p, a, sources, traverse.Options{Logger: o.Logger, Metrics: o.Metrics})
	return err
}

// hit is a vertex that a lane reached.
type hit struct {
	vertex, parent uint32
	depth          int32
}

// gather is the books of the batches of Each.
type gather struct {
	ctx    context.Context
	l      *lanes.Lanes
	g      *graph.Graph
	o      EachOptions
	target []bool // by vertex; nil for all
	hits   [lanes.WordLanes][]hit
	begun  [lanes.WordLanes]int // where the hits of the last level begin
	left   int                  // hits of targets that are to come
	copied []uint64             // New, where the host can't address it
	before []uint64             // by vertex, lanes that reached it in the level before
	last   []uint32             // the vertices of these
	rest   []uint64             // by vertex, lanes whose parent is yet to be found
	out    Found
	marks  []uint64 // a bit per vertex, all 0 between levels; of ascending
}

// stopped reports whether the context is done, looked at before every so many of the items that are gone over.
func (g *gather) stopped(i int) bool { return i%pollItems == 0 && g.ctx.Err() != nil }

// ascending returns vertices in ascending order, each once, and in the same memory: many by way of a bitmap, which
// takes no longer than looking at each of them. The error is the context's.
func (g *gather) ascending(vertices []uint32) ([]uint32, error) {
	if len(vertices) < sortedVertices {
		slices.Sort(vertices)
		return slices.Compact(vertices), nil
	}
	if g.marks == nil {
		g.marks = make([]uint64, (g.g.NumVertices()+63)/64)
	}
	for i, v := range vertices {
		if g.stopped(i) {
			clear(g.marks)
			return nil, g.ctx.Err()
		}
		g.marks[v/64] |= 1 << (v % 64)
	}
	vertices = vertices[:0]
	for i, w := range g.marks {
		if g.stopped(i) {
			clear(g.marks)
			return nil, g.ctx.Err()
		}
		for ; w != 0; w &= w - 1 {
			vertices = append(vertices, uint32(i*64+bits.TrailingZeros64(w)))
		}
		g.marks[i] = 0
	}
	return vertices, nil
}

func each(ctx context.Context, t *traverse.Traversal, sources []uint32, o EachOptions, yield func(Found) bool) error {
	n := t.Placed().NumVertices()
	g := &gather{ctx: ctx, g: t.Placed().Graph(), o: o}
	for what, vs := range map[string][]uint32{"source": sources, "target": o.Targets} {
		for i, v := range vs {
			if int64(v) >= int64(n) {
				return fmt.Errorf("msbfs: %s %d: %w: vertex %d of %d", what, i, graph.ErrNoVertex, v, n)
			}
		}
	}
	targets := n
	if o.Targets != nil {
		g.target, targets = make([]bool, n), 0
		for _, v := range o.Targets {
			if !g.target[v] {
				g.target[v] = true
				targets++
			}
		}
	}
	var err error
	if g.l, err = lanes.NewLanes(t, lanes.WordLanes); err != nil {
		return err
	}
	if g.l.New().Host() == nil {
		g.copied = make([]uint64, n)
	}
	if o.Parents {
		g.before = make([]uint64, n)
		if !g.g.HasReverse() {
			g.rest = make([]uint64, n)
		}
	}
	most := max(1, min(lanes.WordLanes, eachBytes/(12*max(1, targets))))
	for done := 0; done < len(sources); {
		batch := sources[done:min(done+most, len(sources))]
		if err := g.search(batch, targets); err != nil {
			return err
		}
		for i, v := range batch {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !yield(g.found(v, g.hits[i])) {
				return nil
			}
		}
		if done += len(batch); o.Progress != nil {
			o.Progress(graph.Progress{Phase: "search", Done: uint64(done), Total: uint64(len(sources))})
		}
	}
	return g.l.Err()
}

// search searches from a batch of sources.
func (g *gather) search(batch []uint32, targets int) error {
	if err := g.l.Start(batch); err != nil {
		return err
	}
	g.left = len(batch) * targets
	for _, v := range g.last {
		g.before[v] = 0
	}
	g.last = g.last[:0]
	for i, v := range batch {
		g.hits[i], g.begun[i] = g.hits[i][:0], 0
		g.hit(i, hit{vertex: v, parent: v})
		if g.before != nil {
			if g.before[v] == 0 {
				g.last = append(g.last, v)
			}
			g.before[v] |= 1 << i
		}
	}
	for g.left > 0 && (g.o.DepthLimit == 0 || g.l.Depth() < g.o.DepthLimit) && g.l.Next() {
		if err := g.level(); err != nil {
			return err
		}
	}
	return g.l.Err()
}

// hit notes a vertex of a lane, if it is wanted.
func (g *gather) hit(lane int, h hit) {
	if g.target == nil || g.target[h.vertex] {
		g.hits[lane] = append(g.hits[lane], h)
		g.left--
	}
}

// level notes what was reached in the last level.
func (g *gather) level() error {
	l := g.l
	vertices := l.Frontier().Vertices()
	words := l.New().Host()
	if g.copied != nil && l.Err() == nil {
		words = g.copied
		if err := l.Fetch(words); err != nil {
			return err
		}
	}
	if l.Err() != nil {
		return l.Err()
	}
	vertices = slices.DeleteFunc(vertices, func(v uint32) bool { return words[v] == 0 })
	vertices, err := g.ascending(vertices)
	if err != nil {
		return err
	}
	depth := int32(l.Depth())
	for i := range l.Reached() {
		g.begun[i] = len(g.hits[i])
	}
	switch {
	case !g.o.Parents:
		for i, v := range vertices {
			if g.stopped(8 * i) { // up to 64 lanes
				return g.ctx.Err()
			}
			for w := words[v]; w != 0; w &= w - 1 {
				g.hit(bits.TrailingZeros64(w), hit{vertex: v, depth: depth})
			}
		}
		return nil
	case g.rest == nil:
		g.pullParents(vertices, words, depth)
	default:
		g.pushParents(vertices, words, depth)
	}
	if err := g.ctx.Err(); err != nil {
		return err
	}
	for _, v := range g.last {
		g.before[v] = 0
	}
	for _, v := range vertices {
		g.before[v] = words[v]
	}
	g.last = append(g.last[:0], vertices...)
	return nil
}

// pullParents finds parents among in-neighbors.
func (g *gather) pullParents(vertices []uint32, lanes []uint64, depth int32) {
	for i, v := range vertices {
		if g.stopped(8 * i) {
			return
		}
		left := lanes[v]
		for _, u := range g.g.In().Neighbors(v) {
			for w := left & g.before[u]; w != 0; w &= w - 1 {
				g.hit(bits.TrailingZeros64(w), hit{v, u, depth})
			}
			if left &^= g.before[u]; left == 0 {
				break
			}
		}
	}
}

// pushParents finds them along out-edges, where there is no reverse.
func (g *gather) pushParents(vertices []uint32, lanes []uint64, depth int32) {
	for _, v := range vertices {
		g.rest[v] = lanes[v]
	}
	slices.Sort(g.last)
	for i, u := range g.last {
		if g.stopped(8 * i) {
			return
		}
		for _, v := range g.g.Out().Neighbors(u) {
			for w := g.rest[v] & g.before[u]; w != 0; w &= w - 1 {
				g.hit(bits.TrailingZeros64(w), hit{v, u, depth})
			}
			g.rest[v] &^= g.before[u]
		}
	}
	for i := range g.l.Reached() {
		if g.stopped(0) {
			return
		}
		slices.SortFunc(g.hits[i][g.begun[i]:], func(a, b hit) int { return cmp.Compare(a.vertex, b.vertex) })
	}
}

// found makes the hits of a lane what is handed out.
func (g *gather) found(source uint32, hits []hit) Found {
	f := &g.out
	f.Source, f.Vertices, f.Depths = source, f.Vertices[:0], f.Depths[:0]
	if g.o.Parents {
		f.Parents = f.Parents[:0]
	}
	for _, h := range hits {
		f.Vertices, f.Depths = append(f.Vertices, h.vertex), append(f.Depths, h.depth)
		if g.o.Parents {
			f.Parents = append(f.Parents, h.parent)
		}
	}
	return *f
}

// Package reach finds what vertices are reached along edges with columns: along paths whose kinds match a regular
// expression (Match), and by edges that depart at a time and take a while (Arrivals).
//
// Match answers regular path queries (Mendelzon and Wood, SIAM Journal on Computing 1995). A vertex is reached if the kinds
// of the edges on some walk to it, in order, match the expression; its depth is the number of edges of the shortest such
// walk. The search visits pairs of a vertex and a state of Glushkov's automaton, whose states are the bits of a word per
// vertex, so it costs at most a pass over the edges for each state of the expression.
//
// Arrivals finds earliest arrivals in temporal graphs (Wu et al., "Path problems in temporal graphs", VLDB 2014). An edge
// can be taken if its source is reached at its time at the latest; its target is then reached at that time plus its
// duration.
//
// Both need a column of edges (graph.Options.EdgeColumns). Results depend neither on the device nor on the workers. The
// guide is [docs/algorithms/reach.md].
//
// [docs/algorithms/reach.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/reach.md
package reach

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Never is the arrival at a vertex that isn't reached.
const Never = math.MaxInt64

// Options say what is searched for.
type Options struct {
	// Sources are where walks begin, internal vertices; at least one.
	Sources []uint32

	// Expression is what the kinds of a walk's edges have to match, for Match. Kinds are separated by commas, which mean
	// one after the other; | separates alternatives, and * (any number), + (at least one) and ? (at most one) stand behind
	// a kind or a parenthesis. A dot is any kind. Kinds with other characters than letters, digits, _, - and : stand in
	// single quotes: "follows*,(likes|'works at')". It may have 64 kinds and dots.
	Expression string
	// Kind is the column of the kinds, a column of strings; "" means "kind".
	Kind string

	// Departure is the time at which the sources are reached, for Arrivals, in the unit of the column Time.
	Departure int64
	// Time is the column of the times at which edges depart; "" means "time". Duration is the column of how long edges
	// take, in the unit of Time; "" means that they take no time. Both are columns of integers, dates or timestamps. A
	// duration below 0 is graph.ErrInvalid.
	Time, Duration string

	Stats     bool                 // keeps what happened round by round, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each round
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

func (o Options) run() traverse.Options {
	return traverse.Options{Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics}
}

func (o Options) check(p *graph.Placed) error {
	if err := p.Err(); err != nil {
		return fmt.Errorf("reach: %w", err)
	}
	if len(o.Sources) == 0 {
		return fmt.Errorf("reach: %w: Options.Sources is empty; name a vertex to start from", graph.ErrOptions)
	}
	for _, s := range o.Sources {
		if int64(s) >= int64(p.NumVertices()) {
			return fmt.Errorf("reach: %w: source %d of %d vertices", graph.ErrNoVertex, s, p.NumVertices())
		}
	}
	return nil
}

// Match returns the depth of every vertex: the least number of edges of a walk from a source whose kinds match
// Options.Expression, or -1. The caller closes the result. Errors are graph.ErrOptions, also for an expression that can't be
// parsed, graph.ErrNoVertex, graph.ErrNoColumn for a column or a kind that the graph lacks, device.ErrMemory, and those of the
// context and the device.
func Match(ctx context.Context, p *graph.Placed, o Options) (*traverse.Values[int32], error) {
	if err := callctx.Check(ctx, "reach"); err != nil {
		return nil, err
	}
	if err := o.check(p); err != nil {
		return nil, err
	}
	if o.Kind == "" {
		o.Kind = "kind"
	}
	m, err := compile(o.Expression)
	if err != nil {
		return nil, fmt.Errorf("reach: %w: Options.Expression: %w", graph.ErrOptions, err)
	}
	search := func(t *traverse.Traversal, o Options) (*traverse.Values[int32], error) { return match(t, o, m) }
	a := traverse.Algorithm[Options, *traverse.Values[int32]]{Name: "reach", Memory: memory(p, []int{8, 8, 8, 4}, 4, o.Kind), Run: search, RunShards: search}
	return traverse.Run(ctx, p, a, o, o.run())
}

// memory returns what a search takes: arrays of vertices, and the columns of edges that the device doesn't have yet, in entries of
// so many bytes.
func memory(p *graph.Placed, arrays []int, entry int, columns ...string) traverse.Memory {
	m := traverse.Memory{Arrays: arrays}
	for _, name := range columns {
		if _, there := placed.Lookup(p.State(), placed.ColumnKey{Name: name}); !there && name != "" {
			m.EdgeArrays = append(m.EdgeArrays, entry)
		}
	}
	return m
}

func match(t *traverse.Traversal, o Options, m *automaton) (*traverse.Values[int32], error) {
	kinds := traverse.EdgeColumn[uint32](t, o.Kind)
	of, err := m.masks(t.Placed().Graph(), o.Kind)
	if err != nil {
		return nil, fmt.Errorf("reach: %w", err)
	}
	seen, next, follow := traverse.Array[uint64](t, 0), traverse.Array[uint64](t, 0), traverse.Array[uint64](t, 0)
	depth := traverse.Array[int32](t, -1)
	for _, s := range o.Sources {
		traverse.Set(t, follow, s, m.first)
		if m.empty {
			traverse.Set(t, depth, s, 0)
		}
	}
	move := newMove(follow, next, seen, kinds, table(t, of), m.any)
	enter := newEnter(follow, next, seen, depth, table(t, m.follow), m.last)
	t.Repeat(t.From(o.Sources...), advance.Push(move), foreach.Each(enter, nil))
	return traverse.Result(t, depth)
}

// table returns an array with the values of a slice, which isn't as long as an array with an entry per vertex: FromSlice would
// renumber that on several GPUs.
func table(t *traverse.Traversal, s []uint64) *device.Buffer[uint64] {
	if len(s) == t.Placed().NumVertices() {
		s = append(slices.Clip(s), 0)
	}
	return traverse.FromSlice(t, s)
}

// Arrivals returns the time at which every vertex is reached at the earliest, or Never. The caller closes the result. Errors are
// graph.ErrOptions, graph.ErrNoVertex, graph.ErrNoColumn, graph.ErrInvalid for a duration below 0 or an arrival past 2^63-2,
// device.ErrMemory, and those of the context and the device.
func Arrivals(ctx context.Context, p *graph.Placed, o Options) (*traverse.Values[int64], error) {
	if err := callctx.Check(ctx, "reach"); err != nil {
		return nil, err
	}
	if err := o.check(p); err != nil {
		return nil, err
	}
	if o.Time == "" {
		o.Time = "time"
	}
	a := traverse.Algorithm[Options, *traverse.Values[int64]]{Name: "reach", Memory: memory(p, []int{8}, 8, o.Time, o.Duration), Run: arrivals, RunShards: arrivals}
	return traverse.Run(ctx, p, a, o, o.run())
}

func arrivals(t *traverse.Traversal, o Options) (*traverse.Values[int64], error) {
	g := t.Placed().Graph()
	times, at, err := integers(t, g, o.Time)
	if err != nil {
		return nil, fmt.Errorf("reach: %w", err)
	}
	arrival := traverse.Array[int64](t, Never)
	for _, s := range o.Sources {
		traverse.Set(t, arrival, s, o.Departure)
	}
	if o.Duration == "" {
		t.Repeat(t.From(o.Sources...), advance.Push(newHop(arrival, times)), filter.Unique())
		return traverse.Result(t, arrival)
	}
	durations, takes, err := integers(t, g, o.Duration)
	if err != nil {
		return nil, fmt.Errorf("reach: %w", err)
	}
	last, longest := spanOf(at), spanOf(takes)
	if err := sameUnit(g, o.Time, o.Duration); err != nil {
		return nil, fmt.Errorf("reach: %w", err)
	}
	if longest.least < 0 {
		return nil, fmt.Errorf("reach: %w: an edge takes %d in the column %.100q; want 0 or more", graph.ErrInvalid, longest.least, o.Duration)
	}
	if longest.most > 0 && last.most > Never-1-longest.most {
		return nil, fmt.Errorf("reach: %w: an arrival may be past 2^63-2: the last edge departs at %d, and the longest takes %d", graph.ErrInvalid, last.most, longest.most)
	}
	t.Repeat(t.From(o.Sources...), advance.Push(newRide(arrival, times, durations)), filter.Unique())
	return traverse.Result(t, arrival)
}

// sameUnit returns an error for a duration whose unit is known not to be the unit of the times.
func sameUnit(g *graph.Graph, time, duration string) error {
	t, err := g.EdgeColumn(time)
	if err != nil {
		return err
	}
	d, err := g.EdgeColumn(duration)
	if err != nil {
		return err
	}
	unit := func(logical string) string {
		_, inside, _ := strings.Cut(strings.TrimRight(logical, "]"), "[")
		unit, _, _ := strings.Cut(inside, ",")
		return unit
	}
	kind, _, _ := strings.Cut(d.Logical, "[")
	switch {
	case d.Logical == "":
	case kind == "date32" || kind == "date64" || kind == "timestamp":
		return fmt.Errorf("%w: column %.100q has values of type %s, which are no durations", errColumnType, duration, d.Logical)
	case unit(d.Logical) != "" && unit(t.Logical) != "" && unit(d.Logical) != unit(t.Logical):
		return fmt.Errorf("%w: column %.100q has durations in %s, and column %.100q times in %s; convert one of them", errColumnType, duration, unit(d.Logical), time, unit(t.Logical))
	}
	return nil
}

// errColumnType: the graph has the column, of another type.
var errColumnType = text.Named("column of another type", graph.ErrNoColumn)

// span is the least and the greatest value of a column; both are 0 for an empty column.
type span struct{ least, most int64 }

// integers returns a column of integers as an array of int64, and its values.
func integers(t *traverse.Traversal, g *graph.Graph, name string) (*device.Buffer[int64], []int64, error) {
	values, err := valuesOf(g, name)
	if err != nil {
		return nil, nil, err
	}
	if c, err := g.EdgeColumn(name); err == nil {
		if _, ok := c.Values.([]int64); ok {
			return traverse.EdgeColumn[int64](t, name), values, t.Err()
		}
	}
	b := traverse.EdgeArray[int64](t, 0)
	if t.Sync() != nil {
		return nil, nil, t.Err()
	}
	return b, values, run.WriteEdges(t.Placed(), b, values)
}

// valuesOf returns the values of a column of integers.
func valuesOf(g *graph.Graph, name string) ([]int64, error) {
	c, err := g.EdgeColumn(name)
	if err != nil {
		return nil, err
	}
	if c.Dictionary != nil {
		return nil, fmt.Errorf("%w: column %.100q has strings, not integers, dates or timestamps", errColumnType, name)
	}
	switch a := c.Values.(type) {
	case []int64:
		return a, nil
	case []int32:
		return widened(a), nil
	case []uint32:
		return widened(a), nil
	}
	return nil, fmt.Errorf("%w: column %.100q has values of type %T, not integers of up to 64 bits with a sign, dates or timestamps", errColumnType, name, c.Values)
}

func spanOf(a []int64) (s span) {
	for i, x := range a {
		if i == 0 {
			s = span{x, x}
		}
		s.least, s.most = min(s.least, x), max(s.most, x)
	}
	return s
}

func widened[T int32 | uint32](from []T) []int64 {
	to := make([]int64, len(from))
	for i, x := range from {
		to[i] = int64(x)
	}
	return to
}

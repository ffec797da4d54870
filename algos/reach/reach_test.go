package reach_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/reach"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/traverse"
)

// regex is an expression as a tree: a kind, a dot, or an operation on parts.
type regex struct {
	op   string // "kind", "any", "seq", "or", "star", "plus", "opt", "none", "empty"
	kind string
	a, b *regex
}

func random(r *rand.Rand, depth int) *regex {
	if depth == 0 || r.IntN(4) == 0 {
		if r.IntN(6) == 0 {
			return &regex{op: "any"}
		}
		return &regex{op: "kind", kind: []string{"follows", "likes", "works at"}[r.IntN(3)]}
	}
	op := []string{"seq", "seq", "or", "star", "plus", "opt"}[r.IntN(6)]
	x := &regex{op: op, a: random(r, depth-1)}
	if op == "seq" || op == "or" {
		x.b = random(r, depth-1)
	}
	return x
}

// text writes the expression.
func (x *regex) text() string {
	switch x.op {
	case "any":
		return "."
	case "kind":
		if strings.Contains(x.kind, " ") {
			return "'" + x.kind + "'"
		}
		return x.kind
	case "seq":
		return "(" + x.a.text() + " , " + x.b.text() + ")"
	case "or":
		return "(" + x.a.text() + "|" + x.b.text() + ")"
	}
	return "(" + x.a.text() + ")" + map[string]string{"star": "*", "plus": "+", "opt": "?"}[x.op]
}

var none, empty = &regex{op: "none"}, &regex{op: "empty"}

func seq(a, b *regex) *regex {
	switch {
	case a.op == "none" || b.op == "none":
		return none
	case a.op == "empty":
		return b
	case b.op == "empty":
		return a
	}
	return &regex{op: "seq", a: a, b: b}
}

// or keeps alternatives sorted and each once, so that there are finitely many derivatives.
func or(a, b *regex) *regex {
	parts := map[string]*regex{}
	var add func(x *regex)
	add = func(x *regex) {
		switch x.op {
		case "or":
			add(x.a)
			add(x.b)
		case "none":
		default:
			parts[x.key()] = x
		}
	}
	add(a)
	add(b)
	var keys []string
	for k := range parts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	all := none
	for i, k := range keys {
		if all = parts[k]; i > 0 {
			all = &regex{op: "or", a: parts[keys[0]], b: parts[k]}
		}
	}
	if len(keys) > 2 {
		all = parts[keys[0]]
		for _, k := range keys[1:] {
			all = &regex{op: "or", a: all, b: parts[k]}
		}
	}
	return all
}

func (x *regex) key() string {
	s := x.op + ":" + x.kind
	if x.a != nil {
		s += "(" + x.a.key() + ")"
	}
	if x.b != nil {
		s += "(" + x.b.key() + ")"
	}
	return s
}

func (x *regex) nullable() bool {
	switch x.op {
	case "empty", "star", "opt":
		return true
	case "plus":
		return x.a.nullable()
	case "seq":
		return x.a.nullable() && x.b.nullable()
	case "or":
		return x.a.nullable() || x.b.nullable()
	}
	return false
}

// derive is Brzozowski's derivative by a kind, "" for one that is missing.
func (x *regex) derive(kind string) *regex {
	switch x.op {
	case "any":
		return empty
	case "kind":
		if x.kind == kind {
			return empty
		}
		return none
	case "or":
		return or(x.a.derive(kind), x.b.derive(kind))
	case "seq":
		d := seq(x.a.derive(kind), x.b)
		if x.a.nullable() {
			d = or(d, x.b.derive(kind))
		}
		return d
	case "star":
		return seq(x.a.derive(kind), x)
	case "plus":
		return seq(x.a.derive(kind), &regex{op: "star", a: x.a})
	case "opt":
		return x.a.derive(kind)
	}
	return none
}

// depths searches pairs of a vertex and a derivative.
func depths(g *graph.Graph, sources []uint32, x *regex) []int32 {
	c, _ := g.EdgeColumn("kind")
	depth := make([]int32, g.NumVertices())
	for v := range depth {
		depth[v] = -1
	}
	type state struct {
		v uint32
		x *regex
	}
	seen := map[string]bool{}
	var cur []state
	visit := func(s state, d int32, to *[]state) {
		key := fmt.Sprint(s.v, s.x.key())
		if s.x.op == "none" || seen[key] {
			return
		}
		seen[key] = true
		if s.x.nullable() && depth[s.v] < 0 {
			depth[s.v] = d
		}
		*to = append(*to, s)
	}
	for _, s := range sources {
		visit(state{s, x}, 0, &cur)
	}
	for d := int32(1); len(cur) > 0; d++ {
		var next []state
		for _, s := range cur {
			for e := g.Out().Offsets[s.v]; e < g.Out().Offsets[s.v+1]; e++ {
				kind := ""
				if code := c.Values.([]uint32)[e]; code != graph.NoCode {
					kind = string(c.Dictionary.Value(int(code)))
				}
				visit(state{g.Out().Targets[e], s.x.derive(kind)}, d, &next)
			}
		}
		cur = next
	}
	return depth
}

// build returns a random graph with kinds, times and durations.
func build(t testing.TB, r *rand.Rand, types func(name string, values []int64) graph.Column) *graph.Graph {
	t.Helper()
	n, m := 1+r.IntN(30), 1+r.IntN(150)
	src, dst, times, takes := make([]int64, m), make([]int64, m), make([]int64, m), make([]int64, m)
	kinds, valid := graph.Strings{Offsets: []int64{0}}, make([]bool, m)
	for i := range m {
		src[i], dst[i], times[i], takes[i] = r.Int64N(int64(n)), r.Int64N(int64(n)), r.Int64N(40)-5, r.Int64N(8)
		valid[i] = r.IntN(8) > 0
		kinds.Data = append(kinds.Data, []string{"follows", "likes", "works at", "blocks"}[r.IntN(4)]...)
		if i < 4 {
			kinds.Data = append(kinds.Data[:kinds.Offsets[i]], []string{"follows", "likes", "works at", "blocks"}[i]...)
			valid[i] = true
		}
		kinds.Offsets = append(kinds.Offsets, int64(len(kinds.Data)))
	}
	b := graph.NewBuilder(graph.Options{Directed: r.IntN(2) == 0, KeepDuplicates: true, KeepSelfLoops: true, Order: graph.Order(r.IntN(3)), EdgeColumns: []string{"kind", "time", "duration"}})
	if err := b.Add(graph.Batch{Type: graph.Int64, Src: src, Dst: dst, Columns: []graph.Column{{Values: kinds, Valid: valid}, types("time", times), types("duration", takes)}}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func wide(name string, values []int64) graph.Column { return graph.Column{Name: name, Values: values} }

func narrow(name string, values []int64) graph.Column {
	a := make([]int32, len(values))
	for i, x := range values {
		a[i] = int32(x)
	}
	return graph.Column{Name: name, Values: a}
}

func slice[T int32 | int64](t testing.TB, r *traverse.Values[T], err error) []T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.Slice()
	if err != nil {
		t.Fatal(err)
	}
	a = slices.Clone(a)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestMatch compares depths with a search over derivatives of the expression.
func TestMatch(t *testing.T) {
	for seed := range uint64(testlong.Rounds(150, 3000)) {
		r := rand.New(rand.NewPCG(seed, 52))
		g := build(t, r, wide)
		if c, _ := g.EdgeColumn("kind"); c.Dictionary.Len() < 4 {
			continue
		}
		p, err := g.On(host.New(1 + r.IntN(3)))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			x := random(r, 4)
			sources := []uint32{r.Uint32N(uint32(g.NumVertices()))}
			if r.IntN(3) == 0 {
				sources = append(sources, r.Uint32N(uint32(g.NumVertices())))
			}
			got, err := reach.Match(t.Context(), p, reach.Options{Sources: sources, Expression: x.text()})
			all, o := slice(t, got, err), reach.Options{Sources: sources, Expression: x.text()}
			if want := depths(g, sources, x); !slices.Equal(all, want) {
				t.Fatalf("seed %d: %s from %v: %v, want %v", seed, x.text(), sources, all, want)
			}
			if err := reach.ValidateMatch(t.Context(), g, o, all); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			all[r.IntN(len(all))] += 1 + r.Int32N(3)
			if err := reach.ValidateMatch(t.Context(), g, o, all); !errors.Is(err, graph.ErrInvalid) {
				t.Fatalf("seed %d: a wrong depth: %v", seed, err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestArrivals compares arrivals with a loop until nothing changes.
func TestArrivals(t *testing.T) {
	for seed := range uint64(testlong.Rounds(100, 2000)) {
		r := rand.New(rand.NewPCG(seed, 53))
		g := build(t, r, []func(string, []int64) graph.Column{wide, narrow}[seed%2])
		p, err := g.On(host.New(1 + r.IntN(3)))
		if err != nil {
			t.Fatal(err)
		}
		value := func(name string, e uint64) int64 {
			c, _ := g.EdgeColumn(name)
			if a, ok := c.Values.([]int32); ok {
				return int64(a[e])
			}
			return c.Values.([]int64)[e]
		}
		o := reach.Options{Sources: []uint32{r.Uint32N(uint32(g.NumVertices()))}, Departure: r.Int64N(30) - 6}
		for _, o.Duration = range []string{"", "duration"} {
			want := make([]int64, g.NumVertices())
			for v := range want {
				want[v] = reach.Never
			}
			want[o.Sources[0]] = o.Departure
			for changed := true; changed; {
				changed = false
				for v := range want {
					for e := g.Out().Offsets[v]; e < g.Out().Offsets[v+1]; e++ {
						at := value("time", e)
						if want[v] > at {
							continue
						}
						if o.Duration != "" {
							at += value("duration", e)
						}
						if w := g.Out().Targets[e]; at < want[w] {
							want[w], changed = at, true
						}
					}
				}
			}
			got, err := reach.Arrivals(t.Context(), p, o)
			all := slice(t, got, err)
			if !slices.Equal(all, want) {
				t.Fatalf("seed %d, %+v: %v, want %v", seed, o, all, want)
			}
			if err := reach.ValidateArrivals(t.Context(), g, o, all); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			all[r.IntN(len(all))]--
			if err := reach.ValidateArrivals(t.Context(), g, o, all); !errors.Is(err, graph.ErrInvalid) {
				t.Fatalf("seed %d: a wrong arrival: %v", seed, err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestErrors refuses options that don't fit.
func TestErrors(t *testing.T) {
	kinds := graph.Strings{Offsets: []int64{0, 7, 12}, Data: []byte("followslikes")}
	b := graph.NewBuilder(graph.Options{Directed: true, EdgeColumns: []string{"kind", "time", "duration", "big"}})
	if err := b.Add(graph.Batch{Type: graph.Int64, Src: []int64{0, 1}, Dst: []int64{1, 2}, Columns: []graph.Column{{Values: kinds}, {Values: []int64{1, 2}}, {Values: []int64{-1, 2}}, {Values: []int64{1, math.MaxInt64 - 1}}}}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	from := []uint32{0}
	for _, c := range []struct {
		o    reach.Options
		is   error
		says string
	}{
		{reach.Options{Expression: "follows"}, graph.ErrOptions, "Sources is empty"},
		{reach.Options{Sources: []uint32{3}, Expression: "follows"}, graph.ErrNoVertex, "source 3 of 3"},
		{reach.Options{Sources: from}, graph.ErrOptions, "a kind is missing"},
		{reach.Options{Sources: from, Expression: "follows,"}, graph.ErrOptions, "at byte 8: a kind is missing"},
		{reach.Options{Sources: from, Expression: "*"}, graph.ErrOptions, "where a kind belongs"},
		{reach.Options{Sources: from, Expression: "(follows"}, graph.ErrOptions, "isn't closed"},
		{reach.Options{Sources: from, Expression: "follows)"}, graph.ErrOptions, "isn't expected here"},
		{reach.Options{Sources: from, Expression: "follows likes"}, graph.ErrOptions, "isn't expected here"},
		{reach.Options{Sources: from, Expression: "'follows"}, graph.ErrOptions, "a quote isn't closed"},
		{reach.Options{Sources: from, Expression: "\xff"}, graph.ErrOptions, "where a kind belongs"},
		{reach.Options{Sources: from, Expression: strings.Repeat("(", 200)}, graph.ErrOptions, "parentheses are open"},
		{reach.Options{Sources: from, Expression: strings.Repeat("likes,", 64) + "likes"}, graph.ErrOptions, "more than 64"},
		{reach.Options{Sources: from, Expression: "folows*"}, graph.ErrNoColumn, `did you mean "follows"`},
		{reach.Options{Sources: from, Expression: "follows", Kind: "kin"}, graph.ErrNoColumn, `did you mean "kind"`},
		{reach.Options{Sources: from, Expression: "follows", Kind: "time"}, graph.ErrNoColumn, "time"},
	} {
		if _, err := reach.Match(t.Context(), p, c.o); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	for _, c := range []struct {
		o    reach.Options
		is   error
		says string
	}{
		{reach.Options{}, graph.ErrOptions, "Sources is empty"},
		{reach.Options{Sources: from, Time: "tme"}, graph.ErrNoColumn, `did you mean "time"`},
		{reach.Options{Sources: from, Time: "kind"}, graph.ErrNoColumn, "strings"},
		{reach.Options{Sources: from, Duration: "duration"}, graph.ErrInvalid, "takes -1"},
		{reach.Options{Sources: from, Duration: "big"}, graph.ErrInvalid, "past 2^63-2"},
	} {
		if _, err := reach.Arrivals(t.Context(), p, c.o); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reach.Match(ctx, p, reach.Options{Sources: from, Expression: "."}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if kinds, err := reach.Kinds("b*,(a|.)?,b"); err != nil || !slices.Equal(kinds, []string{"b", "a"}) {
		t.Error(kinds, err)
	}
}

package arrow_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// randomCondition draws a condition on the columns of columnGraph.
func randomCondition(r *rand.Rand, depth int) string {
	if depth > 0 && r.IntN(2) == 0 {
		a, b := randomCondition(r, depth-1), randomCondition(r, depth-1)
		return []string{"(" + a + " and " + b + ")", "(" + a + " or " + b + ")", "not (" + a + ")"}[r.IntN(3)]
	}
	op := []string{"=", "<>", "<", "<=", ">", ">="}[r.IntN(6)]
	switch r.IntN(14) {
	case 0:
		return fmt.Sprintf("i32 %s %d", op, int32(r.Uint32()))
	case 1:
		return fmt.Sprintf("u32 %s %d", op, r.Uint32())
	case 2:
		return fmt.Sprintf("i64 %s %d", op, int64(r.Uint64()))
	case 3:
		return fmt.Sprintf("u64 %s %d", op, r.Uint64())
	case 4:
		return fmt.Sprintf("f32 %s %g", op, r.Float32())
	case 5:
		return fmt.Sprintf("f64 between %g and %g", r.Float64()/2, 0.5+r.Float64()/2)
	case 6:
		return "flag"
	case 7:
		return fmt.Sprintf("day %s %d-01-01", op, 1930+r.IntN(80))
	case 8:
		return fmt.Sprintf("at %s %d-06-15T10:00:00Z", op, 1900+r.IntN(140))
	case 9:
		return fmt.Sprintf("kind %s 'follows'", op)
	case 10:
		return "kind in ('likes', '', 'missing')"
	case 11:
		return "kind is " + []string{"", "not "}[r.IntN(2)] + "null"
	case 12:
		return fmt.Sprintf("blob %s x'%02x00'", op, r.Uint32N(256))
	}
	return fmt.Sprintf("u32 in (%d, %d)", r.Uint32(), r.Uint32())
}

// TestFilterEdgesAsWhere compares the edges that meet a condition in memory with those that loading reads by the same
// condition.
func TestFilterEdgesAsWhere(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(testlong.Rounds(3, 12)) {
		r := rand.New(rand.NewPCG(seed, 47))
		g := columnGraph(t, r, seed%2 == 0)
		dir := t.TempDir()
		table, prepared := filepath.Join(dir, "edges.parquet"), filepath.Join(dir, "g.foray")
		if err := errors.Join(arrow.WriteEdges(ctx, table, g, arrow.WriteOptions{}), arrow.WriteGraph(ctx, prepared, g, arrow.WriteGraphOptions{})); err != nil {
			t.Fatal(err)
		}
		opened, _, err := arrow.OpenGraph(ctx, prepared, arrow.OpenGraphOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var last *graph.Graph
		for range 12 {
			condition := randomCondition(r, 3)
			var want []string
			loaded, err := arrow.Load(ctx, table, arrow.Options{Where: condition, EdgeColumns: allColumns, Graph: graph.Options{Directed: g.Directed(), KeepDuplicates: true}})
			if err == nil {
				want = edgeRows(loaded)
			} else if !errors.Is(err, graph.ErrEmpty) {
				t.Fatalf("%s: %v", condition, err)
			}
			for _, from := range []*graph.Graph{g, opened} {
				some, err := arrow.FilterEdges(ctx, from, condition)
				if err != nil {
					t.Fatalf("%s: %v", condition, err)
				}
				if got := edgeRows(some); !slices.Equal(got, want) {
					t.Fatalf("seed %d, %s: %d edges, want %d", seed, condition, len(got), len(want))
				}
				if some.NumVertices() != g.NumVertices() {
					t.Fatalf("%s: %d vertices, want %d", condition, some.NumVertices(), g.NumVertices())
				}
				last = some
			}
		}
		// What was made of a graph in a file stays when that is closed.
		rows := edgeRows(last)
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(edgeRows(last), rows) {
			t.Error("the edges changed when the file was closed")
		}
		if _, err := arrow.FilterEdges(ctx, opened, "flag"); !errors.Is(err, device.ErrClosed) {
			t.Errorf("a closed graph: %v", err)
		}
		if err := opened.AddVertexColumns(graph.Column{Name: "x", Values: make([]int64, opened.NumVertices())}); !errors.Is(err, device.ErrClosed) {
			t.Errorf("columns of a closed graph: %v", err)
		}
	}
}

// TestFilterEdgesByWeight compares weights of each type.
func TestFilterEdgesByWeight(t *testing.T) {
	for _, c := range []struct {
		csr  graph.CSR
		cond string
		want int
	}{
		{graph.CSR{Weights: []float32{1, 2.5, 3}}, "weight >= 2.5", 2},
		{graph.CSR{Weights: []float32{1 << 53, 1 << 53, 3}, IntWeights: []int64{1 << 53, 1<<53 + 1, 3}}, "weight > 9007199254740992", 1},
		{graph.CSR{Weights: []float32{0.1, 0.2, 0.3}, FloatWeights: []float64{0.1, 0.2, 0.3}}, "weight = 0.2", 1},
	} {
		c.csr.Offsets, c.csr.Targets = []uint64{0, 1, 2, 3}, []uint32{1, 2, 0}
		g, err := graph.FromCSR(c.csr, graph.CSROptions{Directed: true})
		if err != nil {
			t.Fatal(err)
		}
		some, err := arrow.FilterEdges(context.Background(), g, c.cond)
		if err != nil || int(some.NumEdges()) != c.want || some.WeightType() != g.WeightType() {
			t.Errorf("%s: %v, %v", c.cond, some, err)
		}
	}
}

// TestFilterEdgesErrors checks the words about conditions that can't be.
func TestFilterEdgesErrors(t *testing.T) {
	g := columnGraph(t, rand.New(rand.NewPCG(1, 2)), true)
	for _, c := range []struct {
		condition string
		is        error
		says      string
	}{
		{"", arrow.ErrCondition, ""},
		{"kind = ", arrow.ErrCondition, ""},
		{"knd = 'likes'", graph.ErrNoColumn, `did you mean "kind"`},
		{"weight > 1", graph.ErrNoColumn, ""},
		{"kind > 5", graph.ErrOptions, "compare it with a string"},
		{"i32", graph.ErrOptions, "it is no boolean"},
		{"day > 'x'", graph.ErrOptions, ""},
	} {
		_, err := arrow.FilterEdges(context.Background(), g, c.condition)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.condition, err)
		}
	}
	for condition, says := range map[string]string{"kind = 'folows' or i32 > 0": `no string "folows"; did you mean "follows"?`, "not kind in ('likes', 'x')": `no string "x"`, "knd = 'likes'": `did you mean "kind"`,
		"kind = 'likes' and blob = x'00' and day > 2020-01-01": "", "KIND <> 'follows'": "", "kind > 'g'": ""} {
		if err := arrow.CheckCondition(g, condition); (err == nil) != (says == "") || err != nil && (!errors.Is(err, graph.ErrNoColumn) || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", condition, err, says)
		}
	}
	if err := errors.Join(arrow.CheckCondition(nil, "flag"), arrow.CheckCondition(g, "flag =")); !errors.Is(err, graph.ErrNoGraph) || !errors.Is(err, arrow.ErrCondition) {
		t.Error(err)
	}
	if _, err := arrow.FilterEdges(context.Background(), nil, "flag"); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := arrow.FilterEdges(ctx, g, "flag"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestFilterEdgesMissing: missing floats are null, as in a file, and so are missing strings.
func TestFilterEdgesMissing(t *testing.T) {
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 3, 3}, Targets: []uint32{1, 1, 1}}, graph.CSROptions{Directed: true, EdgeColumns: []graph.Column{
		{Name: "f", Values: []float64{1, math.NaN(), 3}}, {Name: "g", Values: []float32{float32(math.NaN()), 2, 3}},
		{Name: "id", Values: []uint32{0, 1, graph.NoCode}, Logical: "uuid", Dictionary: &graph.Strings{Binary: true, Offsets: []int64{0, 16, 32}, Data: append(make([]byte, 16), []byte("\xff0123456789abcde")...)}}}})
	if err != nil {
		t.Fatal(err)
	}
	for condition, want := range map[string]uint64{"f <> 1": 1, "not (f > 1)": 1, "f is null": 1, "f is not null": 2, "g not in (2)": 1, "f > 0 or g > 0": 3,
		"id = '00000000-0000-0000-0000-000000000000'": 1, "id <> '00000000-0000-0000-0000-000000000000'": 1, "id is null": 1} {
		some, err := arrow.FilterEdges(context.Background(), g, condition)
		if err != nil || some.NumEdges() != want {
			t.Errorf("%s: %d edges, want %d; %v", condition, some.NumEdges(), want, err)
		}
	}
}

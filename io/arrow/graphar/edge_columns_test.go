package graphar

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// TestEdgeColumns reads a property of edges as a column: the sum of the keys of an edge's ends.
func TestEdgeColumns(t *testing.T) {
	path := filepath.Join(testdata, "karate.graphar", "it.graph.yml")
	for _, o := range []Options{{}, {IndexIDs: true}, {VertexID: "name"}, {Graph: graph.Options{Directed: true, Reverse: true}}, {Workers: 1, Graph: graph.Options{Order: graph.OrderDegree}}} {
		o.Graph.EdgeColumns = []string{"sum"}
		l, err := Load(context.Background(), path, o)
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		c, err := l.Graph.EdgeColumn("sum")
		if err != nil {
			t.Fatal(err)
		}
		keyOf := map[string]float64{}
		byKey, err := Load(context.Background(), path, Options{VertexID: "name", Properties: []string{"id"}})
		if err != nil {
			t.Fatal(err)
		}
		for v := range uint32(byKey.Graph.NumVertices()) {
			name := byKey.Graph.IDs().Format(v)
			key := 0.0
			for _, digit := range strings.TrimPrefix(name, "member ") {
				key = 10*key + float64(digit-'0')
			}
			keyOf[name], keyOf[strings.TrimPrefix(name, "member ")] = key, key
		}
		out, sums := l.Graph.Out(), c.Values.([]float64)
		for v := range uint32(out.NumVertices()) {
			for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
				a, b := keyOf[l.Graph.IDs().Format(v)], keyOf[l.Graph.IDs().Format(out.Targets[e])]
				if o.IndexIDs {
					a, b = float64(l.Graph.IDs().Int(v)+1), float64(l.Graph.IDs().Int(out.Targets[e])+1)
				}
				if sums[e] != a+b {
					t.Fatalf("%+v: edge %s to %s has %v, want %v", o, l.Graph.IDs().Format(v), l.Graph.IDs().Format(out.Targets[e]), sums[e], a+b)
				}
			}
		}
	}
	l, err := Load(context.Background(), path, Options{VertexID: "name", VertexColumns: []string{"ID", "degree"}, Properties: []string{"Name"}, Graph: graph.Options{EdgeColumns: []string{"Sum"}}, Where: "SUM > 0"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Graph.EdgeColumn("sum"); err != nil {
		t.Error(err)
	}
	id, errID := l.Graph.VertexColumn("id")
	degree, errDegree := l.Graph.VertexColumn("degree")
	if err := errors.Join(errID, errDegree); err != nil {
		t.Fatal(err)
	}
	for v := range uint32(l.Graph.NumVertices()) {
		if name := fmt.Sprintf("member %02d", id.Values.([]int64)[v]); name != l.Graph.IDs().Format(v) && strings.Replace(name, " 0", " ", 1) != l.Graph.IDs().Format(v) {
			t.Errorf("%s has id %d", l.Graph.IDs().Format(v), id.Values.([]int64)[v])
		}
		if d := degree.Values.([]int64)[v]; d != int64(len(l.Graph.Out().Neighbors(v))) {
			t.Errorf("%s has degree %d", l.Graph.IDs().Format(v), d)
		}
	}
	if fields := l.Properties.Fields(); len(fields) != 1 || fields[0].Name != "name" {
		t.Errorf("properties %v", fields)
	}
	for names, want := range map[string]error{"id,id": graph.ErrOptions, "height": arrow.ErrColumn} {
		if _, err := Load(context.Background(), path, Options{VertexColumns: strings.Split(names, ",")}); !errors.Is(err, want) || !strings.Contains(err.Error(), "Options.VertexColumns") {
			t.Errorf("%s: %v", names, err)
		}
	}
	if _, err := Load(context.Background(), path, Options{Graph: graph.Options{EdgeColumns: []string{"trust"}}}); !errors.Is(err, arrow.ErrColumn) || !strings.Contains(err.Error(), `names "trust"`) {
		t.Error(err)
	}
}

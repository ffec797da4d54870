package arrow_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/io/arrow"
)

// TestReadProperties: row i has the properties of Vertices[i].
func TestReadProperties(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.csv")
	if err := os.WriteFile(path, []byte("n\n10\n20\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	g, columns := testgraph.Path(3).Graph(1), []arrow.Field{{Name: "n", Type: "int64"}}
	for _, c := range []struct {
		g        *graph.Graph
		vertices []uint32
		want     error
	}{
		{g, []uint32{2, 0}, nil},
		{g, []uint32{2, 0, 1}, arrow.ErrDamaged},
		{g, []uint32{2, 3}, graph.ErrNoVertex},
		{nil, []uint32{2, 0}, graph.ErrNoGraph},
	} {
		p, err := arrow.ReadProperties(t.Context(), c.g, []string{"n"}, []arrow.PropertyFile{{Path: path, Columns: []string{"n"}, Vertices: c.vertices, CSV: columns}})
		if !errors.Is(err, c.want) {
			t.Errorf("vertices %v: %v, want %v", c.vertices, err, c.want)
		}
		if err != nil {
			continue
		}
		if n, err := p.Numbers("n", -1); err != nil || !slices.Equal(n, []float64{20, -1, 10}) {
			t.Errorf("vertices %v: %v %v", c.vertices, n, err)
		}
	}
}

package prepared

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// TestBooleans opens prepared graphs whose columns of booleans hold another number than 0 and 1.
func TestBooleans(t *testing.T) {
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 1, 1}, Targets: []uint32{1}}, graph.CSROptions{Directed: true,
		EdgeColumns: []graph.Column{{Name: "new", Values: []uint32{1}, Logical: "bool"}}, VertexColumns: []graph.Column{{Name: "old", Values: []uint32{0, 1}, Logical: "bool"}}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "g.foray")
	for _, name := range []string{"", columnEdge + "new", columnValue + "old"} {
		data := rewritten(t, g, func(s *storedGraph) {
			if name != "" {
				arrayOf[uint32](s.column(name).array("values").data)[0] = 7
			}
		})
		_, err := openBytes(t, path, data, OpenGraphOptions{})
		if bad := name != ""; bad != errors.Is(err, graph.ErrMalformed) || bad && !strings.Contains(err.Error(), "boolean 0 is 7") {
			t.Errorf("%q: %v", name, err)
		}
	}
	_, err = graph.FromCSR(graph.CSR{Offsets: []uint64{0, 1, 1}, Targets: []uint32{1}}, graph.CSROptions{Directed: true,
		EdgeColumns: []graph.Column{{Name: "new", Values: []uint32{2}, Logical: "bool"}}})
	if !errors.Is(err, graph.ErrMalformed) {
		t.Error(err)
	}
}

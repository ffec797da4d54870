package dataset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestDamagedIDs changes bytes of files whose ids are of every type, read as
// edges, as vertices and as properties: that gives a graph or an error.
func TestDamagedIDs(t *testing.T) {
	all := samples.ValueKinds()
	dir := t.TempDir()
	before := runtime.NumGoroutine()
	damaged := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		kinds := []samples.ValueKind{all[r.IntN(len(all))]}
		for range r.IntN(3) {
			kinds = append(kinds, all[r.IntN(len(all))])
		}
		table := randomTable(r, kinds, 1+r.IntN(100))
		data := table.parquet(t, r)
		if data == nil || r.IntN(2) == 0 {
			rec := table.record(r)
			data = samples.WriteIPC(t, r.IntN(2) == 0, rec.Schema(), []goarrow.Record{rec})
		}
		for range 1 + r.IntN(4) {
			at := r.IntN(len(data))
			if r.IntN(2) == 0 { // where the metadata is
				at = max(0, len(data)-1-r.IntN(600))
			}
			data[at] ^= byte(1 + r.IntN(255))
		}
		path := samples.WriteTo(t, filepath.Join(dir, fmt.Sprint(seed)), data)
		o := table.options()
		o.SkipNulls, o.TwoPass = r.IntN(2) == 1, r.IntN(3) == 0
		o.Graph.Bipartite = r.IntN(2) == 0
		o.Vertices = &VertexTable{Paths: []string{path}, ID: o.Source, Side: graph.Target}
		if r.IntN(2) == 0 {
			o.Vertices.Properties = []string{"dst0"}
		}
		g, err := Load(context.Background(), path, o)
		if err != nil {
			damaged++
			continue
		}
		for v := range uint32(g.NumVertices()) {
			if w, err := g.ParseVertex(g.IDs().Format(v)); err != nil || w != v {
				t.Fatalf("seed %d: %s is vertex %d, %v; want %d", seed, g.IDs().Format(v), w, err, v)
			}
		}
	}
	if damaged < 50 {
		t.Errorf("%d of 300 files were refused", damaged)
	}
	samples.NoMore(t, before)
}

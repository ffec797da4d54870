package dataset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// TestWriteIDKinds writes edges with ids of every type, alone and in tuples, and
// reads them back: as the same ids, of the same types.
func TestWriteIDKinds(t *testing.T) {
	testlong.Project(t)
	all := samples.ValueKinds()
	for seed := range uint64(testlong.Of(2, 3) * len(all)) {
		r := rand.New(rand.NewPCG(seed, 77))
		kinds := []samples.ValueKind{all[int(seed)%len(all)]}
		if seed >= uint64(len(all)) {
			kinds = append(kinds, all[r.IntN(len(all))])
		}
		table := randomTable(r, kinds, 1+r.IntN(200))
		t.Run(fmt.Sprintf("%d %s", seed, table.logical()), func(t *testing.T) {
			dir := t.TempDir()
			rec := table.record(r)
			path := samples.WriteTo(t, filepath.Join(dir, "x.arrow"), samples.WriteIPC(t, false, rec.Schema(), []goarrow.Record{rec}))
			d, err := Open(context.Background(), []string{path}, table.options())
			if err != nil {
				t.Fatal(err)
			}
			g, err := d.Load(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			read := table.options()
			read.Source, read.Target = "src", "dst"
			if len(kinds) > 1 {
				read.Source, read.Target = "src_1,src_2", "dst_1,dst_2"
			}
			same := func(path string) {
				t.Helper()
				again, err := Load(context.Background(), path, read)
				if err != nil {
					t.Fatal(err)
				}
				// What the formats haven't got: dates of 64 bits, and in Parquet seconds.
				if strings.Contains(table.logical(), "date64") || strings.HasSuffix(path, ".parquet") && strings.Contains(table.logical(), "[s") {
					for v := range uint32(g.NumVertices()) {
						if _, err := again.ParseVertex(g.IDs().Format(v)); err != nil {
							t.Fatal(err)
						}
					}
					return
				}
				table.check(t, again, false)
			}
			for _, ext := range []string{"parquet", "arrow", "arrows"} {
				out := filepath.Join(dir, "edges."+ext)
				if err := write.WriteEdges(context.Background(), out, g, write.WriteOptions{}); err != nil {
					t.Fatal(err)
				}
				same(out)
				if err := write.WriteEdgeBatches(context.Background(), out, d.Batches, write.WriteOptions{}); err != nil {
					t.Fatal(err)
				}
				same(out)
			}
			// As text, ids are what Format says.
			out := filepath.Join(dir, "r.csv")
			depths := make([]int32, g.NumVertices())
			if err := write.WriteColumns(context.Background(), out, g, write.ResultColumns(fakeResult{depths}), write.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(table.logical(), "timestamp") { // with all decimals of the unit
				return
			}
			var got, want []string
			for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
				got = append(got, strings.TrimSuffix(line, ",0"))
			}
			for v := range uint32(g.NumVertices()) {
				want = append(want, g.IDs().Format(v))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

type fakeResult struct{ depths []int32 }

func (f fakeResult) Depths() ([]int32, error)   { return f.depths, nil }
func (f fakeResult) Parents() ([]uint32, error) { return nil, nil }

// TestWriteSides writes a result over separate sides, parents missing too.
func TestWriteSides(t *testing.T) {
	b := graph.NewBuilder(graph.Options{Bipartite: true, Order: graph.OrderGiven})
	if err := graph.AddInts(b, []int64{1, 2}, []int64{1, 1}, nil); err != nil {
		t.Fatal(err)
	}
	g := samples.Built(t, b)
	path := filepath.Join(t.TempDir(), "r.csv")
	r := sidesResult{fakeResult{[]int32{0, -1, 1}}}
	if err := write.WriteColumns(context.Background(), path, g, write.ResultColumns(r), write.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "vertex_side,vertex,depth,parent_side,parent\nsource,1,0,source,1\nsource,2,-1,,\ntarget,1,1,source,1\n"
	if string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

type sidesResult struct{ fakeResult }

func (sidesResult) Parents() ([]uint32, error) { return []uint32{0, graph.NoVertex, 0}, nil }

// This file measures reading tables of data lakes beside reading their data files.

package dataset

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// BenchmarkLake reads a table, and a directory of the same files, by turns: a few large
// ones and many small ones, with a condition on a column besides or without. The ratio is
// that of the medians.
func BenchmarkLake(b *testing.B) {
	for _, c := range []struct {
		files, rows int
		mode, where string
	}{
		{16, 1 << 20, "none", ""}, {16, 1 << 20, "id", ""}, {16, 1 << 20, "none", "dst < 500000"}, {1000, 5000, "none", ""}, {1000, 5000, "none", "dst < 500000"},
	} {
		b.Run(fmt.Sprintf("%dx%d/%s/where=%v", c.files, c.rows, c.mode, c.where != ""), func(b *testing.B) {
			table, plain := benchTable(b, c.files, c.rows, c.mode)
			took := map[string][]float64{}
			for i := range b.N {
				paths := []string{plain, table}
				if i%2 == 1 {
					paths = []string{table, plain}
				}
				for _, path := range paths {
					began := time.Now()
					d, err := Open(context.Background(), []string{path}, Options{Where: c.where})
					if err != nil {
						b.Fatal(err)
					}
					if err := d.Batches(context.Background(), func(graph.Batch) error { return nil }); err != nil {
						b.Fatal(err)
					}
					took[path] = append(took[path], float64(time.Since(began).Nanoseconds())/1e6)
				}
			}
			slices.Sort(took[plain])
			slices.Sort(took[table])
			ofFiles, ofTable := took[plain][b.N/2], took[table][b.N/2]
			b.ReportMetric(ofFiles, "ms/files")
			b.ReportMetric(ofTable, "ms/table")
			b.ReportMetric(ofTable/ofFiles, "times")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// benchTable writes a table, and its data files into a directory.
func benchTable(b *testing.B, files, rows int, mode string) (table, plain string) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 41))
	top := b.TempDir()
	table, plain = filepath.Join(top, "table"), filepath.Join(top, "plain")
	for _, dir := range []string{filepath.Join(table, "_delta_log"), plain} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			b.Fatal(err)
		}
	}
	d := &deltaTable{t: b, r: r, dir: table, mode: mode}
	d.fields = []*deltaField{d.newField("src", deltaTypeOf("long")), d.newField("dst", deltaTypeOf("long"))}
	lines := []map[string]any{{"protocol": d.protocol()}, {"metaData": d.metadata()}}
	for i := range files {
		var nodes []*craft.Node
		for _, f := range d.fields {
			values := make([]byte, 0, rows*8)
			for range rows {
				values = binary.LittleEndian.AppendUint64(values, uint64(r.Uint32N(1<<20)))
			}
			n := &craft.Node{Name: f.name, Type: 2, HasID: true, ID: f.id}
			for at := 0; at < len(values); at += 8 {
				n.Values = append(n.Values, values[at:at+8])
			}
			n.PageEntries = 1 << 16
			nodes = append(nodes, n)
		}
		name := fmt.Sprintf("part-%05d.parquet", i)
		data := craft.Tree(int64(rows), nodes...)
		samples.WriteTo(b, filepath.Join(table, name), data)
		samples.WriteTo(b, filepath.Join(plain, name), data)
		lines = append(lines, map[string]any{"add": map[string]any{"path": name, "partitionValues": map[string]any{}, "size": len(data),
			"stats": fmt.Sprintf(`{"numRecords":%d,"minValues":{"src":0,"dst":0},"maxValues":{"src":1048575,"dst":1048575},"nullCount":{"src":0,"dst":0}}`, rows)}})
	}
	var text []string
	for _, l := range lines {
		line, err := json.Marshal(l)
		if err != nil {
			b.Fatal(err)
		}
		text = append(text, string(line))
	}
	samples.WriteTo(b, filepath.Join(table, "_delta_log", "00000000000000000000.json"), []byte(strings.Join(text, "\n")))
	return table, plain
}

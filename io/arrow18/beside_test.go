// This file tests a program that links Parquet of v18 and Foray: each reads what
// the other writes.

package arrow18_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	v18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/foray-graph/foray/io/arrow"
	_ "github.com/foray-graph/foray/io/arrow/brotli"
)

// readV18 returns the columns of a Parquet file.
func readV18(t *testing.T, path string) (v18.Table, *file.Reader) {
	t.Helper()
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return table, f
}

// cells returns a column's values as text, "(null)" for missing ones.
func cells(c *v18.Column) (all []string) {
	for _, chunk := range c.Data().Chunks() {
		for i := range chunk.Len() {
			all = append(all, chunk.ValueStr(i))
		}
	}
	return all
}

// TestV18ReadsParquet: columns of every type, in every compression, plain and by
// dictionary, with and without missing values, of several pages and row groups.
func TestV18ReadsParquet(t *testing.T) {
	ctx := context.Background()
	const n = 3000
	for _, codec := range []string{"zstd", "snappy", "gzip", "brotli", "none"} {
		t.Run(codec, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(len(codec))))
			var src, dst []int64
			for v := range int64(n) {
				src, dst = append(src, v*7919), append(dst, (v+1)%n*7919)
			}
			g, err := fromSlices(ctx, src, dst)
			if err != nil {
				t.Fatal(err)
			}
			var (
				i32 = make([]int32, n)
				i64 = make([]int64, n)
				u32 = make([]uint32, n)
				u64 = make([]uint64, n)
				f32 = make([]float32, n)
				f64 = make([]float64, n)
				yes = make([]bool, n)
				few = make([]int64, n)
			)
			want := map[string][]string{}
			add := func(name string, x any) { want[name] = append(want[name], fmt.Sprint(x)) }
			for v := range n {
				i32[v], i64[v], u32[v], u64[v] = rng.Int32()-1<<30, rng.Int64()-1<<62, rng.Uint32(), rng.Uint64()
				f32[v], f64[v], yes[v], few[v] = float32(rng.IntN(1000))/8, math.Ldexp(rng.Float64(), -3), rng.IntN(2) > 0, rng.Int64N(5)
				add("vertex", g.IDs().Int(uint32(v)))
				add("i32", i32[v])
				add("i64", i64[v])
				add("u32", u32[v])
				add("u64", u64[v])
				add("f32", f32[v])
				add("f64", f64[v])
				add("yes", yes[v])
				if few[v] == 3 {
					add("few", "(null)")
				} else {
					add("few", few[v])
				}
			}
			path := filepath.Join(t.TempDir(), "a.parquet")
			err = arrow.Write(ctx, path, g, []arrow.Column{arrow.NewColumn("i32", i32), arrow.NewColumn("i64", i64), arrow.NewColumn("u32", u32),
				arrow.NewColumn("u64", u64), arrow.NewColumn("f32", f32), arrow.NewColumn("f64", f64), arrow.NewColumn("yes", yes),
				arrow.NewColumn("few", few, 3)}, arrow.WriteOptions{Compression: codec, RowGroup: 1300, Metadata: map[string]string{"by": "a test"}})
			if err != nil {
				t.Fatal(err)
			}
			table, f := readV18(t, path)
			defer table.Release()
			if got := f.MetaData().KeyValueMetadata().FindValue("by"); f.NumRowGroups() != 3 || got == nil || *got != "a test" {
				t.Errorf("%d row groups, metadata %v", f.NumRowGroups(), got)
			}
			if int(table.NumCols()) != len(want) {
				t.Fatalf("%d columns, want %d", table.NumCols(), len(want))
			}
			for i := range int(table.NumCols()) {
				c := table.Column(i)
				got := cells(c)
				if len(got) != n {
					t.Fatalf("%s has %d values", c.Name(), len(got))
				}
				for v := range got {
					if got[v] != want[c.Name()][v] {
						t.Fatalf("%s of vertex %d is %s, want %s", c.Name(), v, got[v], want[c.Name()][v])
					}
				}
			}
		})
	}
}

// TestForayReadsV18: edges in files that v18's Parquet writes.
func TestForayReadsV18(t *testing.T) {
	ctx := context.Background()
	schema := v18.NewSchema([]v18.Field{{Name: "src", Type: v18.PrimitiveTypes.Int64}, {Name: "dst", Type: v18.PrimitiveTypes.Int64},
		{Name: "w", Type: v18.PrimitiveTypes.Float64, Nullable: true}}, nil)
	for i, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Zstd, compress.Codecs.Lz4Raw} {
		for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
			rng := rand.New(rand.NewPCG(uint64(i), 4))
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			var src, dst []int64
			for range 5000 {
				src, dst = append(src, rng.Int64N(1000)), append(dst, rng.Int64N(1000))
				b.Field(2).(*array.Float64Builder).Append(rng.Float64())
			}
			b.Field(0).(*array.Int64Builder).AppendValues(src, nil)
			b.Field(1).(*array.Int64Builder).AppendValues(dst, nil)
			rec := b.NewRecordBatch()
			b.Release()
			path := filepath.Join(t.TempDir(), "a.parquet")
			out, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w, err := pqarrow.NewFileWriter(schema, out, parquet.NewWriterProperties(parquet.WithCompression(codec), parquet.WithDataPageVersion(version),
				parquet.WithDictionaryFor("src", false), parquet.WithEncodingFor("src", parquet.Encodings.DeltaBinaryPacked)), pqarrow.DefaultWriterProps())
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			rec.Release()
			g, err := arrow.Load(ctx, path, arrow.Options{Source: "src", Target: "dst"})
			if err != nil {
				t.Fatalf("%v: %v", codec, err)
			}
			want, err := fromSlices(ctx, src, dst)
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.Checksum(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if sum, err := want.Checksum(ctx); err != nil || got != sum {
				t.Errorf("%v, pages of version %d: another graph, of %d vertices and %d edges", codec, version, g.NumVertices(), g.NumEdges())
			}
		}
	}
}

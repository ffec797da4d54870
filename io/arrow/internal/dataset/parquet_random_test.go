// This file compares what is read of random Parquet files, which arrow's own
// writer wrote, with what was written.

package dataset

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// pqKind is a type of column that ids or weights are read from.
type pqKind struct {
	id      graph.IDType
	logical schema.LogicalType
	typ     parquet.Type
	length  int
	encs    []parquet.Encoding
}

func idKinds() []pqKind {
	enc := parquet.Encodings
	ints := []parquet.Encoding{enc.Plain, enc.DeltaBinaryPacked}
	strs := []parquet.Encoding{enc.Plain, enc.DeltaLengthByteArray, enc.DeltaByteArray}
	ty := parquet.Types
	return []pqKind{
		{graph.Int64, nil, ty.Int64, 0, ints},
		{graph.Int32, nil, ty.Int32, 0, ints},
		{graph.Int8, schema.NewIntLogicalType(8, true), ty.Int32, 0, ints},
		{graph.Int16, schema.NewIntLogicalType(16, true), ty.Int32, 0, ints},
		{graph.Int64, schema.NewIntLogicalType(64, true), ty.Int64, 0, ints},
		{graph.Uint8, schema.NewIntLogicalType(8, false), ty.Int32, 0, ints},
		{graph.Uint16, schema.NewIntLogicalType(16, false), ty.Int32, 0, ints},
		{graph.Uint32, schema.NewIntLogicalType(32, false), ty.Int32, 0, ints},
		{graph.Uint64, schema.NewIntLogicalType(64, false), ty.Int64, 0, ints},
		{graph.String, schema.StringLogicalType{}, ty.ByteArray, 0, strs},
		{graph.String, schema.EnumLogicalType{}, ty.ByteArray, 0, strs},
		{graph.Binary, nil, ty.ByteArray, 0, strs},
		{graph.Binary, nil, ty.FixedLenByteArray, 7, []parquet.Encoding{enc.Plain}},
		{graph.Binary, schema.UUIDLogicalType{}, ty.FixedLenByteArray, 16, []parquet.Encoding{enc.Plain}},
	}
}

// randomIDs returns a column of random ids and how they print.
func randomIDs(t testing.TB, r *rand.Rand, name string, k pqKind, n int) (samples.ParquetColumn, []string) {
	valid := nullPattern(r, n)
	c := samples.ParquetColumn{Node: samples.Node(t, name, valid != nil, k.logical, k.typ, k.length), Valid: valid}
	text := make([]string, n)
	span := uint64(1) << r.IntN(64)
	ordered := r.IntN(2) == 0
	number := func(i int) uint64 {
		if ordered {
			return uint64(i) * 3
		}
		return r.Uint64()%span - span/2
	}
	switch k.typ {
	case parquet.Types.Int64:
		v := make([]int64, n)
		for i := range v {
			v[i] = int64(number(i))
			text[i] = fmt.Sprint(v[i])
		}
		c.Values = v
	case parquet.Types.Int32:
		v := make([]int32, n)
		for i := range v {
			x := number(i)
			switch k.id {
			case graph.Int8:
				v[i] = int32(int8(x))
			case graph.Int16:
				v[i] = int32(int16(x))
			case graph.Uint8:
				v[i] = int32(uint8(x))
			case graph.Uint16:
				v[i] = int32(uint16(x))
			default:
				v[i] = int32(x)
			}
			text[i] = fmt.Sprint(v[i])
			if k.id == graph.Uint32 {
				text[i] = fmt.Sprint(uint32(v[i]))
			}
		}
		c.Values = v
	case parquet.Types.ByteArray:
		v := make([]parquet.ByteArray, n)
		long := r.IntN(8) == 0
		for i := range v {
			s := fmt.Sprintf("v%d", number(i)%1000)
			if long && r.IntN(20) == 0 {
				s = fmt.Sprintf("%0*d", r.IntN(3000), i)
			}
			if r.IntN(30) == 0 {
				s = ""
			}
			v[i], text[i] = []byte(s), s
		}
		c.Values = v
	case parquet.Types.FixedLenByteArray:
		v := make([]parquet.FixedLenByteArray, n)
		for i := range v {
			s := fmt.Sprintf("%0*d", k.length, number(i)%100000)[:k.length]
			v[i], text[i] = []byte(s), s
		}
		c.Values = v
	}
	return c, text
}

// randomWeights returns a column of random weights and how they print as
// float32.
func randomWeights(t testing.TB, r *rand.Rand, n int) (samples.ParquetColumn, []string) {
	valid := nullPattern(r, n)
	text := make([]string, n)
	var c samples.ParquetColumn
	var logical schema.LogicalType
	ty := parquet.Types
	say := func(i int, x float64) { text[i] = fmt.Sprint(float32(x)) }
	switch kind := r.IntN(6); kind {
	case 0, 1:
		v := make([]float64, n)
		for i := range v {
			v[i] = r.NormFloat64()
			say(i, v[i])
		}
		c = samples.ParquetColumn{Node: samples.Node(t, "w", valid != nil, nil, ty.Double, 0), Values: v}
	case 2:
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.IntN(100)) / 8
			say(i, float64(v[i]))
		}
		c = samples.ParquetColumn{Node: samples.Node(t, "w", valid != nil, nil, ty.Float, 0), Values: v}
	case 3:
		v := make([]int64, n)
		for i := range v {
			v[i] = int64(r.Uint64()) >> r.IntN(64)
			say(i, float64(float32(v[i])))
		}
		c = samples.ParquetColumn{Node: samples.Node(t, "w", valid != nil, nil, ty.Int64, 0), Values: v}
	case 4:
		v := make([]int32, n)
		for i := range v {
			v[i] = int32(r.Uint32())
			say(i, float64(v[i])/100)
		}
		logical = schema.NewDecimalLogicalType(9, 2)
		c = samples.ParquetColumn{Node: samples.Node(t, "w", valid != nil, logical, ty.Int32, 0), Values: v}
	case 5:
		v := make([]parquet.FixedLenByteArray, n)
		for i := range v {
			x := int64(r.Uint64()) >> (30 + r.IntN(30))
			b := make([]byte, 9)
			for k := range b {
				b[8-k] = byte(x >> min(63, 8*k))
			}
			v[i] = b
			say(i, float64(x)/1000)
		}
		logical = schema.NewDecimalLogicalType(18, 3)
		c = samples.ParquetColumn{Node: samples.Node(t, "w", valid != nil, logical, ty.FixedLenByteArray, 9), Values: v}
	}
	c.Valid = valid
	return c, text
}

// randomProps returns how to write, within what the columns allow for.
func randomProps(r *rand.Rand, encs []parquet.Encoding, rows int) []parquet.WriterProperty {
	codecs := []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Zstd, compress.Codecs.Brotli}
	props := []parquet.WriterProperty{
		parquet.WithCompression(codecs[r.IntN(len(codecs))]),
		parquet.WithDictionaryDefault(r.IntN(2) == 0),
		parquet.WithEncodingFor("src", encs[r.IntN(len(encs))]),
		parquet.WithEncodingFor("dst", encs[r.IntN(len(encs))]),
		parquet.WithStats(r.IntN(2) == 0),
		parquet.WithBatchSize(1 << (4 + r.IntN(8))),
	}
	if r.IntN(2) == 0 {
		props = append(props, parquet.WithDataPageVersion(parquet.DataPageV2))
	}
	if r.IntN(2) == 0 {
		props = append(props, parquet.WithDataPageSize(int64(100+rows/2)+r.Int64N(5000)))
	}
	if r.IntN(3) == 0 {
		props = append(props, parquet.WithDictionaryPageSizeLimit(500)) // falls back halfway
	}
	return props
}

// randomParquet returns a random file of edges and its rows in words, where a
// null is "-".
func randomParquet(t testing.TB, r *rand.Rand, k pqKind, weighted bool, rows int) ([]byte, []edge) {
	src, srcText := randomIDs(t, r, "src", k, rows)
	dst, dstText := randomIDs(t, r, "dst", k, rows)
	other, _ := randomIDs(t, r, "other", idKinds()[r.IntN(len(idKinds()))], rows)
	cols := []samples.ParquetColumn{other, src, dst}
	edges := make([]edge, rows)
	say := func(text []string, valid []bool, i int) string {
		if !there(valid, i) {
			return "-"
		}
		return text[i]
	}
	for i := range edges {
		edges[i] = edge{src: say(srcText, src.Valid, i), dst: say(dstText, dst.Valid, i)}
	}
	if weighted {
		w, text := randomWeights(t, r, rows)
		cols = append([]samples.ParquetColumn{w}, cols...)
		for i := range edges {
			edges[i].weight = say(text, w.Valid, i)
		}
	}
	groupRows := rows + 1
	if r.IntN(2) == 0 {
		groupRows = 1 + r.IntN(rows+1)
		groupRows = max(groupRows, rows/20+1)
	}
	props := randomProps(r, k.encs, rows)
	data, err := samples.TryParquet(rows, groupRows, cols, props...)
	if err != nil {
		// The writer fails at times, over pages of deltas where all is null.
		data = samples.WriteParquet(t, rows, groupRows, cols)
	}
	return data, edges
}

// whole leaves out the rows with a null, and sorts.
func whole(edges []edge) []edge {
	var some []edge
	for _, e := range edges {
		if e.src != "-" && e.dst != "-" && e.weight != "-" {
			some = append(some, e)
		}
	}
	sortEdges(some)
	return some
}

func TestParquetRandom(t *testing.T) {
	for seed := range seeds(120) {
		r := rand.New(rand.NewPCG(seed, 7))
		k := idKinds()[int(seed)%len(idKinds())]
		weighted := r.IntN(2) == 0
		t.Run(fmt.Sprintf("%d-%v", seed, k.id), func(t *testing.T) {
			var paths []string
			var want []edge
			dir := t.TempDir()
			for i := range 1 + r.IntN(3) {
				data, edges := randomParquet(t, r, k, weighted, randomRows(r))
				path := filepath.Join(dir, fmt.Sprintf("part-%d.parquet", i))
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
				paths, want = append(paths, path), append(want, edges...)
			}
			o := Options{SkipNulls: true, Workers: 1 + r.IntN(4)}
			if weighted {
				o.Weight = "w"
			}
			got, d, err := collect(t, []string{dir}, o)
			if err != nil {
				t.Fatal(err)
			}
			some := whole(want)
			sameEdges(t, got, some)
			s := d.Stats()
			if s.Files != len(paths) || s.Rows != int64(len(want)) || s.NullRows != int64(len(want)-len(some)) || d.Schema().IDType != k.id {
				t.Errorf("%+v, ids %v, want %d files, %d rows, %d whole, ids %v", s, d.Schema().IDType, len(paths), len(want), len(some), k.id)
			}
			if lo, hi, ok := d.IDRange(); ok {
				for _, e := range some {
					var x, y int64
					fmt.Sscan(e.src, &x)
					fmt.Sscan(e.dst, &y)
					if min(x, y) < lo || max(x, y) > hi {
						t.Fatalf("ids %s and %s outside of %d to %d", e.src, e.dst, lo, hi)
					}
				}
			}
		})
	}
}

package dataset

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/parquet"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// wantValue returns what a graph has of row i of a column, as text; "" if it has nothing.
func wantValue(c *testColumn, i int) string {
	if !c.Valid[i] {
		return ""
	}
	switch a := c.Values.(type) {
	case []int32:
		if strings.HasPrefix(c.name, "u") {
			return fmt.Sprint(uint32(a[i]))
		}
		return fmt.Sprint(a[i])
	case []int64:
		if strings.HasPrefix(c.name, "u") {
			return fmt.Sprint(uint64(a[i]))
		}
		return fmt.Sprint(a[i])
	case []float32:
		return floatText(float64(a[i]))
	case []float64:
		return floatText(a[i])
	case []bool:
		return map[bool]string{true: "1", false: "0"}[a[i]]
	case []parquet.ByteArray:
		if strings.HasSuffix(c.name, "dec") {
			return asBig(a[i]).String()
		}
		return "'" + string(a[i])
	case []parquet.FixedLenByteArray:
		switch {
		case c.name == "half":
			return floatText(float64(float16.FromLEBytes(a[i]).Float32()))
		case strings.Contains(c.name, "dec"):
			var b [8]byte
			if a[i][0] >= 128 {
				b = [8]byte{255, 255, 255, 255, 255, 255, 255, 255}
			}
			copy(b[max(0, 8-len(a[i])):], a[i][max(0, len(a[i])-8):])
			return fmt.Sprint(int64(binary.BigEndian.Uint64(b[:])))
		}
		return "'" + string(a[i])
	}
	return fmt.Sprintf("%T", c.Values)
}

// floatText returns a float as text, "" for NaN: nulls are NaN.
func floatText(x float64) string {
	if x != x {
		return ""
	}
	return fmt.Sprint(x)
}

// haveValue returns the value of an entry in the same form.
func haveValue(c *graph.Column, e uint64) string {
	switch a := c.Values.(type) {
	case []int32:
		return fmt.Sprint(a[e])
	case []uint32:
		switch {
		case c.Dictionary == nil:
			return fmt.Sprint(a[e])
		case a[e] == graph.NoCode:
			return ""
		}
		return "'" + string(c.Dictionary.Value(int(a[e])))
	case []int64:
		return fmt.Sprint(a[e])
	case []uint64:
		return fmt.Sprint(a[e])
	case []float32:
		return floatText(float64(a[e]))
	case []float64:
		return floatText(a[e])
	}
	return fmt.Sprintf("%T", c.Values)
}

// TestEdgeColumns compares the columns of every edge with the row of the file: random types, encodings, conditions, nulls
// and orders of vertices.
func TestEdgeColumns(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds(30) + 5) {
		r := rand.New(rand.NewPCG(seed, 145))
		rows := 1 + r.IntN(1500)
		all := testColumns(t, r, rows)
		src, dst, ids := make([]int64, rows), make([]int64, rows), make([]int64, rows)
		for i := range rows {
			src[i], dst[i], ids[i] = r.Int64N(20), 20+r.Int64N(20), int64(i)
		}
		i64 := parquet.Types.Int64
		cols := []samples.ParquetColumn{
			{Node: samples.Node(t, "src", false, nil, i64, 0), Values: src},
			{Node: samples.Node(t, "dst", false, nil, i64, 0), Values: dst},
			{Node: samples.Node(t, "eid", false, nil, i64, 0), Values: ids},
		}
		for _, c := range all {
			cols = append(cols, c.ParquetColumn)
		}
		data := samples.WriteParquet(t, rows, 1+r.IntN(rows), cols, parquet.WithDataPageSize(50+r.Int64N(3000)), parquet.WithDictionaryDefault(r.IntN(2) == 0))
		path := samples.WriteTo(t, filepath.Join(t.TempDir(), "x.parquet"), data)
		for range 8 {
			o := Options{EdgeID: "eid", SkipNulls: true, Workers: 1 + r.IntN(3), Graph: graph.Options{Directed: r.IntN(2) == 0, KeepDuplicates: true, Order: graph.Order(r.IntN(3))}}
			wants := func(int) bool { return true }
			if r.IntN(2) == 0 {
				text, holds := condition(r, all, rows, r.IntN(3))
				o.Where = text
				wants = func(i int) bool { return holds(i) == isTrue }
			}
			var chosen []testColumn
			refused := false
			for range 1 + r.IntN(6) {
				c := all[r.IntN(len(all))]
				if slices.Contains(o.Graph.EdgeColumns, c.name) {
					continue
				}
				refused = refused || c.name == "i96"
				o.Graph.EdgeColumns = append(o.Graph.EdgeColumns, c.name)
				chosen = append(chosen, c)
			}
			if len(chosen) == 0 {
				continue
			}
			what := fmt.Sprintf("seed %d: %v where %.300s", seed, o.Graph.EdgeColumns, o.Where)
			g, err := Load(context.Background(), path, o)
			count := 0
			for i := range rows {
				ok := wants(i)
				for _, c := range chosen {
					switch c.Values.(type) {
					case []float32, []float64:
					case []parquet.ByteArray, []parquet.FixedLenByteArray:
						ok = ok && (c.Valid[i] || !strings.Contains(c.name, "dec"))
					default:
						ok = ok && c.Valid[i]
					}
				}
				if !ok {
					continue
				}
				count++
				for _, c := range chosen {
					refused = refused || strings.HasSuffix(c.name, "dec") && !bigOf(&c, i).IsInt64()
				}
			}
			if refused {
				if !errors.Is(err, input.ErrColumnType) {
					t.Fatalf("%s: %v; want an error for a column that can't be one", what, err)
				}
				continue
			}
			if count == 0 {
				if !errors.Is(err, graph.ErrEmpty) {
					t.Fatalf("%s: %v; want no edges", what, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if !o.Graph.Directed {
				count *= 2
			}
			if g.NumDirectedEdges() != uint64(count) {
				t.Fatalf("%s: %d entries, want %d", what, g.NumDirectedEdges(), count)
			}
			columns := g.EdgeColumns()
			for e, id := range g.Out().EdgeIDs {
				for k := range chosen {
					if have, want := haveValue(&columns[k], uint64(e)), wantValue(&chosen[k], int(id)); have != want {
						t.Fatalf("%s: row %d has %.40q in %s (%s), want %.40q", what, id, have, columns[k].Name, columns[k].Logical, want)
					}
				}
			}
		}
	}
}

// bigOf returns a wide decimal.
func bigOf(c *testColumn, i int) *big.Int {
	if a, ok := c.Values.([]parquet.ByteArray); ok {
		return asBig(a[i])
	}
	return asBig(c.Values.([]parquet.FixedLenByteArray)[i])
}

// This file compares conditions on files that store one column in different physical
// types with a naive filter.

package dataset

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// logicalColumn is a column by its values, and how files may store them.
type logicalColumn struct {
	testColumn // without node and values
	values     []int64
	forms      []physicalForm
}

// physicalForm is a way to store the values of a column.
type physicalForm func(t *testing.T, name string, values []int64) samples.ParquetColumn

// mapped makes values of a column of them.
func mapped[T any](n func(t *testing.T, name string) schema.Node, of func(x int64) T) physicalForm {
	return func(t *testing.T, name string, values []int64) samples.ParquetColumn {
		var out []T
		for _, x := range values {
			out = append(out, of(x))
		}
		return samples.ParquetColumn{Node: n(t, name), Values: out}
	}
}

func nodeOf(logical schema.LogicalType, typ parquet.Type, length int) func(t *testing.T, name string) schema.Node {
	return func(t *testing.T, name string) schema.Node { return samples.Node(t, name, true, logical, typ, length) }
}

var (
	as32  = func(x int64) int32 { return int32(x) }
	as64  = func(x int64) int64 { return x }
	fixed = func(n int) func(x int64) parquet.FixedLenByteArray {
		return func(x int64) parquet.FixedLenByteArray { return asBytes(big.NewInt(x), n) }
	}
)

// decimalForms are the forms of decimals of a scale.
func decimalForms(r *rand.Rand, scale int32) []physicalForm {
	d := func(digits int32) schema.LogicalType { return schema.NewDecimalLogicalType(digits, scale) }
	i32, i64, flba, bytes := parquet.Types.Int32, parquet.Types.Int64, parquet.Types.FixedLenByteArray, parquet.Types.ByteArray
	free := func(x int64) parquet.ByteArray { return asBytes(big.NewInt(x), r.IntN(14)) }
	return []physicalForm{mapped(nodeOf(d(9), i32, 0), as32), mapped(nodeOf(d(9), i64, 0), as64), mapped(nodeOf(d(18), i64, 0), as64),
		mapped(nodeOf(d(9), flba, 4), fixed(4)), mapped(nodeOf(d(18), flba, 8), fixed(8)), mapped(nodeOf(d(16), flba, 16), fixed(16)),
		mapped(nodeOf(d(30), flba, 13), fixed(13)), mapped(nodeOf(d(38), flba, 16), fixed(16)),
		mapped(nodeOf(d(9), bytes, 0), free), mapped(nodeOf(d(38), bytes, 0), free)}
}

// logicalColumns makes columns, nullable, whose values many forms hold exactly.
func logicalColumns(r *rand.Rand, rows int) []*logicalColumn {
	i32, i64, flba, bytes := parquet.Types.Int32, parquet.Types.Int64, parquet.Types.FixedLenByteArray, parquet.Types.ByteArray
	column := func(name string, value func(i int) int64, literal func(x int64) string, forms ...physicalForm) *logicalColumn {
		c := &logicalColumn{testColumn: testColumn{name: name}, forms: forms}
		for i := range rows {
			c.values, c.Valid = append(c.values, value(i)), append(c.Valid, r.IntN(6) > 0)
		}
		c.compare = func(i, j int) (int, bool) { return int(max(-1, min(1, c.values[i]-c.values[j]))), true }
		c.literal = func(i int) string { return literal(c.values[i]) }
		return c
	}
	// Values ascend now and then, so that statistics rule something out.
	small := func(i int) int64 {
		if r.IntN(3) == 0 {
			return r.Int64N(120) - 40
		}
		return int64(i*120/rows) - 40
	}
	natural := func(i int) int64 { return small(i) + 40 }
	integer := func(bits int8, signed bool) func(t *testing.T, name string) schema.Node {
		if bits == 64 {
			return nodeOf(schema.NewIntLogicalType(bits, signed), i64, 0)
		}
		return nodeOf(schema.NewIntLogicalType(bits, signed), i32, 0)
	}
	number := func(x int64) string { return fmt.Sprint(x) }
	half := func(x int64) parquet.FixedLenByteArray { return float16.New(float32(x)).ToLEBytes() }
	floats := []physicalForm{mapped(nodeOf(nil, parquet.Types.Float, 0), func(x int64) float32 { return float32(x) }),
		mapped(nodeOf(nil, parquet.Types.Double, 0), func(x int64) float64 { return float64(x) }),
		mapped(nodeOf(schema.Float16LogicalType{}, flba, 2), half)}
	signed := []physicalForm{mapped(integer(8, true), as32), mapped(integer(16, true), as32), mapped(integer(32, true), as32),
		mapped(integer(64, true), as64), mapped(nodeOf(nil, i32, 0), as32), mapped(nodeOf(nil, i64, 0), as64)}
	unsigned := []physicalForm{mapped(integer(8, false), as32), mapped(integer(16, false), as32), mapped(integer(32, false), as32), mapped(integer(64, false), as64)}
	stamp := func(unit schema.TimeUnitType, parts int64) physicalForm { // of values in milliseconds
		return mapped(nodeOf(schema.NewTimestampLogicalType(false, unit), i64, 0), func(x int64) int64 { return x * parts })
	}
	i96 := mapped(nodeOf(nil, parquet.Types.Int96, 0), func(x int64) (s parquet.Int96) {
		const day = 86_400_000
		days := x / day
		if x%day < 0 {
			days--
		}
		binary.LittleEndian.PutUint64(s[:], uint64((x-days*day)*1e6))
		binary.LittleEndian.PutUint32(s[8:], uint32(days+2_440_588))
		return s
	})
	text := func(x int64) string { return fmt.Sprintf("k%05d", x+100) }
	uuid := func(x int64) []byte { return fmt.Appendf(nil, "0123456789%06d", x+100) }
	return []*logicalColumn{
		column("dec", func(i int) int64 { return small(i) * 25 }, func(x int64) string { return decimalText(big.NewInt(x), 2) }, decimalForms(r, 2)...),
		column("whole", small, number, append(decimalForms(r, 0), append(signed, floats...)...)...),
		column("natural", natural, number, append(unsigned, append(signed, floats...)...)...),
		column("at", func(i int) int64 { return small(i) * 20_000_000 }, func(x int64) string { return time.UnixMilli(x).UTC().Format("'2006-01-02 15:04:05.999'") },
			stamp(schema.TimeUnitMillis, 1), stamp(schema.TimeUnitMicros, 1e3), stamp(schema.TimeUnitNanos, 1e6), i96, i96),
		column("day", small, func(x int64) string { return time.Unix(x*86_400, 0).UTC().Format("'2006-01-02'") },
			mapped(nodeOf(schema.DateLogicalType{}, i32, 0), as32), mapped(nodeOf(schema.NewTimestampLogicalType(false, schema.TimeUnitMicros), i64, 0), func(x int64) int64 { return x * 86_400e6 })),
		column("word", small, func(x int64) string { return "'" + text(x) + "'" },
			mapped(nodeOf(schema.StringLogicalType{}, bytes, 0), func(x int64) parquet.ByteArray { return []byte(text(x)) }),
			mapped(nodeOf(nil, bytes, 0), func(x int64) parquet.ByteArray { return []byte(text(x)) }),
			mapped(nodeOf(nil, flba, 6), func(x int64) parquet.FixedLenByteArray { return []byte(text(x)) })),
		column("uuid", small, func(x int64) string { return fmt.Sprintf("x'%x'", uuid(x)) },
			mapped(nodeOf(schema.UUIDLogicalType{}, flba, 16), func(x int64) parquet.FixedLenByteArray { return uuid(x) }),
			mapped(nodeOf(nil, flba, 16), func(x int64) parquet.FixedLenByteArray { return uuid(x) }),
			mapped(nodeOf(nil, bytes, 0), func(x int64) parquet.ByteArray { return uuid(x) })),
	}
}

// physicalFile writes rows of the columns in forms that are drawn, or in those that only has.
func physicalFile(t *testing.T, r *rand.Rand, all []*logicalColumn, from, to int, only func(c *logicalColumn) physicalForm) []byte {
	g := craft.Group{Rows: int64(to - from)}
	add := func(c *craft.Column, x *craft.Index) { g.Cols, g.Indexes = append(g.Cols, c), append(g.Indexes, x) }
	shifted := func(name string) { // numbers of rows, from one on
		c := testColumn{name: name, ParquetColumn: samples.ParquetColumn{Node: samples.Node(t, name, true, nil, parquet.Types.Int64, 0)}}
		var values []int64
		for i := from; i < to; i++ {
			values, c.Valid = append(values, int64(i)), append(c.Valid, true)
		}
		c.ParquetColumn.Values = values
		c.compare = func(i, j int) (int, bool) { return i - j, true }
		add(indexed(r, &c, 0, to-from))
	}
	shifted("src")
	for _, c := range all {
		form := c.forms[r.IntN(len(c.forms))]
		if only != nil {
			form = only(c)
		}
		part := testColumn{name: c.name, ParquetColumn: form(t, c.name, c.values[from:to])}
		part.Valid = c.Valid[from:to]
		part.compare = func(i, j int) (int, bool) { return c.compare(from+i, from+j) }
		add(indexed(r, &part, 0, to-from))
	}
	shifted("dst")
	return craft.IndexedGroups(g)
}

// TestWherePhysicalTypes: where files store one column in different physical types, conditions
// compare what the values stand for, by statistics, page indexes, bloom filters and values.
func TestWherePhysicalTypes(t *testing.T) {
	groups, rowsOut := 0, int64(0)
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 94))
		rows := 5 + r.IntN(800)
		all := logicalColumns(r, rows)
		dir := t.TempDir()
		for from, k := 0, 0; from < rows; k++ {
			to := min(rows, from+1+r.IntN(1+rows/2))
			samples.WriteTo(t, filepath.Join(dir, fmt.Sprintf("%03d.parquet", k)), physicalFile(t, r, all, from, to, nil))
			from = to
		}
		var cols []testColumn
		for _, c := range all {
			cols = append(cols, c.testColumn)
		}
		for range 20 {
			text, holds := conditionInRange(r, cols, rows)
			var want []int
			for i := range rows {
				if holds(i) == isTrue {
					want = append(want, i)
				}
			}
			d, err := Open(context.Background(), []string{dir}, Options{Where: text, Workers: 1 + r.IntN(3)})
			if err != nil {
				t.Fatalf("seed %d: %.300s: %v", seed, text, err)
			}
			if got := rowsWhere(t, d); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %.600s: %d rows, want %d", seed, text, len(got), len(want))
			}
			groups, rowsOut = groups+d.Stats().RowGroupsPassed, rowsOut+d.Stats().RowsPassed
		}
	}
	if groups == 0 || rowsOut == 0 {
		t.Errorf("%d row groups and %d rows were left out", groups, rowsOut)
	}
}

// TestDecimalIDs: decimals are the same ids, whatever they are stored as.
func TestDecimalIDs(t *testing.T) {
	for seed := range seeds(40) {
		r := rand.New(rand.NewPCG(seed, 96))
		dir := t.TempDir()
		var want []string
		for k := range 2 + r.IntN(4) {
			rows := 1 + r.IntN(20)
			var ends [2][]int64
			for range rows {
				a, b := r.Int64N(2000)-1000, r.Int64N(2000)-1000
				ends[0], ends[1] = append(ends[0], a), append(ends[1], b)
				want = append(want, fmt.Sprint(a, " ", b))
			}
			g := craft.Group{Rows: int64(rows)}
			for end, name := range []string{"src", "dst"} {
				forms := decimalForms(r, 0)
				c := testColumn{name: name, ParquetColumn: forms[r.IntN(len(forms))](t, name, ends[end])}
				c.Valid = slices.Repeat([]bool{true}, rows)
				c.compare = func(i, j int) (int, bool) { return int(ends[end][i] - ends[end][j]), true }
				col, x := indexed(r, &c, 0, rows)
				g.Cols, g.Indexes = append(g.Cols, col), append(g.Indexes, x)
			}
			samples.WriteTo(t, filepath.Join(dir, fmt.Sprintf("%d.parquet", k)), craft.IndexedGroups(g))
		}
		g, err := Load(context.Background(), dir, Options{Graph: graph.Options{Directed: true, KeepDuplicates: true, KeepSelfLoops: true}})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var got []string
		for v := range uint32(g.NumVertices()) {
			for _, w := range g.Out().Neighbors(v) {
				got = append(got, g.IDs().Format(v)+" "+g.IDs().Format(w))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d edges, want %d:\n%s\nwant\n%s", seed, len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		g.Close()
	}
}

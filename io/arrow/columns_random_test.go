// This file makes random nullable columns of all types, and says how their
// values compare.

package arrow

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// testColumn is a column: how its values compare with those of literals, and
// how those are written. Of values that aren't there valid says so.
type testColumn struct {
	pqColumn
	name    string
	compare func(i, j int) (c int, ordered bool) // rows i and j
	literal func(i int) string                   // "" for a value that none stands for
}

// ordered makes a column of values that compare as Go's do.
func ordered[T any, K cmp.Ordered](name string, n schema.Node, values []T, key func(T) K, literal func(T) string) testColumn {
	c := testColumn{name: name, pqColumn: pqColumn{node: n, values: values}}
	c.compare = func(i, j int) (int, bool) {
		a, b := key(values[i]), key(values[j])
		return cmp.Compare(a, b), a == a && b == b
	}
	c.literal = func(i int) string { return literal(values[i]) }
	return c
}

// testColumns makes nullable columns of all types.
func testColumns(t *testing.T, r *rand.Rand, rows int) []testColumn {
	// Values repeat, and now and then they grow with the rows, so that
	// statistics rule something out.
	small := func(i int) int64 {
		if r.IntN(3) == 0 {
			return r.Int64N(40) - 20
		}
		return int64(i*60/rows) - 20
	}
	ints32, ints64 := func(from func(int) int32) (out []int32) {
		for i := range rows {
			out = append(out, from(i))
		}
		return out
	}, func(from func(int) int64) (out []int64) {
		for i := range rows {
			out = append(out, from(i))
		}
		return out
	}
	id32, id64 := func(x int32) int64 { return int64(x) }, func(x int64) int64 { return x }
	text32, text64 := func(x int32) string { return fmt.Sprint(x) }, func(x int64) string { return fmt.Sprint(x) }
	odd64 := func(i int) int64 {
		return []int64{math.MinInt64, math.MaxInt64, -1, 0, small(i), small(i) << 40}[r.IntN(6)]
	}
	n := func(name string, logical schema.LogicalType, typ parquet.Type, length int) schema.Node {
		return node(t, name, true, logical, typ, length)
	}
	decimal := func(digits, scale int32) schema.LogicalType { return schema.NewDecimalLogicalType(digits, scale) }
	point := func(x int64) string { return strconv.FormatFloat(float64(x)/100, 'f', 2, 64) }
	i32, i64, fixed := parquet.Types.Int32, parquet.Types.Int64, parquet.Types.FixedLenByteArray
	plain32, plain64 := ints32(func(i int) int32 { return int32(small(i)) }), ints64(odd64)
	cols := []testColumn{
		ordered("i8", n("i8", schema.NewIntLogicalType(8, true), i32, 0), plain32, id32, text32),
		ordered("i32", n("i32", nil, i32, 0), ints32(func(i int) int32 { return int32(odd64(i) >> 7) }), id32, text32),
		ordered("u32", n("u32", schema.NewIntLogicalType(32, false), i32, 0), ints32(func(i int) int32 { return int32(odd64(i)) }),
			func(x int32) uint32 { return uint32(x) }, func(x int32) string { return fmt.Sprint(uint32(x)) }),
		ordered("i64", n("i64", nil, i64, 0), plain64, id64, text64),
		ordered("u64", n("u64", schema.NewIntLogicalType(64, false), i64, 0), ints64(odd64),
			func(x int64) uint64 { return uint64(x) }, func(x int64) string { return fmt.Sprint(uint64(x)) }),
		ordered("day", n("day", schema.DateLogicalType{}, i32, 0), plain32, id32,
			func(x int32) string { return "'" + time.Unix(int64(x)*86400, 0).UTC().Format(time.DateOnly) + "'" }),
		ordered("at", n("at", schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), i64, 0), ints64(small), id64,
			func(x int64) string { return "'" + time.UnixMicro(x).UTC().Format("2006-01-02T15:04:05.000000Z") + "'" }),
		ordered("dec9", n("dec9", decimal(9, 2), i32, 0), plain32, id32, func(x int32) string { return point(int64(x)) }),
		ordered("dec18", n("dec18", decimal(18, 2), i64, 0), ints64(small), id64, point),
	}
	for _, width := range []int{5, 8, 16} {
		var values []parquet.FixedLenByteArray
		for i := range rows {
			var b [16]byte
			x := small(i) * 50
			binary.BigEndian.PutUint64(b[:], uint64(x>>63))
			binary.BigEndian.PutUint64(b[8:], uint64(x))
			values = append(values, b[16-width:])
		}
		digits := map[int]int32{5: 11, 8: 18, 16: 18}[width]
		value := func(b parquet.FixedLenByteArray) int64 {
			x := int64(int8(b[0]))
			for _, c := range b[1:] {
				x = x<<8 | int64(c)
			}
			return x
		}
		name := fmt.Sprint("fdec", width)
		cols = append(cols, ordered(name, n(name, decimal(digits, 2), fixed, width), values, value,
			func(b parquet.FixedLenByteArray) string { return point(value(b)) }))
	}
	var singles []float32
	var doubles []float64
	var words, uuids []string
	long := r.IntN(3) == 0
	for i := range rows {
		odd := []float64{math.NaN(), math.Copysign(0, -1), 0, math.Inf(1), math.Inf(-1), float64(small(i)), float64(small(i)) / 3, -1e-9}
		singles, doubles = append(singles, float32(odd[r.IntN(8)])), append(doubles, odd[r.IntN(8)])
		s := fmt.Sprintf("v/%04d", small(i)+100)
		if long && r.IntN(2) == 0 { // so that batches are short
			s += strings.Repeat("x", r.IntN(12_000))
		}
		words, uuids = append(words, s[r.IntN(2)*2:]), append(uuids, fmt.Sprintf("0123456789ab%04d", small(i)+100))
	}
	number := func(x float64) string {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	cols = append(cols,
		ordered("f32", n("f32", nil, parquet.Types.Float, 0), singles, func(x float32) float32 { return x }, func(x float32) string { return number(float64(x)) }),
		ordered("f64", n("f64", nil, parquet.Types.Double, 0), doubles, func(x float64) float64 { return x }, number))
	var texts, binaries []parquet.ByteArray
	var ids []parquet.FixedLenByteArray
	for i := range words {
		texts, ids = append(texts, []byte(words[i])), append(ids, []byte(uuids[i]))
		binaries = append(binaries, []byte{byte(r.IntN(4)) << 6, byte(r.IntN(2))}[:r.IntN(3)])
	}
	hex := func(b parquet.ByteArray) string { return fmt.Sprintf("x'%x'", []byte(b)) }
	asText := func(b parquet.ByteArray) string { return string(b) }
	cols = append(cols,
		ordered("text", n("text", schema.StringLogicalType{}, parquet.Types.ByteArray, 0), texts, asText, func(b parquet.ByteArray) string { return "'" + string(b) + "'" }),
		ordered("bytes", n("bytes", nil, parquet.Types.ByteArray, 0), binaries, asText, hex),
		ordered("uuid", n("uuid", schema.UUIDLogicalType{}, fixed, 16), ids, func(b parquet.FixedLenByteArray) string { return string(b) },
			func(b parquet.FixedLenByteArray) string { return fmt.Sprintf("'%x'", []byte(b)) }))
	var bools []bool
	for i := range rows {
		bools = append(bools, r.IntN(3) == 0 || i*2 < rows)
	}
	cols = append(cols, ordered("flag", n("flag", nil, parquet.Types.Boolean, 0), bools,
		func(b bool) int { return map[bool]int{true: 1}[b] }, func(b bool) string { return fmt.Sprint(b) }))
	for k := range cols {
		valid := make([]bool, rows)
		nulls, run := []int{0, 0, 5, 50, 100}[r.IntN(5)], r.IntN(2) == 0
		for i := range valid {
			valid[i] = r.IntN(100) >= nulls
			if run && nulls > 0 { // for long
				valid[i] = i/97%3 != 1 && nulls < 100
			}
		}
		cols[k].valid = valid
	}
	return cols
}

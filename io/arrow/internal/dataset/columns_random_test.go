// This file makes random nullable columns of all types, and documents how their
// values compare.

package dataset

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// testColumn is a column: how its values compare with those of literals, and
// how those are written. valid is false for missing values.
type testColumn struct {
	samples.ParquetColumn
	name    string
	compare func(i, j int) (c int, ordered bool) // rows i and j
	literal func(i int) string                   // "" for a value that none stands for
	// probe, if there is one, returns a literal that needn't be a value, and how
	// rows compare with it.
	probe func(r *rand.Rand) (string, func(i int) int)
}

// ordered makes a column of values that compare as Go's do.
func ordered[T any, K cmp.Ordered](name string, n schema.Node, values []T, key func(T) K, literal func(T) string) testColumn {
	c := testColumn{name: name, ParquetColumn: samples.ParquetColumn{Node: n, Values: values}}
	c.compare = func(i, j int) (int, bool) {
		a, b := key(values[i]), key(values[j])
		return cmp.Compare(a, b), a == a && b == b
	}
	c.literal = func(i int) string { return literal(values[i]) }
	return c
}

// moreColumns makes columns of times in all units, of small integers, of 16-bit
// floats and of binary of one width.
func moreColumns(t *testing.T, r *rand.Rand, rows int, small func(i int) int64) []testColumn {
	n := func(name string, logical schema.LogicalType, typ parquet.Type, length int) schema.Node {
		return samples.Node(t, name, true, logical, typ, length)
	}
	id32, id64 := func(x int32) int64 { return int64(x) }, func(x int64) int64 { return x }
	var cols []testColumn
	for _, u := range []struct {
		name  string
		unit  schema.TimeUnitType
		parts int64
	}{{"ms", schema.TimeUnitMillis, 1e3}, {"us", schema.TimeUnitMicros, 1e6}, {"ns", schema.TimeUnitNanos, 1e9}} {
		stamps, clock64, clock32 := make([]int64, rows), make([]int64, rows), make([]int32, rows)
		for i := range rows {
			stamps[i] = small(i)*u.parts/7 + r.Int64N(3)
			clock64[i] = max(0, small(i)+20)*u.parts*100 + r.Int64N(3)
			clock32[i] = int32(clock64[i] / (u.parts / 1000))
		}
		text := func(layout string) func(x int64) string {
			return func(x int64) string {
				return time.Unix(0, 0).Add(time.Duration(x) * (time.Second / time.Duration(u.parts))).UTC().Format("'" + layout + "'")
			}
		}
		utc := r.IntN(2) == 0
		layout := "2006-01-02 15:04:05.999999999"
		if utc && r.IntN(2) == 0 {
			layout += "Z07:00"
		}
		cols = append(cols, ordered("at"+u.name, n("at"+u.name, schema.NewTimestampLogicalType(utc, u.unit), parquet.Types.Int64, 0), stamps, id64, text(layout)))
		clock := schema.NewTimeLogicalType(utc, u.unit)
		if u.parts == 1e3 {
			ms := text("15:04:05.999999999")
			cols = append(cols, ordered("time"+u.name, n("time"+u.name, clock, parquet.Types.Int32, 0), clock32, id32, func(x int32) string { return ms(int64(x)) }))
		} else {
			cols = append(cols, ordered("time"+u.name, n("time"+u.name, clock, parquet.Types.Int64, 0), clock64, id64, text("15:04:05.999999999")))
		}
	}
	narrow, halves := make([]int32, rows), make([]parquet.FixedLenByteArray, rows)
	fixed := make([]parquet.FixedLenByteArray, rows)
	for i := range rows {
		narrow[i] = int32(small(i)+200) & 255
		odd := []float32{float32(math.NaN()), float32(math.Copysign(0, -1)), 0, float32(math.Inf(1)), float32(math.Inf(-1)), float32(small(i)), float32(small(i)) / 4}
		halves[i] = float16.New(odd[r.IntN(len(odd))]).ToLEBytes()
		fixed[i] = []byte{byte(small(i)), 255 * byte(r.IntN(2)), byte(r.IntN(3))}
	}
	half := func(b parquet.FixedLenByteArray) float64 { return float64(float16.FromLEBytes(b).Float32()) }
	return append(cols,
		ordered("u8", n("u8", schema.NewIntLogicalType(8, false), parquet.Types.Int32, 0), narrow, id32, func(x int32) string { return fmt.Sprint(x) }),
		ordered("u16", n("u16", schema.NewIntLogicalType(16, false), parquet.Types.Int32, 0), narrow, id32, func(x int32) string { return fmt.Sprintf("%d.0", x) }),
		ordered("half", n("half", schema.Float16LogicalType{}, parquet.Types.FixedLenByteArray, 2), halves, half, func(b parquet.FixedLenByteArray) string {
			if x := half(b); !math.IsNaN(x) && !math.IsInf(x, 0) {
				return strconv.FormatFloat(x, 'g', -1, 64)
			}
			return ""
		}),
		ordered("fixed", n("fixed", nil, parquet.Types.FixedLenByteArray, 3), fixed, func(b parquet.FixedLenByteArray) string { return string(b) },
			func(b parquet.FixedLenByteArray) string { return fmt.Sprintf("x'%x'", []byte(b)) }))
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
		return samples.Node(t, name, true, logical, typ, length)
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
	probe := func(values []parquet.ByteArray, literal func([]byte) string) func(r *rand.Rand) (string, func(int) int) {
		return func(r *rand.Rand) (string, func(int) int) {
			s := bytes.Clone(values[r.IntN(rows)])
			s = s[:r.IntN(min(len(s), 9)+1)]
			if r.IntN(2) == 0 {
				s = append(s, "0vx~"[r.IntN(4)])
			}
			return literal(s), func(i int) int { return bytes.Compare(values[i], s) }
		}
	}
	hex := func(b parquet.ByteArray) string { return fmt.Sprintf("x'%x'", []byte(b)) }
	asText := func(b parquet.ByteArray) string { return string(b) }
	cols = append(cols,
		ordered("text", n("text", schema.StringLogicalType{}, parquet.Types.ByteArray, 0), texts, asText, func(b parquet.ByteArray) string { return "'" + string(b) + "'" }),
		ordered("bytes", n("bytes", nil, parquet.Types.ByteArray, 0), binaries, asText, hex),
		ordered("uuid", n("uuid", schema.UUIDLogicalType{}, fixed, 16), ids, func(b parquet.FixedLenByteArray) string { return string(b) },
			func(b parquet.FixedLenByteArray) string { return fmt.Sprintf("'%x'", []byte(b)) }))
	cols[len(cols)-3].probe = probe(texts, func(b []byte) string { return "'" + string(b) + "'" })
	cols[len(cols)-2].probe = probe(binaries, func(b []byte) string { return hex(b) })
	var bools []bool
	for i := range rows {
		bools = append(bools, r.IntN(3) == 0 || i*2 < rows)
	}
	cols = append(cols, ordered("flag", n("flag", nil, parquet.Types.Boolean, 0), bools,
		func(b bool) int { return map[bool]int{true: 1}[b] }, func(b bool) string { return fmt.Sprint(b) }))
	cols = append(cols, moreColumns(t, r, rows, small)...)
	cols = append(cols, wideColumns(t, r, rows, small)...)
	for k := range cols {
		valid := make([]bool, rows)
		nulls, run := []int{0, 0, 5, 50, 100}[r.IntN(5)], r.IntN(2) == 0
		for i := range valid {
			valid[i] = r.IntN(100) >= nulls
			if run && nulls > 0 { // for long
				valid[i] = i/97%3 != 1 && nulls < 100
			}
		}
		cols[k].Valid = valid
	}
	return cols
}

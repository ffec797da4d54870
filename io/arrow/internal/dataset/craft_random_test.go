// This file writes random columns as Parquet by hand, with everything that files can state
// of their values.

package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
)

// plainValue is how PLAIN writes value i of a column, booleans aside, without the
// length that comes before strings.
func plainValue(values any, i int) []byte {
	switch v := values.(type) {
	case []int32:
		return binary.LittleEndian.AppendUint32(nil, uint32(v[i]))
	case []int64:
		return binary.LittleEndian.AppendUint64(nil, uint64(v[i]))
	case []float32:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v[i]))
	case []float64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v[i]))
	case []parquet.ByteArray:
		return v[i]
	case []parquet.FixedLenByteArray:
		return v[i]
	case []parquet.Int96:
		return v[i][:]
	case []bool:
		if v[i] {
			return []byte{1}
		}
		return []byte{0}
	}
	panic(fmt.Sprintf("%T", values))
}

// craftColumn describes a column to craft.
func craftColumn(c *testColumn) craft.Column {
	n := c.Node.(*schema.PrimitiveNode)
	out := craft.Column{Name: c.name, Type: int(n.PhysicalType()), Length: max(0, n.TypeLength()), Optional: true}
	flag := func(id int, v bool) *craft.Struct { return new(craft.Struct).Bool(id, v) }
	unit := func(u schema.TimeUnitType) *craft.Struct {
		id := map[schema.TimeUnitType]int{schema.TimeUnitMillis: 1, schema.TimeUnitMicros: 2, schema.TimeUnitNanos: 3}[u]
		return new(craft.Struct).Sub(id, new(craft.Struct))
	}
	of := func(id int, s *craft.Struct) { out.Logical = new(craft.Struct).Sub(id, s) }
	switch l := n.LogicalType().(type) {
	case schema.StringLogicalType:
		of(1, new(craft.Struct))
	case *schema.DecimalLogicalType:
		of(5, new(craft.Struct).Int(1, int64(l.Scale())).Int(2, int64(l.Precision())))
	case schema.DateLogicalType:
		of(6, new(craft.Struct))
	case *schema.TimeLogicalType:
		of(7, flag(1, l.IsAdjustedToUTC()).Sub(2, unit(l.TimeUnit())))
	case *schema.TimestampLogicalType:
		of(8, flag(1, l.IsAdjustedToUTC()).Sub(2, unit(l.TimeUnit())))
	case *schema.IntLogicalType:
		signed := byte(2)
		if l.IsSigned() {
			signed = 1
		}
		of(10, new(craft.Struct).Raw(0x13, byte(l.BitWidth()), 0x10|signed))
	case schema.UUIDLogicalType:
		of(14, new(craft.Struct))
	case schema.Float16LogicalType:
		of(15, new(craft.Struct))
	case schema.NoLogicalType, schema.UnknownLogicalType:
	default:
		panic(fmt.Sprintf("%T", l))
	}
	return out
}

// pageBody writes rows of a column as a page's levels and values, by PLAIN or as
// indices into a dictionary.
func pageBody(c *testColumn, from, to int, dictionary map[string]int) (levels, body []byte) {
	levels = binary.AppendUvarint(nil, uint64((to-from+7)/8)<<1|1)
	bits := make([]byte, (to-from+7)/8)
	var indices []uint32
	n := 0
	for i := from; i < to; i++ {
		if !c.Valid[i] {
			continue
		}
		bits[(i-from)/8] |= 1 << ((i - from) % 8)
		raw := plainValue(c.Values, i)
		_, isBool := c.Values.([]bool)
		_, isString := c.Values.([]parquet.ByteArray)
		switch {
		case dictionary != nil:
			indices = append(indices, uint32(dictionary[string(raw)]))
		case isBool:
			if n%8 == 0 {
				body = append(body, 0)
			}
			body[n/8] |= raw[0] << (n % 8)
		case isString:
			body = append(binary.LittleEndian.AppendUint32(body, uint32(len(raw))), raw...)
		default:
			body = append(body, raw...)
		}
		n++
	}
	if dictionary != nil {
		body = binary.AppendUvarint([]byte{32}, uint64((n+7)/8)<<1|1)
		for len(indices)%8 > 0 {
			indices = append(indices, 0)
		}
		for _, x := range indices {
			body = binary.LittleEndian.AppendUint32(body, x)
		}
	}
	return append(levels, bits...), body
}

// statedBounds returns how a writer states the least and the greatest value of rows
// of a column. ok is false if it has NaN only, or no values.
func statedBounds(r *rand.Rand, c *testColumn, from, to int) (lo, hi []byte, nulls int, ok bool) {
	least, most, unordered := -1, -1, -1
	for i := from; i < to; i++ {
		if !c.Valid[i] {
			nulls++
			continue
		}
		if _, ordered := c.compare(i, i); !ordered {
			unordered = i
			continue
		}
		if d, _ := c.compare(i, max(least, 0)); least < 0 || d < 0 {
			least = i
		}
		if d, _ := c.compare(i, max(most, 0)); most < 0 || d > 0 {
			most = i
		}
	}
	if least < 0 {
		return nil, nil, nulls, false
	}
	lo, hi = slices.Clone(plainValue(c.Values, least)), slices.Clone(plainValue(c.Values, most))
	if unordered >= 0 && r.IntN(4) == 0 { // as writers do who compare with what came before
		return lo, plainValue(c.Values, unordered), nulls, true
	}
	switch c.Values.(type) {
	case []float32, []float64: // whose zeros have a sign, which writers choose
		for _, raw := range [][]byte{lo, hi} {
			if last := len(raw) - 1; raw[last]&127 == 0 && bytes.Count(raw, []byte{0}) >= last {
				raw[last] = 128 * byte(r.IntN(2))
			}
		}
	case []parquet.ByteArray:
		if n := r.IntN(9); n > 0 && n < len(lo) && r.IntN(2) == 0 { // cut
			lo = lo[:n]
		}
		if n := r.IntN(9); n > 0 && n < len(hi) && hi[n-1] < 255 && r.IntN(2) == 0 { // cut, and the last byte one more
			hi = slices.Clone(hi[:n])
			hi[n-1]++
		}
	}
	return lo, hi, nulls, true
}

// indexed is a row group of a column, by craft's means, and its index, nil for
// none.
func indexed(r *rand.Rand, c *testColumn, from, to int) (*craft.Column, *craft.Index) {
	out := craftColumn(c)
	out.Rows = int64(to - from)
	var dictionary map[string]int
	if _, isBool := c.Values.([]bool); !isBool && r.IntN(3) == 0 {
		dictionary = map[string]int{}
		var body []byte
		for i := from; i < to; i++ {
			raw := plainValue(c.Values, i)
			if _, ok := dictionary[string(raw)]; ok || !c.Valid[i] {
				continue
			}
			dictionary[string(raw)] = len(dictionary)
			if _, isString := c.Values.([]parquet.ByteArray); isString {
				body = binary.LittleEndian.AppendUint32(body, uint32(len(raw)))
			}
			body = append(body, raw...)
		}
		out.Pages = append(out.Pages, craft.Page{Kind: 2, Values: len(dictionary), Body: body})
	}
	if lo, hi, nulls, ok := statedBounds(r, c, from, to); r.IntN(3) > 0 {
		out.Stats = new(craft.Struct)
		if r.IntN(4) > 0 {
			out.Stats.Int(3, int64(nulls))
		}
		if ok && r.IntN(5) > 0 {
			out.Stats.Bytes(5, string(hi))
		}
		if ok && r.IntN(5) > 0 {
			out.Stats.Bytes(6, string(lo))
		}
	}
	x := &craft.Index{}
	bounded := r.IntN(8) > 0
	long := r.IntN(6) == 0
	for at := from; at < to; {
		end := min(to, at+1+r.IntN(30))
		if long {
			end = min(to, at+1+r.IntN(400))
		}
		levels, body := pageBody(c, at, end, dictionary)
		page := craft.Page{Values: end - at}
		if dictionary != nil {
			page.Encoding = 8
		}
		if r.IntN(2) == 0 {
			page.Kind, page.Levels, page.Body = 3, len(levels), append(levels, body...)
		} else {
			page.Body = slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels, body)
		}
		out.Pages = append(out.Pages, page)
		lo, hi, nulls, ok := statedBounds(r, c, at, end)
		null := nulls == end-at
		if !ok && !null { // nothing but NaN: some writers say so, others have no index
			if bounded = bounded && r.IntN(2) == 0; bounded {
				for i := at; i < end; i++ {
					if c.Valid[i] {
						lo = plainValue(c.Values, i)
						hi = lo
					}
				}
			}
		}
		x.Min, x.Max = append(x.Min, string(lo)), append(x.Max, string(hi))
		x.Null, x.Nulls = append(x.Null, null), append(x.Nulls, int64(nulls))
		at = end
	}
	if !bounded {
		x.Min, x.Max = nil, nil
	}
	if r.IntN(4) == 0 {
		x.Nulls = nil
	}
	x.Alone = r.IntN(5) == 0
	if _, isBool := c.Values.([]bool); !isBool && r.IntN(3) == 0 {
		var values [][]byte
		for i := from; i < to; i++ {
			if c.Valid[i] {
				values = append(values, plainValue(c.Values, i))
			}
		}
		x.Bloom = bloomOfBytes(values, 1+r.IntN(32))
	} else if x.Alone {
		x = nil
	}
	return &out, x
}

// numbers is a column of the numbers from one on, without nulls.
func numbers(r *rand.Rand, name string, from, to int) (*craft.Column, *craft.Index) {
	c := testColumn{name: name}
	for i := range to {
		c.Values, c.Valid = append(asInts(c.Values), int64(i)), append(c.Valid, true)
	}
	c.compare = func(i, j int) (int, bool) { return i - j, true }
	col, x := &craft.Column{Name: name, Type: pqInt64, Rows: int64(to - from)}, &craft.Index{}
	for at := from; at < to; {
		end := min(to, at+1+r.IntN(40))
		var body []byte
		for i := at; i < end; i++ {
			body = append(body, plainValue(c.Values, i)...)
		}
		col.Pages = append(col.Pages, craft.Page{Values: end - at, Body: body})
		lo, hi, _, _ := statedBounds(r, &c, at, end)
		x.Min, x.Max, x.Null = append(x.Min, string(lo)), append(x.Max, string(hi)), append(x.Null, false)
		at = end
	}
	return col, x
}

func asInts(v any) []int64 {
	ints, _ := v.([]int64)
	return ints
}

// This file makes random values of the types that Delta Lake's columns have.

package dataset

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
)

// deltaType is a type of columns: how values are made and written.
type deltaType struct {
	name     string
	parquet  int
	length   int
	logical  func() *craft.Struct
	scale    int
	widensTo string
}

func isLogical(id int) func() *craft.Struct {
	return func() *craft.Struct { return new(craft.Struct).Sub(id, new(craft.Struct)) }
}

func isTimestamp(utc bool) func() *craft.Struct {
	return func() *craft.Struct {
		unit := new(craft.Struct).Sub(2, new(craft.Struct))
		return new(craft.Struct).Sub(8, new(craft.Struct).Bool(1, utc).Sub(2, unit))
	}
}

func isDecimal(digits, scale int64) func() *craft.Struct {
	return func() *craft.Struct {
		return new(craft.Struct).Sub(5, new(craft.Struct).Int(1, scale).Int(2, digits))
	}
}

var deltaTypes = []deltaType{
	{name: "long", parquet: 2},
	{name: "integer", parquet: 1, widensTo: "long"},
	{name: "string", parquet: 6, logical: isLogical(1)},
	{name: "double", parquet: 5},
	{name: "float", parquet: 4, widensTo: "double"},
	{name: "date", parquet: 1, logical: isLogical(6)},
	{name: "timestamp", parquet: 2, logical: isTimestamp(true)},
	{name: "timestamp_ntz", parquet: 2, logical: isTimestamp(false)},
	{name: "decimal(9,2)", parquet: 1, logical: isDecimal(9, 2), scale: 2, widensTo: "decimal(12,2)"},
	{name: "decimal(12,2)", parquet: 2, logical: isDecimal(12, 2), scale: 2},
	{name: "decimal(30,4)", parquet: 7, length: 16, logical: isDecimal(30, 4), scale: 4},
	{name: "binary", parquet: 6},
}

func deltaTypeOf(name string) *deltaType {
	return &deltaTypes[slices.IndexFunc(deltaTypes, func(t deltaType) bool { return t.name == name })]
}

// deltaValue is a value: as allRows has it, in a file, as a partition's text, and in
// statistics.
type deltaValue struct {
	text      string
	plain     []byte
	partition string
	stat      any // nil where there are none
	order     float64
}

// random makes a value.
func (d *deltaType) random(r *rand.Rand) *deltaValue {
	v := &deltaValue{}
	n := r.Int64N(40) - 10
	v.order = float64(n)
	four, eight := binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	switch d.name {
	case "long", "integer":
		v.text, v.partition, v.stat = fmt.Sprint(n), fmt.Sprint(n), n
		if v.plain = eight(nil, uint64(n)); d.parquet == 1 {
			v.plain = four(nil, uint32(n))
		}
	case "string":
		s := []string{"", "a", "ä/ö", "x=1&y", "100%", "O'Hara", "\u2603", "A B", "z" + strings.Repeat("long", 5)}[r.IntN(9)] + []string{"", "1", "22"}[r.IntN(3)]
		v.text, v.partition, v.stat, v.plain = fmt.Sprintf("%q", s), s, s, craft.Plain(s)
	case "double", "float":
		x := float64(n) / 10
		v.partition, v.stat, v.plain = fmt.Sprint(x), x, eight(nil, math.Float64bits(x))
		if d.parquet == 4 {
			single := float32(x)
			x = float64(single) // which is another number than its text, as a double
			v.partition, v.stat, v.plain = fmt.Sprint(single), single, four(nil, math.Float32bits(single))
		}
		v.text, v.order = fmt.Sprintf("%g", x), x
	case "date":
		day := time.Unix(0, 0).UTC().AddDate(0, 0, int(n)*100).Format(time.DateOnly)
		v.text, v.partition, v.stat, v.plain = fmt.Sprint(n*100, "d"), day, day, four(nil, uint32(n*100))
	case "timestamp", "timestamp_ntz":
		us := n*86_400_000_000 + r.Int64N(1e9)
		t := time.UnixMicro(us).UTC()
		v.text, v.plain = fmt.Sprint(us, "us"), eight(nil, uint64(us))
		v.partition = t.Format("2006-01-02 15:04:05.000000")
		v.stat = t.Truncate(time.Millisecond).Format("2006-01-02T15:04:05.000") // as writers cut them
		if d.name == "timestamp" {
			v.stat = v.stat.(string) + "Z"
			if r.IntN(2) == 0 {
				v.partition = t.Format("2006-01-02T15:04:05.000000Z")
			}
		}
		v.order = float64(us)
	case "binary":
		s := fmt.Sprint("b", n)
		v.text, v.partition, v.plain = hex.EncodeToString([]byte(s)), s, craft.Plain(s)
	case "decimal(30,4)":
		x := new(big.Int).Mul(big.NewInt(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(20), nil))
		whole := new(big.Int).Set(x)
		if x.Sign() < 0 {
			whole.Add(x, new(big.Int).Lsh(big.NewInt(1), 128))
		}
		v.plain = whole.FillBytes(make([]byte, 16))
		v.text = hex.EncodeToString(columnar.Trimmed(v.plain)) + "e-4"
		v.partition = new(big.Rat).SetFrac(x, big.NewInt(10000)).FloatString(4)
	default: // of two digits behind the point
		v.text, v.partition = fmt.Sprint(n*7, "e-2"), fmt.Sprintf("%.2f", float64(n*7)/100)
		v.stat = json.Number(v.partition)
		if v.plain = eight(nil, uint64(n*7)); d.parquet == 1 {
			v.plain = four(nil, uint32(n*7))
		}
	}
	return v
}

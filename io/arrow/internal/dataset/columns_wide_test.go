// This file makes random columns of values that are wider than an int64.

package dataset

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// asBig is a number in two's complement, big-endian.
func asBig(b []byte) *big.Int {
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return x
}

// asBytes is a number in so many bytes in two's complement, or in as many as it
// takes where there are fewer.
func asBytes(x *big.Int, n int) []byte {
	n = max(n, x.BitLen()/8+1)
	if x.Sign() < 0 {
		x = new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return x.FillBytes(make([]byte, n))
}

// decimalText writes a decimal with all its digits behind the point.
func decimalText(x *big.Int, scale int) string {
	s := new(big.Int).Abs(x).String()
	s = strings.Repeat("0", max(0, scale+1-len(s))) + s
	s = s[:len(s)-scale] + "." + s[len(s)-scale:]
	if x.Sign() < 0 {
		s = "-" + s
	}
	return s
}

// wideDecimals makes a column of decimals of 38 digits.
func wideDecimals(r *rand.Rand, name string, n schema.Node, numbers []*big.Int, values any, scale int) testColumn {
	c := testColumn{name: name, ParquetColumn: samples.ParquetColumn{Node: n, Values: values}}
	c.compare = func(i, j int) (int, bool) { return numbers[i].Cmp(numbers[j]), true }
	c.literal = func(i int) string { return decimalText(numbers[i], scale) }
	c.probe = func(r *rand.Rand) (string, func(i int) int) {
		text := decimalText(numbers[r.IntN(len(numbers))], scale) + []string{"5", "0", "00000000000000000000000000001"}[r.IntN(3)]
		if r.IntN(4) == 0 {
			text = []string{"1e300", "-1e300", "1e-300", "0", "-0.0", "9223372036854775808"}[r.IntN(6)]
		}
		x, _ := new(big.Rat).SetString(text)
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
		return text, func(i int) int { return new(big.Rat).SetFrac(numbers[i], unit).Cmp(x) }
	}
	return c
}

// wideColumns makes decimals of more than 18 digits, in fixed and in any number of
// bytes, and timestamps of 96 bits.
func wideColumns(t *testing.T, r *rand.Rand, rows int, small func(i int) int64) []testColumn {
	var fixed []parquet.FixedLenByteArray
	var free []parquet.ByteArray
	var stamps []parquet.Int96
	var wide, narrow []*big.Int
	var times []time.Time
	for i := range rows {
		x := new(big.Int).Mul(big.NewInt(small(i)), new(big.Int).Exp(big.NewInt(10), big.NewInt([]int64{0, 9, 20, 20, 36}[r.IntN(5)]), nil))
		if r.IntN(5) == 0 {
			x = new(big.Int).Lsh(big.NewInt(int64(1-2*r.IntN(2))), []uint{7, 8, 63, 64, 120}[r.IntN(5)])
			x.Sub(x, big.NewInt(r.Int64N(2)))
		}
		wide, fixed = append(wide, x), append(fixed, asBytes(x, 16))
		y := new(big.Int).Add(x, big.NewInt(r.Int64N(2)))
		if r.IntN(2) == 0 {
			y = big.NewInt(small(i) * 7)
		}
		narrow, free = append(narrow, y), append(free, asBytes(y, r.IntN(20)))

		day, nanos := 20_000+small(i), []int64{0, 1, 86_399_999_999_999, r.Int64N(86_400) * 1e9}[r.IntN(4)]
		switch r.IntN(8) {
		case 0: // the last day that has a literal, and the first one
			day = []int64{2_932_896, -719_162}[r.IntN(2)]
		case 1: // as some writers have it
			day, nanos = day-2, nanos+2*86_400e9
		case 2:
			day, nanos = day+1, nanos-86_400e9
		}
		var s parquet.Int96
		binary.LittleEndian.PutUint64(s[:], uint64(nanos))
		binary.LittleEndian.PutUint32(s[8:], uint32(day+2_440_588))
		stamps, times = append(stamps, s), append(times, time.Unix(day*86_400, nanos).UTC())
	}
	n := func(name string, logical schema.LogicalType, typ parquet.Type, length int) schema.Node {
		return samples.Node(t, name, true, logical, typ, length)
	}
	i96 := testColumn{name: "i96", ParquetColumn: samples.ParquetColumn{Node: n("i96", nil, parquet.Types.Int96, 0), Values: stamps}}
	i96.compare = func(i, j int) (int, bool) { return times[i].Compare(times[j]), true }
	i96.literal = func(i int) string { return times[i].Format("'2006-01-02 15:04:05.999999999'") }
	i96.probe = func(r *rand.Rand) (string, func(i int) int) {
		day := times[r.IntN(rows)].Truncate(24 * time.Hour)
		if r.IntN(3) == 0 {
			return "'9999-12-31'", func(i int) int { return times[i].Compare(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)) }
		}
		return day.Format("'2006-01-02'"), func(i int) int { return times[i].Compare(day) }
	}
	return []testColumn{
		wideDecimals(r, "wdec", n("wdec", schema.NewDecimalLogicalType(38, 10), parquet.Types.FixedLenByteArray, 16), wide, fixed, 10),
		wideDecimals(r, "vdec", n("vdec", schema.NewDecimalLogicalType(38, 2), parquet.Types.ByteArray, 0), narrow, free, 2),
		i96,
	}
}

// TestAsBytes: what the columns are made by.
func TestAsBytes(t *testing.T) {
	for _, x := range []int64{0, 1, -1, 127, 128, -128, -129, 1 << 40} {
		for n := range 10 {
			if got := asBig(asBytes(big.NewInt(x), n)); got.Int64() != x {
				t.Errorf("%d in %d bytes: %v", x, n, got)
			}
		}
	}
	if got := fmt.Sprintln(decimalText(big.NewInt(-5), 2), decimalText(big.NewInt(12345), 2)); got != "-0.05 123.45\n" {
		t.Error(got)
	}
}

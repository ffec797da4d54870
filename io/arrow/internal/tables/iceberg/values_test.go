// This file tests single values and partition transforms.

package iceberg

import (
	"encoding/hex"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

func typeOf(t *testing.T, name string) *dataType {
	d := new(dataType)
	if err := d.parse(name); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestHashes: the values of the specification's appendix B.
func TestHashes(t *testing.T) {
	for _, c := range []struct {
		typ, json string
		hash      int32
	}{
		{"int", "34", 2017239379}, {"long", "34", 2017239379}, {"decimal(9,2)", `"14.20"`, -500754589}, {"decimal(38,2)", `"14.20"`, -500754589},
		{"date", `"2017-11-16"`, -653330422}, {"time", `"22:31:08"`, -662762989},
		{"timestamp", `"2017-11-16T22:31:08"`, -2047944441}, {"timestamp", `"2017-11-16T22:31:08.000001"`, -1207196810},
		{"timestamptz", `"2017-11-16T14:31:08-08:00"`, -2047944441}, {"timestamptz", `"2017-11-16T14:31:08.000001-08:00"`, -1207196810},
		{"timestamp_ns", `"2017-11-16T22:31:08"`, -2047944441}, {"timestamp_ns", `"2017-11-16T22:31:08.000001001"`, -1207196810},
		{"timestamptz_ns", `"2017-11-16T14:31:08.000001001-08:00"`, -1207196810},
		{"string", `"iceberg"`, 1210000089}, {"uuid", `"f79c3e09-677c-4bbd-a479-3f349cb785e7"`, 1488055340},
		{"fixed[4]", `"00010203"`, -188683207}, {"binary", `"00010203"`, -188683207},
	} {
		typ := typeOf(t, c.typ)
		s, err := typ.fromJSON([]byte(c.json))
		if err != nil {
			t.Error(err)
			continue
		}
		const n = 1 << 30
		got, ok := transform{"bucket", n}.bucket(typ, s)
		if want := int64(c.hash&math.MaxInt32) % n; !ok || got != want {
			t.Errorf("%s %s is in bucket %d, want %d", c.typ, c.json, got, want)
		}
	}
}

// TestSingleValues: what the binary and the JSON form say is the same.
func TestSingleValues(t *testing.T) {
	for _, c := range []struct{ typ, bytes, json string }{
		{"boolean", "01", "true"}, {"boolean", "00", "false"}, {"int", "ffffffff", "-1"}, {"long", "2a000000", "42"}, {"long", "feffffffffffffff", "-2"},
		{"float", "0000c03f", "1.5"}, {"double", "0000c03f", "1.5"}, {"double", "000000000000f8bf", "-1.5"},
		{"decimal(9, 2)", "058c", `"14.20"`}, {"decimal(9,2)", "fa74", `"-14.20"`}, {"decimal(18,0)", "00000000000000000080", `"128"`},
		{"decimal(38,3)", "00d3c21bcecceda1000000", `"1000000000000000000000.000"`}, {"decimal(20,1)", "ff", `"-0.1"`},
		{"date", "0c4d0000", `"2024-01-02"`}, {"time", "40420f0000000000", `"00:00:01"`},
		{"timestamp", "ffffffffffffffff", `"1969-12-31T23:59:59.999999"`}, {"timestamp", "01000000", `"1970-01-02T00:00:00"`},
		{"timestamp_ns", "0100000000000000", `"1970-01-01T00:00:00.000000001"`}, {"timestamptz_ns", "01000000", `"1970-01-02T01:00:00+01:00"`},
		{"string", "c3a9", `"é"`}, {"uuid", "f79c3e09677c4bbda4793f349cb785e7", `"f79c3e09-677c-4bbd-a479-3f349cb785e7"`},
		{"fixed[2]", "0aff", `"0aff"`}, {"binary", "", `""`},
	} {
		typ := typeOf(t, c.typ)
		b, err := hex.DecodeString(c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := typ.single(b)
		want, err := typ.fromJSON([]byte(c.json))
		if err != nil || !ok || typ.compare(&s, &want) != 0 {
			t.Errorf("%s: %s is %v, %v; %s is %v, %v", c.typ, c.bytes, s, ok, c.json, want, err)
		}
	}
	for _, c := range []struct{ typ, json string }{
		{"boolean", "1"}, {"int", "2147483648"}, {"int", "1.5"}, {"long", `"1"`}, {"decimal(9,2)", `"14.2"`}, {"decimal(4,2)", `"123.45"`}, {"decimal(9,2)", "14.20"},
		{"date", `"2024-13-01"`}, {"time", `"25:00:00"`}, {"timestamp", `"2024-01-01T00:00:00+00:00"`}, {"timestamptz", `"2024-01-01T00:00:00"`},
		{"timestamp_ns", `"3000-01-01T00:00:00"`}, {"uuid", `"f79c"`}, {"fixed[2]", `"0a"`}, {"binary", `"0"`}, {"string", "5"}, {"float", `"x"`},
	} {
		if s, err := typeOf(t, c.typ).fromJSON([]byte(c.json)); !errors.Is(err, columnar.ErrCorrupt) {
			t.Errorf("%s %s: %v, %v", c.typ, c.json, s, err)
		}
	}
}

// TestDecimals: numbers of any length come back.
func TestDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	typ := typeOf(t, "decimal(38,0)")
	for range 10000 {
		n := new(big.Int).Lsh(big.NewInt(rng.Int64()), uint(rng.IntN(60)))
		n.Rsh(n, uint(rng.IntN(60))).Add(n, big.NewInt(rng.Int64N(3)))
		if rng.IntN(2) == 0 {
			n.Neg(n)
		}
		s, ok := typ.parseDecimal(n.String())
		if !ok {
			t.Fatal(n)
		}
		back := new(big.Int).SetBytes(s.Bytes)
		if s.Bytes[0] >= 0x80 {
			back.Sub(back, new(big.Int).Lsh(big.NewInt(1), uint(len(s.Bytes)*8)))
		}
		if back.Cmp(n) != 0 {
			t.Fatalf("%v is %x", n, s.Bytes)
		}
	}
}

// TestTransformBounds: a value is within the bounds of its partition, and its neighbors
// outside of other partitions.
func TestTransformBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		typ := typeOf(t, []string{"date", "timestamp", "timestamptz_ns", "timestamp_ns"}[rng.IntN(4)])
		v := rng.Int64N(400_000) - 200_000
		x := transform{name: []string{"year", "month", "day", "hour"}[rng.IntN(3+min(1, int(typ.kind-dateKind)))]}
		at := time.Unix(v*secondsOfDay, 0).UTC()
		if typ.kind != dateKind {
			v = rng.Int64N(1 << 62)
			if rng.IntN(2) == 0 {
				v = -v
			}
			if typ.kind == timestampKind {
				v /= 1 << 8
			}
			at = time.Unix(0, v).UTC()
			if typ.kind.unit() == 1e6 {
				at = time.UnixMicro(v).UTC()
			}
		}
		floor := func(a, b int64) int64 {
			q := a / b
			if a%b < 0 {
				q--
			}
			return q
		}
		n := map[string]int64{"year": int64(at.Year()) - 1970, "month": int64(at.Year()-1970)*12 + int64(at.Month()) - 1,
			"day": floor(at.Unix(), secondsOfDay), "hour": floor(at.Unix(), 3600)}[x.name]
		s := columnar.Scalar{Int: n}
		k := x.between(typ, &s, &s)
		if k.HasMin && k.Min.Int > v || k.HasMax && k.Max.Int < v || !k.HasMax && at.Year() < 2250 && at.Year() > 1700 {
			t.Fatalf("%s of %v (%d) is %d, whose bounds are %+v", x.name, at, v, n, k.Bounds)
		}
		if next := (columnar.Scalar{Int: n + 1}); n > 1 {
			if k := x.between(typ, &next, &next); k.HasMin && k.Min.Int <= v {
				t.Fatalf("%s of %v is %d, and in %d", x.name, at, n, n+1)
			}
		}
	}
	for _, c := range []struct {
		typ, transform, value, lo, hi string // as JSON
	}{
		{"string", "truncate[3]", `"ab"`, `"ab"`, `"ab"`}, {"string", "truncate[2]", `"ab"`, `"ab"`, `"ac"`}, {"string", "truncate[1]", `"é"`, `"é"`, `"ê"`},
		{"long", "truncate[10]", "-10", "-10", "-1"}, {"int", "truncate[10]", "20", "20", "29"}, {"decimal(9,2)", "truncate[50]", `"10.50"`, `"10.50"`, `"10.99"`},
		{"decimal(38,2)", "truncate[50]", `"-0.50"`, `"-0.50"`, `"-0.01"`}, {"binary", "truncate[1]", `"05"`, `"05"`, `"06"`}, {"binary", "truncate[1]", `"ff"`, `"ff"`, ""},
	} {
		typ := typeOf(t, c.typ)
		s, err := typ.fromJSON([]byte(c.value))
		if err != nil {
			t.Fatal(err)
		}
		k := parseTransform(c.transform).between(typ, &s, &s)
		lo, _ := typ.fromJSON([]byte(c.lo))
		hi, _ := typ.fromJSON([]byte(c.hi))
		if !k.HasMin || typ.compare(&k.Min, &lo) != 0 || k.HasMax != (c.hi != "") || k.HasMax && typ.compare(&k.Max, &hi) != 0 {
			t.Errorf("%s of %s: %+v", c.transform, c.value, k.Bounds)
		}
	}
}

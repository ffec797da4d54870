// This file tests the parts: transforms, values, locations, and which snapshot is meant.

package iceberg

import (
	"encoding/hex"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/lake"
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

// TestTransformBounds: a value lies in the bounds of its partition, and its neighbours
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

// TestPlaces: where the files of a table are that was moved.
func TestPlaces(t *testing.T) {
	for _, c := range []struct{ location, dir, name, want string }{
		{"/a/t", "/a/t", "/a/t/data/x", "/a/t/data/x"},
		{"/a/t", "/b/u", "/a/t/data/x", "/b/u/data/x"},
		{"/a/t/", "/b/u", "/a/t/data/x", "/b/u/data/x"},
		{"file:/a/t", "/b/u", "file:///a/t/data/x", "/b/u/data/x"},
		{"file:///a/t", "/b/u", "/a/t/data/x=%20y", "/b/u/data/x=%20y"},
		{"s3a://b/t", "s3://c/t", "s3://b/t/data/x", "s3://c/t/data/x"},
		{"s3://b/t", "down/t", "s3n://b/t/data//x", "down/t/data//x"},
		{"hdfs://node:1/t", "/b/u", "hdfs://node:1/t/data/x", "/b/u/data/x"},
		{"hdfs://node:1/t", "/b/u", "hdfs://node:1/v/data/x", "unsupported"},
		{"gs://b/t", "", "gs://b/t/x", "unsupported"},
		{"data/p/wh/db/t", "/r/data/p/wh/db/t", "data/p/wh/db/t/x", "/r/data/p/wh/db/t/x"},
		{"data/p/wh/db/t", "/r/data/p/wh/db/t", "data/p/wh/other/x", "/r/data/p/wh/other/x"},
		{"/old/wh/db/t", "/new/wh/db/t", "/old/wh/other/x", "/new/wh/other/x"},
		{"/old/wh/db/t", "/new/wh/db/u", "/old/wh/other/x", "/old/wh/other/x"},
		{"/old/wh/db/t", "t", "/old/wh/db/other/x", "other/x"},
		{"/a/t", "/b/t", "/a/tt/x", "/b/tt/x"},
		{"/a/t", "s3://b/t", "/a/t/x", "s3://b/t/x"},
		{"/a/t", "s3://b/t", "/c/x", "unsupported"},
		{"s3://b/t", "", "/etc/passwd", "unsupported"},
		{"/a/t", "/b/t", "", "damaged"},
		{"/a/t", ".", "/a/t/x", "./x"},
	} {
		got, err := newPlaces(c.location, c.dir).find(c.name)
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%q of %q, found at %q, is %q, want %q", c.name, c.location, c.dir, got, c.want)
		}
	}
}

// TestLocate: which metadata file is the current one.
func TestLocate(t *testing.T) {
	for _, c := range []struct {
		name, files, hint, want string
	}{
		{"/t", "v1 v2 v10", "", "v10"}, {"/t", "v1 v2 v10", "2", "v2"}, {"/t", "v1 v2 v3", "2", "v3"}, {"/t", "v1", "7", "v1"},
		{"/t", "00000-a 00002-b 00010-c", "", "00010-c"}, {"/t", "00000-a 00001-b", "00000-a", "00000-a"},
		{"/t", "00000-a 00001-b", "/elsewhere/metadata/00000-a.metadata.json", "00000-a"}, {"/t", "00000-a 00001-b", "gone", "00001-b"},
		{"/t", "v1 final", "", "v1"}, {"/t", "final", "", "final"}, {"/t", "v1 v2", "nonsense", "v2"}, {"/t", "v1 v2", "99999999999999999999", "v2"},
		{"/t/metadata/v1.metadata.json", "v1 v2", "2", "v1"}, {"/t/", "v3", "3", "v3"},
		{"/t", "00001-a 00001-b", "", "it is not clear which"}, {"/t", "", "", "file does not exist"},
	} {
		m := memory{}
		for f := range strings.FieldsSeq(c.files) {
			m["/t/metadata/"+f+".metadata.json"] = []byte("{}")
		}
		if c.hint != "" {
			m["/t/metadata/version-hint.text"] = []byte(c.hint + "\n")
		}
		m["/t/metadata/.v99.metadata.json.crc"] = nil
		m["/t/metadata/.v98.metadata.json"] = nil
		dir, file, err := locate(t.Context(), m, c.name)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v", c, err)
			}
		} else if dir != "/t" || file != "/t/metadata/"+c.want+".metadata.json" {
			t.Errorf("%+v: %s, %s", c, dir, file)
		}
	}
	for hint, file := range map[string]string{"5": "v5.gz", "": "v5.gz"} {
		m := memory{"/t/metadata/" + file + ".metadata.json": nil, "/t/metadata/v4.metadata.json": nil}
		if hint != "" {
			m["/t/metadata/version-hint.text"] = []byte(hint)
		}
		if _, got, err := locate(t.Context(), m, "/t"); err != nil || !strings.Contains(got, file) {
			t.Error(got, err)
		}
	}
}

// TestChoose: which snapshot is meant, and which schema it has.
func TestChoose(t *testing.T) {
	text := `{"format-version": 2, "location": "/t", "current-schema-id": 1, "schemas": [{"type": "struct", "schema-id": 0, "fields": []}, {"type": "struct", "schema-id": 1, "fields": []}],
		"current-snapshot-id": 3, "snapshots": [{"snapshot-id": 1, "timestamp-ms": 1000, "schema-id": 0}, {"snapshot-id": 2, "timestamp-ms": 2000, "parent-snapshot-id": 1},
		{"snapshot-id": 3, "timestamp-ms": 3000, "parent-snapshot-id": 2, "schema-id": 0}], LOG
		"refs": {"main": {"snapshot-id": 3, "type": "branch"}, "2": {"snapshot-id": 1, "type": "tag"}, "old": {"snapshot-id": 1, "type": "tag"}, "work": {"snapshot-id": 1, "type": "branch"},
		"lost": {"snapshot-id": 9, "type": "tag"}, "odd": {"snapshot-id": 1, "type": "twig"}}}`
	log := `"snapshot-log": [{"snapshot-id": 1, "timestamp-ms": 1000}, {"snapshot-id": 7, "timestamp-ms": 1500}, {"snapshot-id": 2, "timestamp-ms": 2000}, {"snapshot-id": 1, "timestamp-ms": 2500}, {"snapshot-id": 3, "timestamp-ms": 3000}],`
	for _, c := range []struct {
		log    bool
		at     lake.At
		want   string // the snapshot, or the error
		schema int
	}{
		{true, lake.At{}, "3", 1}, {true, lake.At{Snapshot: "3"}, "3", 0}, {true, lake.At{Snapshot: "2"}, "2", 1}, {true, lake.At{Snapshot: "main"}, "3", 1},
		{true, lake.At{Snapshot: "old"}, "1", 0}, {true, lake.At{Snapshot: "work"}, "1", 1}, {true, lake.At{Snapshot: "lost"}, "lacks the snapshot 9", 0},
		{true, lake.At{Snapshot: "odd"}, "neither a branch nor a tag", 0}, {true, lake.At{Snapshot: "8"}, "no snapshot, branch or tag \"8\"", 0}, {true, lake.At{Snapshot: "new"}, "it has \"2\", \"lost\"", 0},
		{true, lake.At{Time: time.UnixMilli(1000)}, "1", 0}, {true, lake.At{Time: time.UnixMilli(999)}, "the first that is known became current at 1970-01-01T00:00:01Z", 0},
		{true, lake.At{Time: time.UnixMilli(1700)}, "it was expired", 0}, {true, lake.At{Time: time.UnixMilli(2499)}, "2", 1}, {true, lake.At{Time: time.UnixMilli(2999)}, "1", 0},
		{true, lake.At{Time: time.UnixMilli(1 << 40)}, "3", 0}, {false, lake.At{Time: time.UnixMilli(2600)}, "2", 1}, {false, lake.At{Time: time.UnixMilli(5)}, "had none", 0},
	} {
		with := ""
		if c.log {
			with = log
		}
		m, err := parseMetadata([]byte(strings.Replace(text, "LOG", with, 1)))
		if err != nil {
			t.Fatal(err)
		}
		snap, schema, err := m.choose(c.at)
		switch {
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%+v: %v", c, err)
		case err == nil && (string(snap.ID) != c.want || schema.ID != c.schema):
			t.Errorf("%+v: %s with schema %d", c, snap.ID, schema.ID)
		}
	}
}

// TestRefused: what isn't read is named.
func TestRefused(t *testing.T) {
	deep := strings.Repeat(`{"type":"struct","fields":[{"id":1,"name":"x","type":`, 5000)
	for text, want := range map[string]string{
		`{"format-version": 4}`: "unsupported: format version 4", `{}`: "damaged file: the metadata has no format-version", `[`: "damaged file", "": "damaged file",
		`{"format-version": 3, "location": "/t", "encryption-keys": [{}]}`:                               "unsupported: the table is encrypted",
		`{"format-version": 2, "location": "/t", "schemas": [{"type": "list"}]}`:                         "damaged file",
		`{"format-version": 2, "location": "/t", "schemas": [` + deep:                                    "nested more than",
		`{"format-version": 2, "location": "/t", "snapshots": [{"snapshot-id": 1}, {"snapshot-id": 1}]}`: "two snapshots 1",
		`{"format-version": 2, "location": "/t", "current-snapshot-id": 1e3}`:                            "no id of a snapshot",
		`{"format-version": 2}`: "no location",
		"\x1f\x8b":              "damaged file",
		`{"format-version": 2, "location": "/t", "schemas": [{"type":"struct","fields":[{"id":1,"name":"a","type":"int"},{"id":1,"name":"b","type":"int"}]}]}`: "two columns have the field id 1",
	} {
		if _, err := parseMetadata([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
	}
	for name, want := range map[string]string{"decimal(39,0)": "no decimal", "decimal(5,6)": "no decimal", "decimal(x)": "no decimal", "fixed[x]": "no length"} {
		if err := new(dataType).parse(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"variant", "geometry(srid:4326)", "unknown", "fixedpoint", "decimal"} {
		d := typeOf(t, name)
		if c := d.column("x", true); c.Class != columnar.Opaque || c.IsID || c.Type != name {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

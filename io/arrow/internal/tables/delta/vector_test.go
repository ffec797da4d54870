package delta

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// TestProtocolExamples: the deletion vectors that Delta Lake's protocol has as examples.
func TestProtocolExamples(t *testing.T) {
	table := &table{dir: "s3://mytable"}
	v, err := table.vector(&vectorDescriptor{StorageType: "i", PathOrInlineDV: "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", SizeInBytes: 40, Cardinality: 6})
	if err != nil {
		t.Fatal(err)
	}
	deleted, err := v.read(context.Background(), nil)
	if err != nil || !slices.Equal(deleted.Rows, []int64{3, 4, 7, 11, 18, 29}) {
		t.Errorf("%v, %v", deleted, err)
	}
	offset := int64(4)
	v, err = table.vector(&vectorDescriptor{StorageType: "u", PathOrInlineDV: "ab^-aqEH.-t@S}K{vb[*k^", Offset: &offset, SizeInBytes: 40, Cardinality: 6})
	if err != nil || v.name != "s3://mytable/ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin" || v.offset != 4 {
		t.Errorf("%+v, %v", v, err)
	}
	v, err = table.vector(&vectorDescriptor{StorageType: "u", PathOrInlineDV: "a%25^-aqEH.-t@S}K{vb[*k^", Offset: &offset, SizeInBytes: 40, Cardinality: 6})
	if err != nil || v.name != "s3://mytable/a%25/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin" {
		t.Errorf("%+v, %v", v, err)
	}
	v, err = table.vector(&vectorDescriptor{StorageType: "p", PathOrInlineDV: "s3://mytable/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin", SizeInBytes: 40, Cardinality: 6})
	if err != nil || v.name != "s3://mytable/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin" {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestPaths: what a log may call a file, and what is refused.
func TestPaths(t *testing.T) {
	for _, c := range []struct {
		dir, path, want string
		err             error
	}{
		{"/lake/t", "a.parquet", "/lake/t/a.parquet", nil},
		{"/lake/t", "x=A%2520B/a.parquet", "/lake/t/x=A%20B/a.parquet", nil},
		{"/lake/t", "x=1/a:b.parquet", "/lake/t/x=1/a:b.parquet", nil},
		{"/lake/t", "file:///other/a%20b.parquet", "/other/a b.parquet", nil},
		{"/lake/t", "file:/other/a.parquet", "/other/a.parquet", nil},
		{"/lake/t", "/other/a.parquet", "/other/a.parquet", nil},
		{"/lake/t", "/other/x=A%2520B/a.parquet", "/other/x=A%20B/a.parquet", nil},
		{"/lake/t", "%2Fother/a%25.parquet", "/other/a%.parquet", nil},
		{"/lake/t", "file://localhost/other/a%2525.parquet", "/other/a%25.parquet", nil},
		{"/lake/t", "s3a://bucket/a%2Bb.parquet", "s3://bucket/a+b.parquet", nil},
		{"s3://b/t", "x=%25/a.parquet", "s3://b/t/x=%/a.parquet", nil},
		{"/lake/t", "../a.parquet", "/lake/a.parquet", nil}, // which Options.AllowOutside is for
		{"/lake/t", "x/../../a.parquet", "/lake/a.parquet", nil},
		{"s3://b/t", "%2e%2e/a.parquet", "", columnar.ErrUnsupported},
		{"/lake/t", "abfss://x@y/a.parquet", "", columnar.ErrUnsupported},
		{"/lake/t", "%zz.parquet", "", columnar.ErrCorrupt},
		{"/lake/t", "a%00.parquet", "", columnar.ErrCorrupt},
	} {
		got, err := (&table{dir: c.dir}).resolve(c.path)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s in %s: %q, %v; want %q, %v", c.path, c.dir, got, err, c.want, c.err)
		}
	}
}

// TestPartitionValues: text of partition values, by their types.
func TestPartitionValues(t *testing.T) {
	for _, c := range []struct {
		typ, text string
		want      columnar.Scalar
		bad       bool
	}{
		{typ: "byte", text: "-128", want: columnar.Scalar{Int: -128}},
		{typ: "byte", text: "128", bad: true},
		{typ: "long", text: "9223372036854775807", want: columnar.Scalar{Int: 1<<63 - 1}},
		{typ: "integer", text: "1.0", bad: true},
		{typ: "boolean", text: "true", want: columnar.Scalar{Int: 1}},
		{typ: "boolean", text: "yes", bad: true},
		{typ: "date", text: "1969-12-31", want: columnar.Scalar{Int: -1}},
		{typ: "date", text: "0001-01-01", want: columnar.Scalar{Int: -719162}},
		{typ: "date", text: "2020-02-30", bad: true},
		{typ: "timestamp", text: "1970-01-01 00:00:01", want: columnar.Scalar{Int: 1e6}},
		{typ: "timestamp", text: "1970-01-01 00:00:00.123456", want: columnar.Scalar{Int: 123456}},
		{typ: "timestamp", text: "1969-12-31T23:59:59.999999Z", want: columnar.Scalar{Int: -1}},
		{typ: "timestamp_ntz", text: "1970-01-02 00:00:00", want: columnar.Scalar{Int: 86400e6}},
		{typ: "timestamp", text: "yesterday", bad: true},
		{typ: "double", text: "-Infinity", want: columnar.Scalar{Double: negInf}},
		{typ: "double", text: "1e", bad: true},
		{typ: "decimal(5,2)", text: "-1.25", want: columnar.Scalar{Int: -125}},
		{typ: "decimal(5,2)", text: "1.255", bad: true},
		{typ: "decimal(5,0)", text: "1E+3", want: columnar.Scalar{Int: 1000}},
		{typ: "decimal(5,0)", text: "1E+999999", bad: true},
		{typ: "decimal(5,2)", text: "1/2", bad: true},
		{typ: "decimal(38,0)", text: "-1", want: columnar.Scalar{Bytes: slices.Repeat([]byte{0xff}, 16)}},
	} {
		typ, opaque := typeOf(c.typ)
		got, ok := parseValue(c.text, &typ)
		if opaque || ok == c.bad || ok && (got.Int != c.want.Int || got.Double != c.want.Double || !slices.Equal(got.Bytes, c.want.Bytes)) {
			t.Errorf("%s %q: %+v, %v", c.typ, c.text, got, ok)
		}
	}
}

var negInf = func() float64 { zero := 0.0; return -1 / zero }()

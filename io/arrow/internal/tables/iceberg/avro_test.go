// This file reads manifests that are written as others write them.

package iceberg

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// TestPartitionTypes: values of partitions in the types that writers give them.
func TestPartitionTypes(t *testing.T) {
	sixteen := []byte("\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7")
	for _, c := range []struct {
		typ, avro string
		value     any
		want      string // as JSON
	}{
		{"boolean", `"boolean"`, true, "true"}, {"int", `"int"`, int32(-5), "-5"}, {"long", `"int"`, int32(-5), "-5"}, {"long", `"long"`, int64(1 << 40), "1099511627776"},
		{"float", `"float"`, float32(1.5), "1.5"}, {"double", `"float"`, float32(1.5), "1.5"}, {"double", `"double"`, 2.25, "2.25"},
		{"string", `"string"`, "é", `"é"`}, {"binary", `"bytes"`, []byte{1, 255}, `"01ff"`}, {"fixed[2]", `{"type":"fixed","name":"f","size":2}`, []byte{1, 255}, `"01ff"`},
		{"uuid", `{"type":"fixed","name":"uuid_fixed","size":16,"logicalType":"uuid"}`, sixteen, `"f79c3e09-677c-4bbd-a479-3f349cb785e7"`},
		{"uuid", `{"type":"string","logicalType":"uuid"}`, "f79c3e09-677c-4bbd-a479-3f349cb785e7", `"f79c3e09-677c-4bbd-a479-3f349cb785e7"`},
		{"decimal(9,2)", `{"type":"fixed","name":"d","size":4,"logicalType":"decimal","precision":9,"scale":2}`, []byte{0xff, 0xff, 0xfa, 0x74}, `"-14.20"`},
		{"decimal(38,2)", `{"type":"fixed","name":"d","size":16,"logicalType":"decimal","precision":38,"scale":2}`, append(make([]byte, 14), 5, 0x8c), `"14.20"`},
		{"decimal(9,2)", `{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`, []byte{5, 0x8c}, `"14.20"`},
		{"date", `{"type":"int","logicalType":"date"}`, int32(19724), `"2024-01-02"`}, {"date", `"int"`, int32(19724), `"2024-01-02"`},
		{"timestamp", `{"type":"int","logicalType":"date"}`, int32(19724), `"2024-01-02T00:00:00"`},
		{"time", `{"type":"long","logicalType":"time-micros"}`, int64(1e6), `"00:00:01"`},
		{"timestamptz", `{"type":"long","logicalType":"timestamp-micros","adjust-to-utc":true}`, int64(1e6), `"1970-01-01T00:00:01+00:00"`},
		{"timestamp_ns", `{"type":"long","logicalType":"timestamp-nanos","adjust-to-utc":false}`, int64(1), `"1970-01-01T00:00:00.000000001"`},
		{"timestamp", `{"type":"long","logicalType":"local-timestamp-micros"}`, int64(1e6), `"1970-01-01T00:00:01"`},
		{"int", `"null"`, nil, ""},
	} {
		for _, optional := range []bool{true, false} {
			typ := c.avro
			if optional && c.avro != `"null"` {
				typ = `["null",` + c.avro + `]`
			}
			// Names of columns may be no names of Avro's; the file is encoded without logical types.
			schema := func(typ string) string {
				return `{"type":"record","name":"manifest_entry","fields":[{"name":"status","type":"int","field-id":0},{"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
				{"name":"path","type":"string","field-id":100},{"name":"file_format","type":"string","field-id":101},{"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[
				{"name":"über col","type":` + typ + `,"field-id":1007}]}},{"name":"record_count","type":"long","field-id":103}]}}]}`
			}
			plain := typ
			for _, logical := range []string{"uuid", "decimal", "date", "time-micros", "timestamp-micros", "timestamp-nanos", "local-timestamp-micros"} {
				plain = strings.Replace(plain, `"logicalType":"`+logical+`"`, `"x":"y"`, 1)
			}
			lax := avro.WithLaxNames(func(string) error { return nil })
			s, err := avro.Parse(schema(plain), lax)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			w, err := ocf.NewWriter(&out, s, ocf.WithSchema(schema(typ)), ocf.WithSchemaOpts(lax))
			if err != nil {
				t.Fatal(err)
			}
			err = w.Encode(map[string]any{"status": 1, "data_file": map[string]any{"path": "p", "file_format": "PARQUET", "partition": map[string]any{"über col": c.value}, "record_count": int64(3)}})
			if err == nil {
				err = w.Close()
			}
			if err != nil {
				t.Fatal(c, err)
			}
			r, err := openContainer(memoryFile{bytes.NewReader(out.Bytes())}, entryFields, tables.NewBudget(0))
			if err != nil {
				t.Errorf("%s: %v", c.avro, err)
				continue
			}
			var e entry
			if err := r.next(&e); err != nil || e.File.Path != "p" || *e.File.Rows != 3 {
				t.Errorf("%s: %+v, %v", c.avro, e, err)
				continue
			}
			if err := r.next(new(entry)); err != io.EOF {
				t.Errorf("%s: %v", c.avro, err)
			}
			d := typeOf(t, c.typ)
			spec := &partitionSpec{Fields: []partitionField{{Source: 1, ID: 1007, Name: "über col", Transform: "identity"}}}
			if _, err := partitionOf(spec, &e.File); err != nil {
				t.Errorf("%s: %v", c.avro, err)
			}
			l := &leaf{id: 1, path: "x", typ: *d}
			fixed, err := (&columns{leaves: map[int]*leaf{1: l}}).fixed(&e.File, spec)
			got := fixed["x"]
			if err != nil || got.Null != (c.want == "") {
				t.Errorf("%s of %s: %+v, %v", c.avro, c.typ, got, err)
				continue
			}
			if c.want == "" {
				continue
			}
			if want, err := d.fromJSON([]byte(c.want)); err != nil || d.compare(&got.Scalar, &want) != 0 {
				t.Errorf("%s of %s: %+v, want %+v, %v", c.avro, c.typ, got, want, err)
			}
		}
	}
}

// TestNoManifest: files that are no manifests are damaged ones.
func TestNoManifest(t *testing.T) {
	write := func(schema string, v any) []byte {
		var out bytes.Buffer
		w, err := ocf.NewWriter(&out, avro.MustParse(schema))
		if err == nil {
			err = w.Encode(v)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	for want, b := range map[string][]byte{
		"damaged file: ":        []byte("PAR1"),
		"it ends too early":     nil,
		"which is no record":    write(`"long"`, int64(1)),
		"no field status":       write(`{"type":"record","name":"x","fields":[{"name":"a","type":"int"}]}`, map[string]any{"a": 1}),
		"is of type \"string\"": write(`{"type":"record","name":"x","fields":[{"name":"status","type":"int"},{"name":"data_file","type":"string"}]}`, map[string]any{"status": 1, "data_file": ""}),
	} {
		_, err := openContainer(memoryFile{bytes.NewReader(b)}, entryFields, tables.NewBudget(0))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(fmt.Sprint(err), columnar.ErrCorrupt.Error()) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// This file tests where a table's files are, and which snapshot is meant.

package iceberg

import (
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

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
		{"./t", "/r/t", "./t/x", "/r/t/x"},
		{"./t", "/r/t", "t/x", "/r/t/x"},
		{"t", "/r/t", "./t/x", "/r/t/x"},
		{"./t", "t", "./t/x", "t/x"},
		{"./t", "./t", "./t/x", "./t/x"},
		{"./wh/./t", "/r/u", ".//wh/t/./x", "/r/u/x"},
		{"file:./t", "/r/u", "file:./t/x", "/r/u/x"},
		{".", "/r/u", "./data/x", "/r/u/data/x"},
		{"./", "/r/u", "data/x", "/r/u/data/x"},
		{".", "/r/u", "/abs/x", "/abs/x"},
		{"./t", "", "./t/x", "t/x"},
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
		at     tables.At
		want   string // the snapshot, or the error
		schema int
	}{
		{true, tables.At{}, "3", 1}, {true, tables.At{Snapshot: "3"}, "3", 0}, {true, tables.At{Snapshot: "2"}, "2", 1}, {true, tables.At{Snapshot: "main"}, "3", 1},
		{true, tables.At{Snapshot: "old"}, "1", 0}, {true, tables.At{Snapshot: "work"}, "1", 1}, {true, tables.At{Snapshot: "lost"}, "lacks the snapshot 9", 0},
		{true, tables.At{Snapshot: "odd"}, "neither a branch nor a tag", 0}, {true, tables.At{Snapshot: "8"}, "no snapshot, branch or tag \"8\"", 0}, {true, tables.At{Snapshot: "new"}, "it has \"2\", \"lost\"", 0},
		{true, tables.At{Time: time.UnixMilli(1000)}, "1", 0}, {true, tables.At{Time: time.UnixMilli(999)}, "the first that is known became current at 1970-01-01T00:00:01Z", 0},
		{true, tables.At{Time: time.UnixMilli(1700)}, "it was expired", 0}, {true, tables.At{Time: time.UnixMilli(2499)}, "2", 1}, {true, tables.At{Time: time.UnixMilli(2999)}, "1", 0},
		{true, tables.At{Time: time.UnixMilli(1 << 40)}, "3", 0}, {false, tables.At{Time: time.UnixMilli(2600)}, "2", 1}, {false, tables.At{Time: time.UnixMilli(5)}, "had none", 0},
	} {
		with := ""
		if c.log {
			with = log
		}
		m, err := parseMetadata([]byte(strings.Replace(text, "LOG", with, 1)), tables.NewBudget(0))
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
		`{"format-version": 2, "location": "/t", "snapshots": [` + strings.Repeat("{},", 700_000) + `{}]}`:       "has 700,002 objects",
		`{"format-version": 2, "location": "/t", "snapshots": [` + strings.Repeat("null,", 3_400_000) + `null]}`: "Options.MaxMetadata raises it",
		"\x1f\x8b": "damaged file",
		`{"format-version": 2, "location": "/t", "schemas": [{"type":"struct","fields":[{"id":1,"name":"a","type":"int"},{"id":1,"name":"b","type":"int"}]}]}`: "two columns have the field id 1",
	} {
		if _, err := parseMetadata([]byte(text), tables.NewBudget(0)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
	}
	// Properties that aren't read aren't kept, whatever they are.
	if m, err := parseMetadata([]byte(`{"format-version": 2, "location": "/t", "properties": {"a": 1, "schema.name-mapping.default": "[]"}}`), tables.NewBudget(0)); err != nil || m.Properties.Mapping != "[]" {
		t.Errorf("%+v, %v", m, err)
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

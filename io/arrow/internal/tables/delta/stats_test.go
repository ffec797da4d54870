package delta

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// TestBounds: what statistics say bounds the values, as the files have them.
func TestBounds(t *testing.T) {
	within := func(lo, hi columnar.Scalar, c *columnar.Column, x columnar.Scalar) bool {
		if c.Class == columnar.Float {
			return lo.Double <= x.Double && x.Double <= hi.Double
		}
		return lo.Int <= x.Int && x.Int <= hi.Int
	}
	single := float64(float32(0.7)) // less than 0.7
	for _, c := range []struct {
		typ, text string
		widened   bool
		value     columnar.Scalar // that a writer may have shortened to the text
		none      bool
	}{
		{typ: "long", text: "9007199254740993", value: columnar.Scalar{Int: 9007199254740993}},
		{typ: "long", text: `"1"`, none: true},
		{typ: "integer", text: "3000000000", none: true},
		{typ: "double", text: "0.7", value: columnar.Scalar{Double: 0.7}},
		{typ: "float", text: "0.7", value: columnar.Scalar{Double: single}},
		{typ: "double", text: "0.7", widened: true, value: columnar.Scalar{Double: single}},
		{typ: "double", text: `"NaN"`, none: true},
		{typ: "date", text: `"1970-01-02"`, value: columnar.Scalar{Int: 1}},
		{typ: "date", text: "1", none: true},
		{typ: "timestamp", text: `"1970-01-01T00:00:00.001Z"`, value: columnar.Scalar{Int: 1999}},
		{typ: "timestamp", text: `"1970-01-01T01:00:00.001+01:00"`, value: columnar.Scalar{Int: 1000}},
		{typ: "timestamp_ntz", text: `"1970-01-01T00:00:00.001"`, value: columnar.Scalar{Int: 1000}},
		{typ: "timestamp_ntz", text: `"1970-01-01"`, widened: true, value: columnar.Scalar{Int: 0}},
		{typ: "decimal(10,2)", text: "1.25", value: columnar.Scalar{Int: 125}},
		{typ: "decimal(18,2)", text: "1234567890123456.78", none: true}, // it may be a rounded double
		{typ: "decimal(38,2)", text: "1.25", none: true},
		{typ: "decimal(10,2)", text: "1.2e1", none: true},
		{typ: "binary", text: `"x"`, none: true},
		{typ: "boolean", text: "true", none: true},
		{typ: "string", text: `"a\ufffdb"`, none: true},
		{typ: "string", text: "1", none: true},
	} {
		typ, _ := typeOf(c.typ)
		var v any
		d := json.NewDecoder(strings.NewReader(c.text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		table := &table{widened: c.widened}
		lo, hasLo := table.bound(v, &typ, false)
		hi, hasHi := table.bound(v, &typ, true)
		if hasLo == c.none || hasHi == c.none || !c.none && !within(lo, hi, &typ, c.value) {
			t.Errorf("%s %s: %v %v, %v %v", c.typ, c.text, lo, hasLo, hi, hasHi)
		}
	}
	text, _ := typeOf("string")
	table := &table{}
	// What a greatest value is shortened to ends in a mark.
	long := "0123456789abcdef0123456789abcdef\ufffd"
	if s, ok := table.bound(long, &text, true); !ok || string(s.Bytes) != long {
		t.Errorf("%q, %v", s.Bytes, ok)
	}
	if _, ok := table.bound(long, &text, false); ok {
		t.Error("a least value with a mark bounds")
	}
}

// FuzzFind: what is found in valid JSON is what encoding/json finds.
func FuzzFind(f *testing.F) {
	for _, text := range []string{
		`{"numRecords":3,"minValues":{"a":1,"b":{"c":"x\"}"}},"nullCount":{"a":0}}`, ` { "minValues" : { "\u0061" : -1.5e3 , "z" : [ 1 , { "a" : 2 } ] } } `,
		`{}`, `[]`, `7`, `"minValues"`, `{"minValues":{}}`, `{"minValues":{"a":null,"b":{"c":true}}}`, `{"minValues":{"a":"\ud800"}}`, "{\"minValues\":{\"a\":\"\xff\"}}",
		`{"x":"\\","minValues":{"a":"\\\""}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) || strings.Count(text, `"a"`) > 1 || strings.Count(text, "minValues") > 1 || strings.Count(text, `"b"`) > 1 || strings.Count(text, `"c"`) > 1 || strings.Contains(text, `\u`) && strings.Count(text, ":") > 4 {
			return // of members with the same name the first is taken
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var tree any
		if err := d.Decode(&tree); err != nil {
			return
		}
		for _, path := range [][]string{{"minValues"}, {"minValues", "a"}, {"minValues", "b", "c"}, {"a"}} {
			want := tree
			for _, name := range path {
				object, _ := want.(map[string]any)
				want = object[name]
			}
			switch want.(type) {
			case json.Number, string:
			default:
				want = nil
			}
			if got := find(text, path[0], path[1:]); got != want {
				t.Errorf("%q at %q: %#v, not %#v", text, path, got, want)
			}
		}
	})
}

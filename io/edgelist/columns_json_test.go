// This file tests strings of JSON lines in columns.

package edgelist

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// TestEmptyJSONStrings: an empty string isn't a missing value, wherever it stands among the lines.
func TestEmptyJSONStrings(t *testing.T) {
	var lines bytes.Buffer
	const n = 40000
	for i := range n {
		fmt.Fprintf(&lines, `{"src":%d,"dst":%d,"c":%q}`+"\n", i, i+1, map[bool]string{true: "x"}[i == n/2])
	}
	for _, types := range []map[string]string{nil, {"c": "string"}, {"c": "binary"}} {
		g, err := Load(ctx, write(t, "x.jsonl", lines.Bytes()), Options{Workers: 3, ColumnTypes: types, Graph: graph.Options{Directed: true, EdgeColumns: []string{"c"}}})
		if err != nil {
			t.Fatal(err)
		}
		c := g.EdgeColumns()[0]
		for e, code := range c.Values.([]uint32) {
			if code == graph.NoCode {
				t.Fatalf("%v: the string of edge %d is missing", types, e)
			}
		}
		if c.Dictionary.Len() != 2 {
			t.Errorf("%v: %d strings", types, c.Dictionary.Len())
		}
	}
}

// TestColumnPastFloat32: a number that float32 can't hold is an error, as one past float64 is.
func TestColumnPastFloat32(t *testing.T) {
	for value, ok := range map[string]bool{"1e38": true, "1e39": false, "-1e39": false} {
		_, err := Load(ctx, write(t, "x.csv", []byte("src,dst,c\n1,2,"+value+"\n")), Options{ColumnTypes: map[string]string{"c": "float32"}, Graph: graph.Options{EdgeColumns: []string{"c"}}})
		if ok != (err == nil) || !ok && !errors.Is(err, ErrColumnType) {
			t.Errorf("%s: %v", value, err)
		}
	}
}

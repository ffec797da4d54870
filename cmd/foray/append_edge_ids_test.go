// This file tests which edge ids append gives to new edges.

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAppendEdgeIDs: a graph doesn't know whether its edge ids are a column's or numbers of rows, so append asks.
func TestAppendEdgeIDs(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	text, rows := in("text.csv"), in("rows.parquet")
	if err := os.WriteFile(text, []byte("src,dst\n1,2\n2,3\n3,4\n4,5\n5,6\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g, old, more := in("g.foray"), in("old.parquet"), in("more.parquet")
	foray(t, 0, "convert", text, rows, "--directed")
	foray(t, 0, "convert", rows, old, "--directed", "--edge-ids", "--where", "src <= 2")  // column edge_id: 0, 1
	foray(t, 0, "convert", rows, more, "--directed", "--edge-ids", "--where", "src >= 3") // 2, 3, 4
	foray(t, 0, "convert", old, g, "--directed", "--edge-id", "edge_id")
	before, err := os.ReadFile(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"--edge-ids=false"}, {"-o", in("other.foray")}, {"--where", "src = 77"}} {
		_, errs := foray(t, 2, append([]string{"append", g, more}, args...)...)
		contains(t, errs, "the graph in "+g+" has edge ids; say which ones the edges of "+more+" get: --edge-id COLUMN", "--edge-ids counts the added rows from 0")
	}
	lake := deltaOfKarate(t)
	_, errs := foray(t, 2, "append", g, lake, "--since", "0", "--snapshot", "1")
	contains(t, errs, "say which ones the edges of "+lake+" get: --edge-id COLUMN")
	_, errs = foray(t, 2, "append", g, text)
	contains(t, errs, "has edge ids, and "+text+" has none; use Parquet, Arrow or GraphAr, with --edge-id COLUMN")
	if after, err := os.ReadFile(g); err != nil || string(after) != string(before) {
		t.Errorf("the graph was changed: %v", err)
	}
	foray(t, 0, "append", g, more, "--edge-id", "edge_id", "-o", in("column.foray"))
	foray(t, 0, "append", g, more, "--edge-ids", "-o", in("rows.foray"))
	foray(t, 0, "append", g, more, "--remove", "-o", in("gone.foray"))   // of which ids are not asked
	foray(t, 0, "append", g, in("column.foray"), "-o", in("both.foray")) // which has its own ids
	for name, want := range map[string]string{
		"column.foray": "3,4,2\n4,5,3\n5,6,4\n", "rows.foray": "3,4,0\n4,5,1\n5,6,2\n", "both.foray": "3,4,2\n4,5,3\n5,6,4\n", "gone.foray": "",
	} {
		if out, _ := foray(t, 0, "convert", in(name), "-", "--edge-ids"); out != "src,dst,edge_id\n1,2,0\n2,3,1\n"+want {
			t.Errorf("%s: %q", name, out)
		}
	}
}

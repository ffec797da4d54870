// This file holds the tests of append.

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/internal/files/atomicfile"
)

func TestAppend(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	edges := func(path string, args ...string) string {
		out, _ := foray(t, 0, append([]string{"convert", path, "-"}, args...)...)
		return out
	}
	old, more := file("old.csv", "src,dst,weight\n1,2,5\n2,3,7\n"), file("more.csv", "src,dst,weight\n3,9,1\n1,2,4\n1,2,6\n")
	g, h := filepath.Join(dir, "g.foray"), filepath.Join(dir, "h.foray")
	foray(t, 0, "convert", old, g, "--weights")
	out, _ := foray(t, 0, "append", g, more, "-o", h)
	contains(t, out, "h.foray: 3 edges, 4 vertices; before 2 edges, 3 vertices; in ")
	if got, want := edges(h, "--weights"), "src,dst,weight\n1,2,4\n2,3,7\n3,9,1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := edges(g, "--weights"), "src,dst,weight\n1,2,5\n2,3,7\n"; got != want {
		t.Errorf("the graph itself has changed: %q, want %q", got, want)
	}
	foray(t, 0, "append", g, more) // in place
	if edges(g, "--weights") != edges(h, "--weights") {
		t.Error("in place and to another file differ")
	}
	foray(t, 0, "append", g, old, "--remove")
	if got, want := edges(g, "--weights"), "src,dst,weight\n3,9,1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	out, _ = foray(t, 0, "info", g)
	contains(t, out, "vertices       4\n")
	foray(t, 0, "append", g, h) // what is added may be a graph
	out, _ = foray(t, 0, "bfs", g, "--source", "9", "-o", "-", "--sort", "id")
	if want := "vertex,depth\n1,3\n2,2\n3,1\n9,0\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	// Vertices are numbered in the order in which they were added, until they are renumbered.
	late := filepath.Join(dir, "late.foray")
	foray(t, 0, "convert", file("late.csv", "src,dst\n5,7\n7,9\n"), late)
	info := func(path, want string) {
		t.Helper()
		out, _ := foray(t, 0, "info", path)
		contains(t, out, "order          given: vertices are numbered "+want+"\n")
	}
	info(late, "as ids ascend")
	foray(t, 0, "append", late, file("later.csv", "src,dst\n9,11\n"))
	info(late, "as ids ascend")
	foray(t, 0, "append", late, file("early.csv", "src,dst\n5,6\n"))
	info(late, "as they came, not as ids ascend")
	foray(t, 0, "convert", late, h, "--order", "given")
	info(h, "as ids ascend")
	if got, want := edges(h), "src,dst\n5,6\n5,7\n7,9\n9,11\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// Ids that are strings stay so, also where all new ones are numbers; a directed graph.
	names := filepath.Join(dir, "names.foray")
	foray(t, 0, "convert", file("names.csv", "src,dst\na,b\n"), names, "--directed")
	foray(t, 0, "append", names, file("numbers.csv", "src,dst\n8,7\n"))
	if got, want := edges(names), "src,dst\na,b\n8,7\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// Ids of edges.
	first, second, ids := filepath.Join(dir, "1.parquet"), filepath.Join(dir, "2.parquet"), filepath.Join(dir, "ids.foray")
	foray(t, 0, "convert", file("1.csv", "src,dst\n1,2\n2,3\n"), first)
	foray(t, 0, "convert", file("2.csv", "src,dst\n4,5\n1,2\n3,4\n"), second)
	foray(t, 0, "convert", first, ids, "--edge-ids")
	foray(t, 0, "append", ids, second, "--edge-ids")
	if got, want := edges(ids, "--edge-ids"), "src,dst,edge_id\n1,2,0\n2,3,1\n3,4,2\n4,5,0\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// No edge is nothing new.
	none := file("header.csv", "src,dst,weight\n")
	out, _ = foray(t, 0, "append", g, none)
	if want := g + " stays as it is: " + none + ": it holds no edge\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	out, _ = foray(t, 0, "append", g, none, "-o", h)
	contains(t, out, "header.csv: it holds no edge; in ")
	out, _ = foray(t, 0, "append", ids, second, "--edge-ids", "--where", "src = 77")
	contains(t, out, "ids.foray stays as it is: "+second+": no row meets the condition")
	bare, words := filepath.Join(dir, "bare.foray"), filepath.Join(dir, "words.foray")
	foray(t, 0, "convert", old, bare)
	foray(t, 0, "convert", file("words.csv", "src,dst\na,b\n"), words)
	before, err := os.ReadFile(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "append needs a GRAPH and EDGES", []string{g}},
		{1, "old.csv:1: --weight names column \"w\", but the columns are \"src\", \"dst\", \"weight\"", []string{g, old, "--weight", "w"}},
		{2, "--weight is for files that have columns with names: Parquet, Arrow, GraphAr, and text with a header; " + h + " is a prepared graph, whose edges have the weights that they have", []string{g, h, "--weight", "w"}},
		{2, "gen:star:4 is generated: weights=MIN:MAX in the spec gives it weights", []string{g, "gen:star:4", "--weight", "w"}},
		{2, "old.csv isn't a prepared graph", []string{old, more}},
		{2, "whose name ends in .foray", []string{g, more, "-o", filepath.Join(dir, "x.parquet")}},
		{2, "--directed=true: the graph in " + g + " is undirected, and edges are read so; leave it out", []string{g, more, "--directed"}},
		{2, "vertices keep their numbers", []string{g, more, "--order", "degree"}},
		{2, "weights are not used here", []string{names, more, "--weight", "weight"}},
		{2, "the name of a file to write is empty", []string{g, more, "-o", ""}},
		{1, "no such file", []string{g, filepath.Join(dir, "none.csv")}},
		{1, "ids of the graph are int64, ids of the added or removed edges string", []string{bare, words}},
		{2, "the graph in " + names + " is directed, and the one in " + bare + " undirected; build both alike", []string{bare, names}},
		{2, "the graph in " + bare + " is undirected, and the one in " + names + " directed; build both alike", []string{names, bare}},
		{1, "appending " + first + " to " + names + ": wrong id type: ids of the graph are string, ids of the added or removed edges int64", []string{names, first}},
		{1, "removing the edges of " + first + " from " + names + ": wrong id type", []string{names, first, "--remove"}},
		{2, "the name of GRAPH is empty", []string{"", more}},
		{1, "; the graph in " + g + " has weights, so that new edges need them", []string{g, file("bare.csv", "src,dst\n1,2\n")}},
		{1, "; the graph in " + g + " has weights, so that new edges need them", []string{g, "gen:kron4"}},
		{1, "the graph in " + g + " has weights, but no column is named", []string{g, first}},
		{1, "words.csv: wrong id type", []string{bare, old, filepath.Join(dir, "words.csv")}},
		{2, "the graph in " + ids + " has edge ids, and " + old + " has none; use Parquet", []string{ids, old}},
		{2, "the graph in " + bare + " has no edge ids, and the one in " + ids + " has; build both alike", []string{ids, bare}},
		{2, "the graph in " + bare + " has no weights, and the one in " + g + " has; build both alike", []string{g, bare}},
		{1, "want two ids and a weight", []string{g, file("bare.csv", "src,dst\n1,2\n")}},
	} {
		_, errs := foray(t, x.status, append([]string{"append"}, x.args...)...)
		contains(t, errs, x.want)
	}
	if after, err := os.ReadFile(g); err != nil || string(after) != string(before) {
		t.Error("the graph has changed though nothing could be appended")
	}
}

// TestAppendAtOnce: no append loses what another one adds at the same time; one that comes meanwhile is refused.
func TestAppendAtOnce(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("needs file locks, as Linux and macOS have")
	}
	dir := t.TempDir()
	g, other, link := filepath.Join(dir, "g.foray"), filepath.Join(dir, "other.foray"), filepath.Join(dir, "link.foray")
	edge := func(i int) string {
		path := filepath.Join(dir, fmt.Sprint(i, ".csv"))
		if err := os.WriteFile(path, fmt.Appendf(nil, "src,dst\n%d,%d\n", i, i+1), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foray(t, 0, "convert", edge(0), g)
	if err := os.Symlink("g.foray", link); err != nil {
		t.Fatal(err)
	}
	release, err := atomicfile.Hold(g)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{g, edge(1)}, {link, edge(1)}, {g, edge(1), "-o", link}, {g, edge(0), "--remove"}, {g, "--remove-vertices", edge(0)}} {
		_, errs := foray(t, 1, append([]string{"append"}, args...)...)
		contains(t, errs, ".foray: another foray append is changing it; nothing was changed here: try again when that one has ended")
	}
	if after, err := os.ReadFile(g); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the graph was changed: %v", err)
	}
	foray(t, 0, "append", g, edge(1), "-o", other) // leaves the graph as it is
	foray(t, 0, "info", g)
	release()
	const n = 8
	var wg sync.WaitGroup
	for i := 1; i <= n; i++ {
		path := edge(i)
		wg.Go(func() {
			for {
				var out, errs bytes.Buffer
				switch status := run([]string{"append", g, path}, &out, &errs); {
				case status == 0:
					return
				case !strings.Contains(errs.String(), "another foray append"):
					t.Error(errs.String())
					return
				}
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	out, _ := foray(t, 0, "info", g)
	contains(t, out, "vertices       10\n", "edges          9, ")
}

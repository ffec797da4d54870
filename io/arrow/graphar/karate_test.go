// This file tests testdata/karate.graphar: the karate club in GraphAr's format,
// which the tests of the command line read too.

package graphar

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

const testdata = "../../../testdata"

var update = flag.Bool("update", false, "write testdata/karate.graphar again")

// TestKarate makes the files again, compares them with what is committed, and
// reads those.
func TestKarate(t *testing.T) {
	want, err := arrow.Load(context.Background(), filepath.Join(testdata, "karate.parquet"), arrow.Options{Graph: graph.Options{Directed: true, Order: graph.OrderGiven}})
	if err != nil {
		t.Fatal(err)
	}
	v := vertices{name: "member", n: want.NumVertices(), chunk: 16, keys: want.IDs().Ints}
	e := edges{src: v, dst: v, name: "knows", chunk: 32, list: adjList{Ordered: true, AlignedBy: "src"}, counts: true}
	for u := range uint32(want.NumVertices()) {
		for _, v := range want.Out().Neighbors(u) {
			e.pairs = append(e.pairs, [2]int64{int64(u), int64(v)})
		}
	}
	sums := make([]float64, len(e.pairs))
	for i, p := range e.pairs {
		sums[i] = float64(want.IDs().Ints[p[0]] + want.IDs().Ints[p[1]])
	}
	e.groups = []group{{cols: []column{{name: "sum", values: sums}}}}
	called, degrees := make([]string, v.n), make([]int64, v.n)
	for u := range uint32(v.n) {
		called[u] = fmt.Sprint("member ", want.IDs().Format(u))
	}
	for _, p := range e.pairs {
		degrees[p[0]]++
		degrees[p[1]]++
	}
	v.groups = []group{{cols: []column{{name: "name", values: called}, {name: "degree", values: degrees}}, numbers: true}}
	made, committed := t.TempDir(), filepath.Join(testdata, "karate.graphar")
	if *update {
		made = committed
	}
	v.write(t, made)
	e.write(t, made)
	writeGraphInfo(t, made, "", []vertices{v}, []edges{e})
	if !slices.Equal(names(t, made), names(t, committed)) {
		t.Errorf("%s has other files than this test makes; -update writes them", committed)
	}
	for _, name := range names(t, made) {
		x, _ := os.ReadFile(filepath.Join(made, name))
		y, _ := os.ReadFile(filepath.Join(committed, name))
		if !bytes.Equal(x, y) {
			t.Errorf("%s in %s differs from what this test makes; -update writes it", name, committed)
		}
	}
	g, err := loadGraph(context.Background(), filepath.Join(committed, "it.graph.yml"), Options{Graph: graph.Options{Directed: true}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := edgeTexts(g), edgeTexts(want); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// names returns the files below a directory.
func names(t *testing.T, dir string) (list []string) {
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return list
}

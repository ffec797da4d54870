// This file tests which columns are said to be left out, and that ids of several
// columns are found by their names.

package dataset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

func TestChooseParts(t *testing.T) {
	for names, want := range map[string]string{
		"src_1,src_2,dst_1,dst_2":                         "[0 1] [2 3]",
		"a,DST_2,src_1,weight,dst_1,Src_2":                "[2 5] [4 1]",
		"from_1,from_2,from_3,to_1,to_2,to_3":             "[0 1 2] [3 4 5]",
		"from_1,from_2,to_1,to_2,src_1":                   "",
		"src_1,src_2,dst_1,dst_2,src,dst":                 "[4] [5]",
		"src_1,dst_1":                                     "[0] [1]", // the only two
		"src_1,dst_1,x":                                   "",
		"src_1,src_2,dst_1,dst_2,dst_3":                   "",
		"src_1,src_2,src_3,dst_1,dst_2":                   "",
		"src_1,src_2,dst_1,dst_2,from_1,from_2,to_1,to_2": "",
		"src_1,dst_1,src_3,dst_3":                         "",
	} {
		var cols []columnar.Column
		for name := range strings.SplitSeq(names, ",") {
			cols = append(cols, columnar.Column{Path: name})
		}
		s, d, err := chooseEnds(cols, "", "")
		got := ""
		if err == nil {
			got = fmt.Sprint(s, d)
		}
		if got != want {
			t.Errorf("%s: %s (%v), want %s", names, got, err, want)
		}
	}
}

// TestTupleRoundTrip: edges between ids of several columns are written, and read
// again without being told their names.
func TestTupleRoundTrip(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(3, 3))
	for _, logical := range []string{"tuple(string,int8)", "tuple(int32,int32)"} {
		var src, dst graph.Strings
		src.Offsets, dst.Offsets, src.Binary, dst.Binary = []int64{0}, []int64{0}, true, true
		for range 200 {
			for _, s := range []*graph.Strings{&src, &dst} {
				if logical == "tuple(int32,int32)" {
					s.Data = append(s.Data, 0x80, 0, 0, byte(r.IntN(5)), 0x80, 0, 0, byte(r.IntN(9)))
				} else {
					s.Data = fmt.Appendf(s.Data, "%d\x00\x00\x01", r.IntN(50))
				}
				s.Offsets = append(s.Offsets, int64(len(s.Data)))
			}
		}
		b := graph.NewBuilder(graph.Options{Directed: true, Order: graph.OrderGiven})
		if err := b.Add(graph.Batch{Logical: logical, SrcStrings: &src, DstStrings: &dst}); err != nil {
			t.Fatal(err)
		}
		g := samples.Built(t, b)
		for _, format := range []string{"parquet", "arrow", "arrows"} {
			path := filepath.Join(t.TempDir(), "e."+format)
			if err := write.WriteEdges(ctx, path, g, write.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			d, err := Open(ctx, []string{path}, Options{Graph: graph.Options{Directed: true, Order: graph.OrderGiven}})
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			if left := d.LeftOut(); len(left) != 0 {
				t.Errorf("left out: %q", left)
			}
			again, err := d.Load(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if !samples.SameRows(again.Out(), g.Out()) || again.IDs().Logical != logical {
				t.Errorf("%s: another graph, %s", format, again.IDs().Logical)
			}
		}
	}
}

func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	writeLake(t, dir, rand.New(rand.NewPCG(1, 21)), 20, 10, 3000)
	for _, c := range []struct {
		o    Options
		want []string
	}{
		{Options{}, []string{"amount", "kind", "year"}},
		{Options{Weight: "amount", Where: "kind = 'like'"}, []string{"kind", "year"}},
		{Options{EdgeID: "amount", Source: "kind,src", Target: "kind,dst"}, []string{"year"}},
		{Options{Source: "src", Target: "amount"}, []string{"kind", "dst", "year"}},
		{Options{Vertices: &VertexTable{Paths: []string{dir}, ID: "src", Properties: []string{"kind"}}}, []string{"amount", "kind", "year", "dst"}},
	} {
		d, err := Open(context.Background(), []string{dir}, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.LeftOut(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.o, got, c.want)
		}
	}
}

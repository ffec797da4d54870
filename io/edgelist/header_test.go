// This file tests headers: which columns they make the edges come from, and
// what is refused.

package edgelist

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

func TestHeaderColumns(t *testing.T) {
	weights := Options{Graph: graph.Options{Weights: true}}
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{"id,src,dst\n10,1,2\n11,2,3\n", Options{}, "1-2 2-3"},
		{"weight,src,dst\n0.5,1,2\n1.5,2,3\n", Options{}, "1-2 2-3"},
		{"weight,src,dst\n0.5,1,2\n1.5,2,3\n", weights, "1-2:0.5 2-3:1.5"},
		{"dst,src\n1,2\n", Options{}, "2-1"},
		{"To;From;x\nb;a;1\n", Options{Separator: ';'}, "a-b"},
		{",src,dst\n0,5,6\n", Options{}, "5-6"}, // as pandas writes an index
		{"\"id\",\"source\",\"target\"\r\n7,\"a,b\",\"c\"\r\n", Options{}, "a,b-c"},
		{"id src dst\n1 2 3\n", Options{}, "2-3"},
		{"a name\tsrc\tdst\nx y\tann\tbob b\n", Options{}, "ann-bob b"},
		{"user,follows\n1,2\n", Options{}, "1-2"},
		{"weight,user,follows\n0.5,1,2\n", Options{}, "1-2"},
		{"user,follows,weight\nann,bob,0.5\n", Options{}, "ann-bob"},
		{"user,follows,weight\nann,bob,0.5\n", weights, "ann-bob:0.5"},
		{"src,w,dst\n1,0.5,2\n", weights, "1-2:0.5"},
		{"src,dst,x,weight\n1,2,9,0.5\n", weights, "1-2:0.5"},
		{"src,dst,w,x\n1,2,0.5,9\n", weights, "1-2:0.5"},
		{"user,follows\nann,bob\n", Options{Header: "first"}, "ann-bob"},
		{"user,follows\nann,bob\n", Options{Header: "none"}, "user-follows ann-bob"},
		{"user,follows\nann,bob\n", Options{Target: "user"}, "bob-ann"},
		{"a,b,c,d\n1,2,3,4\n", Options{Source: "d", Target: "b"}, "4-2"},
		{"src,b,dst,d\n1,2,3,4\n", Options{Source: "src"}, "1-3"},
		{"src,b,dst,d\n1,2,3,4\n", Options{Source: "d", Target: "b", Weight: "src", Graph: weights.Graph}, "4-2:1"},
		{"5,1,2\n6,2,3\n", Options{Source: "1", Target: "2"}, "2-3"},
		{"id,src,dst\n10,1,2,3\n", Options{Ragged: true}, "1-2"},
		// Without a header.
		{"1,2,3\n4,5,6\n", Options{}, "1-2 4-5"},
		{"ann,bob\nbob,cid\n", Options{}, "ann-bob bob-cid"},
		{"ann,bob,0.5\nbob,7,1\n", weights, "ann-bob:0.5 bob-7:1"},
		{"ann,bob\n7,cid\n", Options{}, "ann-bob 7-cid"},
		{"edges\n1 2\n", Options{}, "1-2"}, // a title
	} {
		c.o.Workers = 1
		edges, err := collect(t, []byte(c.text), c.o)
		var got []string
		for _, e := range edges {
			s := e.u + "-" + e.v
			if c.o.Graph.Weights {
				s += fmt.Sprintf(":%g", e.w)
			}
			got = append(got, s)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%q: got %q, %v; want %q", c.text, strings.Join(got, " "), err, c.want)
		}
	}
}

func TestHeaderRefused(t *testing.T) {
	weights := graph.Options{Weights: true}
	for _, c := range []struct {
		text string
		o    Options
		want string
		is   error
	}{
		{"# c\nvertex,depth,parent\n0,0,0\n1,1,0\n", Options{}, `input:2: the names in the header don't tell which columns are source and target; ` +
			`name them in Options.Source and Options.Target, or, if the line is an edge, set Options.Header to "none"; Options.SkipLines leaves out what stands before; the columns are "vertex", "depth", "parent"`, errColumns},
		{"vertex,depth\n0,0\n1,1\n", Options{}, "input:1: the names in the header don't tell", errColumns},
		{"user,follows\nann,bob\n", Options{}, `input:1: the line looks like a header: "user,follows"; set Options.Header to "first" or, if it is an edge, to "none"`, errColumns},
		{"src,dst,from,to\n1,2,3,4\n", Options{}, "don't tell which", errColumns},
		{"src,src,dst\n1,2,3\n", Options{}, "don't tell which", errColumns},
		{"a,b,c\n1,2,3\n", Options{Header: "first"}, "don't tell which", errColumns},
		{"a,b,c\n1,2,3\n", Options{Source: "x"}, `Options.Source names column "x", but the columns are "a", "b", "c"`, errColumns},
		{"1,2,3\n", Options{Weight: "w", Graph: weights}, `input:1: Options.Weight names column "w", but the text has no header: its first line is an edge; of such a text the third column has the weights`, errColumns},
		{"1 2 b\n", Options{Source: "a", Target: "b"}, `Options.Source names column "a", but the columns are "1", "2", "b"`, errColumns},
		{"a,b,b\n1,2,3\n", Options{Source: "b"}, `there are several of that name`, errColumns},
		{"a,b,c\n1,2,3\n", Options{Source: "a"}, `which column goes with "a" isn't clear; name it in Options.Target`, errColumns},
		{"a,b,c\n1,2,3\n", Options{Target: "a"}, `name it in Options.Source`, errColumns},
		{"a,b\n1,2\n", Options{Source: "a", Target: "a"}, `can't be both ends`, errColumns},
		{"a,src,b,dst\n1,2,3,4\n", Options{Graph: weights}, `no column is named "weight"; name it in Options.Weight`, errColumns},
		{"id,src,dst\n1,2,3\n1,2\n", Options{}, `input:3: column 3, the target, is missing`, ErrSyntax},
		{"id,src,dst\n1,2,3\n1,2,3,4\n", Options{}, `input:3: found 4 columns, but the header has 3`, ErrSyntax},
		{"id,src,dst\n1,2,3\n1,2,x\n", Options{}, `input:3: want an integer id, found "x"`, ErrSyntax},
		{"id,src,dst\n1,2,3\n1,,3\n", Options{}, `input:3: column 2 is empty`, ErrSyntax},
		{"weight,src,dst\n1,2,3\nx,2,3\n", Options{Graph: weights}, `input:3: want a number as weight, found "x"`, graph.ErrWeights},
		{"id,src,dst\n1,a,\xff\n", Options{}, `input:2: id "\xff" isn't UTF-8`, ErrSyntax},
		{"a,b\n", Options{Source: "a", Header: "none"}, `Header is "none"`, graph.ErrOptions},
		{"a,b\n", Options{Weight: "a"}, "Graph.Weights isn't set", graph.ErrOptions},
		{"p sp 1 0\n", Options{Source: "a", Format: "gr"}, "whose columns have no names", graph.ErrOptions},
		{banner + " matrix coordinate pattern general\n1 1 0\n", Options{Source: "a"}, "whose columns have no names", graph.ErrOptions},
	} {
		c.o.Workers = 1
		_, err := collect(t, []byte(c.text), c.o)
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestHeaderVariations compares random headers and lines with the definition.
func TestHeaderVariations(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	words := []string{"src", "dst", "Source", "target", "from", "TO", "weight", "id", "a", "", "user", "depth", "x y", "dest", "3"}
	cells := []string{"1", "22", "-3", "0.5", "ann", "b c", "", `"q"`}
	read := 0
	texts := testlong.Of(1000, 20_000)
	for range texts {
		sep := ", \t;"[r.IntN(4)]
		columns := 1 + r.IntN(5)
		line := func(from []string, n int) string {
			var f []string
			for range n {
				f = append(f, from[r.IntN(len(from))])
			}
			return strings.Join(f, string(rune(sep)))
		}
		kind := cells[:1+r.IntN(len(cells))]
		lines := []string{line(words, columns)}
		for range r.IntN(4) {
			n := columns
			if r.IntN(10) == 0 {
				n = 1 + r.IntN(5)
			}
			lines = append(lines, line(kind, n))
		}
		o := Options{IDs: idsNames[r.IntN(5)], Header: headerNames[r.IntN(3)], Workers: 1, Ragged: r.IntN(4) == 0}
		if sep == ';' || r.IntN(2) == 0 {
			o.Separator = sep
		}
		o.Graph.Weights = r.IntN(2) == 0
		text := strings.Join(lines, []string{"\n", "\r\n"}[r.IntN(2)])
		sameAsNaive(t, text, o)
		if edges, _, bad := naiveText(text, o); bad == 0 && len(edges) > 0 {
			read++
		}
	}
	if read < texts/20 {
		t.Errorf("only %d texts were read", read)
	}
}

// TestLeftOut: the columns that nothing is taken from are told, once a pass.
func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct {
		text, want string
		o          Options
	}{
		{"src,dst,weight,note\n1,2,3,x\n", "[weight note]", Options{}},
		{"src,dst,weight,note\n1,2,3,x\n", "[note]", Options{Graph: graph.Options{Weights: true}}},
		{"a b c d\n1 2 3 4\n", "[b c]", Options{Source: "d", Target: "a"}},
		{"from here\tto there\tx\na b\tc d\te\n", "[x]", Options{Source: "from here", Target: "to there", IDs: "string", Separator: '\t'}},
		{"src,dst\n1,2\n", "[]", Options{}},
		{"1,2,3\n", "[]", Options{}},
	} {
		for _, twice := range []bool{false, true} {
			path := filepath.Join(dir, fmt.Sprint(i, ".csv"))
			if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
			got, calls := []string{}, 0
			c.o.TwoPass = twice
			c.o.LeftOut = func(names []string) { got, calls = names, calls+1 }
			if _, err := Load(context.Background(), path, c.o); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(got) != c.want || calls > 0 && calls != map[bool]int{false: 1, true: 2}[twice] {
				t.Errorf("%q: %s in %d calls, want %s", c.text, got, calls, c.want)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	for _, x := range []struct {
		text, want string
		o          Options
	}{
		{"1 2\n", "[[] [0 1 -1] [false false false]]", Options{}},
		{"user,item\n1,2\n", "[[user item] [0 1 -1] [false false false]]", Options{}},
		{"w,dst,Src,weight\n1,2,3,4\n", "[[Src dst weight] [2 1 3] [true true true]]", Options{Graph: graph.Options{Weights: true}}},
		{"src,dst,a\n1,2,3\n", "[[src dst a] [0 1 2] [true true false]]", Options{Graph: graph.Options{Weights: true}}},
		{"user,item\n1,2\n", "[[item user] [1 0 -1] [true false false]]", Options{Source: "item"}},
		{"{\"a\":1,\"b\":2}\n", "[[a b] [0 1 -1] [false false false]]", Options{Format: "jsonl"}},
	} {
		got := ""
		stop := errors.New("stop")
		x.o.Columns = func(names [3]string, at [3]int, told [3]bool) error {
			got = fmt.Sprint([]any{strings.Fields(strings.Join(names[:], " ")), at, told})
			return stop
		}
		err := Read(context.Background(), strings.NewReader(x.text), x.o, func(graph.Batch) error {
			t.Errorf("%q: an edge after the error", x.text)
			return nil
		})
		if got != x.want || !errors.Is(err, stop) {
			t.Errorf("%q: %s, %v; want %s", x.text, got, err, x.want)
		}
	}
}

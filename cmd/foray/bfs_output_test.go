// This file holds the tests of the bfs command's inputs and of the files that it writes.

package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// TestBFSInputs searches the same graph, the path 0-1-2-3, in all forms.
func TestBFSInputs(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, content := range map[string]string{
		"a.el": "0 1\n1 2\n2 3\n", "a.csv": "src,dst\n0,1\n1,2\n2,3\n", "noname": "0 1\n1 2\n2 3\n",
		"a.gr":    "p sp 4 3\na 1 2 1\na 2 3 1\na 3 4 1\n",
		"a.mtx":   "%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n2 3\n3 4\n",
		"1.edges": "0 1\n", "2.edges": "1 2\n2 3\n", "_3.edges": "3 4\n",
	} {
		if err := os.WriteFile(in(name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, out := range []string{"a.parquet", "a.arrow", "a.arrows", "a.el.gz", "a.el.zst", "a.sg"} {
		foray(t, 0, "convert", in("a.el"), in(out))
	}
	if err := os.MkdirAll(in("d"), 0o777); err != nil {
		t.Fatal(err)
	}
	foray(t, 0, "convert", in("1.edges"), in("d/1.parquet"))
	foray(t, 0, "convert", in("2.edges"), in("d/2.parquet"))
	for _, args := range []string{
		"a.el", "a.csv", "a.gr", "a.mtx", "a.parquet", "a.arrow", "a.arrows", "a.el.gz", "a.el.zst", "a.sg",
		"1.edges 2.edges", "*.edges", "d", "d/*.parquet", "**/d/*.parquet", "d/**/*.parquet", "d/1.parquet d/2.parquet", "1.edges d/2.parquet", "a.sg 1.edges d",
		"noname --input-format text", "a.el --two-pass", "d --two-pass", "1.edges d/2.parquet --two-pass",
	} {
		f := strings.Fields(args)
		line := []string{"bfs"}
		for i, a := range f {
			if strings.HasPrefix(a, "--") {
				line = append(line, f[i:]...)
				break
			}
			line = append(line, in(a))
		}
		first := "0"
		if strings.HasPrefix(args, "a.gr") || strings.HasPrefix(args, "a.mtx") {
			first = "1"
		}
		out, _ := foray(t, 0, append(line, "--source", first)...)
		contains(t, out, "4 vertices, 3 edges", "source     "+first+"\n", "reached    4 of 4 vertices (100 %) in 4 levels")
	}
	out, _ := foray(t, 0, "bfs", "gen:path:4", "--source", "0", "--two-pass")
	contains(t, out, "4 vertices, 3 edges", "in 4 levels")
}

func TestBFSStringIDs(t *testing.T) {
	path := write(t, "a.csv", "from,to\nann,bob\n\"bob\",\"c, d\"\n7,ann\n")
	out, _ := foray(t, 0, "bfs", path, "-s", "c, d", "-o", "-", "--parents")
	if want := "vertex,depth,parent\n7,3,ann\nann,2,bob\nbob,1,\"c, d\"\n\"c, d\",0,\"c, d\"\n"; out != want {
		t.Errorf("got %q", out)
	}
	path = write(t, "b.el", "1 2\n2 3\n")
	out, _ = foray(t, 0, "bfs", path, "-s", "1", "--ids", "string")
	contains(t, out, "ids string")
	out, _ = foray(t, 0, "bfs", path, "-s", "31", "--ids", "binary")
	contains(t, out, "ids binary", "source     31\n")
	out, _ = foray(t, 0, "bfs", path, "-s", "1", "--ids", "uint64")
	contains(t, out, "ids uint64")
	out, _ = foray(t, 0, "bfs", path, "-s", "1", "--ids", "int64")
	contains(t, out, "ids int64")
}

// TestBFSHeaders reads columns by their names.
func TestBFSHeaders(t *testing.T) {
	named := write(t, "a.csv", "id,src,dst\n10,1,2\n11,2,3\n")
	for args, reached := range map[string]string{
		"-s 1": "3 of 3", "-s 1 --header true": "3 of 3", "--src dst --dst src --directed -s 3": "3 of 3",
		"--src id --dst dst -s 10": "2 of 4", "--two-pass -s 1": "3 of 3",
	} {
		out, _ := foray(t, 0, append([]string{"bfs", named}, strings.Fields(args)...)...)
		contains(t, out, "reached    "+reached)
	}
	words := write(t, "b.csv", "user;follows\nann;bob\nbob;cid\n")
	out, _ := foray(t, 0, "bfs", words, "--separator", ";", "--header", "true", "-s", "ann", "-o", "-")
	if want := "vertex,depth\nann,0\nbob,1\ncid,2\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	out, _ = foray(t, 0, "info", words, "--separator", ";", "--header", "false")
	contains(t, out, "vertices       5")
	out, _ = foray(t, 0, "info", words, "--separator", ";", "--src", "user")
	contains(t, out, "vertices       3")
	weights := filepath.Join(t.TempDir(), "w.csv")
	foray(t, 0, "convert", write(t, "c.csv", "w,src,x,dst\n0.5,1,9,2\n"), weights, "--weight", "w")
	if got, want := read(t, weights), "src,dst,weight\n1,2,0.5\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestBFSNulls reads a tree, in which what wasn't reached has no parent.
func TestBFSNulls(t *testing.T) {
	in := write(t, "a.el", "0 1\n1 2\n3 4\n")
	tree := filepath.Join(t.TempDir(), "tree.parquet")
	foray(t, 0, "bfs", in, "-s", "0", "--parents", "-o", tree)
	_, errs := foray(t, 3, "bfs", tree, "--src", "parent", "--dst", "vertex")
	contains(t, errs, "tree.parquet: row group 0, column \"parent\"", "--nulls skip leaves such edges out")
	out, _ := foray(t, 0, "bfs", tree, "--src", "parent", "--dst", "vertex", "--nulls", "skip")
	contains(t, out, "3 vertices, 2 edges")
	out, _ = foray(t, 0, "info", tree, "--src", "parent", "--dst", "vertex", "--nulls", "skip")
	contains(t, out, "columns        parent to vertex, of type int64\n", "nulls          2 rows skipped", "1 self-loop")
}

func TestBFSWrites(t *testing.T) {
	dir := t.TempDir()
	for _, format := range tableFormats {
		path := filepath.Join(dir, "out."+format)
		out, _ := foray(t, 0, "bfs", karate, "--parents", "-o", path)
		contains(t, out, "result     "+path+", 34 rows\n")
		path = filepath.Join(dir, "noname-"+format)
		foray(t, 0, "bfs", karate, "-o", path, "--format", format)
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", format, err)
		}
	}
	for _, c := range []string{"zstd", "snappy", "gzip", "brotli", "none"} {
		foray(t, 0, "bfs", karate, "-o", filepath.Join(dir, c+".parquet"), "--compression", c)
	}
	foray(t, 0, "bfs", karate, "-o", filepath.Join(dir, "lz4.arrow"), "--compression", "lz4")

	// Reading a result as edges checks what is in it: parent to vertex.
	tree := filepath.Join(dir, "out.parquet")
	g, err := arrow.Load(context.Background(), tree, arrow.Options{Source: "parent", Target: "vertex",
		Graph: graph.Options{Directed: true, KeepSelfLoops: true}})
	if err != nil {
		t.Fatal(err)
	}
	if g.NumVertices() != 34 || g.NumEdges() != 34 { // 33 and the source to itself
		t.Errorf("the tree has %d vertices and %d edges", g.NumVertices(), g.NumEdges())
	}

	out, errs := foray(t, 0, "bfs", karate, "-s", "17", "--depth-limit", "1", "-o", "-", "--reached-only")
	if out != "vertex,depth\n6,1\n7,1\n17,0\n" {
		t.Errorf("got %q", out)
	}
	contains(t, errs, "source     17", "reached    3 of 34")
	out, _ = foray(t, 0, "bfs", karate, "-s", "17", "--depth-limit", "1", "-o", "-", "--reached-only", "--format", "jsonl")
	contains(t, out, `{"vertex":6,"depth":1}`+"\n")
	out, _ = foray(t, 0, "bfs", karate, "-s", "17", "--depth-limit", "1", "-o", filepath.Join(dir, "r.csv"), "--reached-only")
	contains(t, out, "r.csv, 3 rows")
}

// TestKnownDepths compares with depths that others found.
func TestKnownDepths(t *testing.T) {
	data := os.Getenv("FORAY_DATA")
	if data == "" || data == "none" {
		testlong.Missing(t, "data", "needs test data: set FORAY_DATA to the folder with p2p-31 (CONTRIBUTING.md)")
	}
	f, err := os.Open(filepath.Join(data, "p2p-31", "p2p-31-BFS"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, reached := map[string]string{}, 0
	for s := bufio.NewScanner(f); s.Scan(); {
		id, depth, _ := strings.Cut(s.Text(), " ")
		if len(depth) > 10 {
			depth = "-1"
		} else {
			reached++
		}
		want[id] = depth
	}
	for _, args := range [][]string{
		{"--algo", "bfs"}, {"--algo", "dobfs", "--parents", "--validate"}, {"--strategy", "read"}, {"--strategy", "hybrid"}, {"--order", "degree"}, {"--two-pass"},
	} {
		out, errs := foray(t, 0, append([]string{"bfs", filepath.Join(data, "p2p-31", "p2p-31.e.parquet"), "--source", "6", "-o", "-"}, args...)...)
		contains(t, errs, fmt.Sprintf("reached    %s of 62,586 vertices", comma(reached)))
		rows := strings.Split(strings.TrimSpace(out), "\n")[1:]
		if len(rows) != len(want) || len(rows) != 62586 {
			t.Fatalf("%d rows, want %d", len(rows), len(want))
		}
		for _, r := range rows {
			cells := strings.Split(r, ",")
			if want[cells[0]] != cells[1] {
				t.Fatalf("%s: vertex %s at depth %s, want %s", args, cells[0], cells[1], want[cells[0]])
			}
		}
	}
}

func comma(n int) string {
	s := strconv.Itoa(n)
	return s[:len(s)-3] + "," + s[len(s)-3:]
}

// TestBFSOutputIDs compares what a search writes with one of the text's own
// edges. Ids are 0 to n-1, shuffled, so that no other test's map hides an order.
func TestBFSOutputIDs(t *testing.T) {
	const n = 200
	rng := rand.New(rand.NewPCG(7, 8))
	id := rng.Perm(n)
	var text strings.Builder
	edges := map[int][]int{}
	add := func(u, v int) {
		u, v = id[u], id[v]
		edges[u], edges[v] = append(edges[u], v), append(edges[v], u)
		fmt.Fprintln(&text, u, v)
	}
	for v := 1; v < n-50; v++ {
		add(0, v)
		add(rng.IntN(v), v)
	}
	for v := n - 50; v < n-2; v++ {
		add(v-1, v)
	}
	add(n-2, n-1) // never reached
	depths := map[int]int{id[1]: 0}
	for queue := []int{id[1]}; len(queue) > 0; queue = queue[1:] {
		for _, v := range edges[queue[0]] {
			if _, ok := depths[v]; !ok {
				depths[v] = depths[queue[0]] + 1
				queue = append(queue, v)
			}
		}
	}
	in := write(t, "a.el", text.String())
	sg := filepath.Join(t.TempDir(), "a.sg")
	foray(t, 0, "convert", in, sg)
	for _, path := range []string{in, sg} {
		for _, order := range []string{"auto", "given", "degree"} {
			for _, more := range [][]string{{"--ids", "auto"}, {"--ids", "dense"}, {"--two-pass"}, {"--algo", "bfs"}, {"--reached-only"}} {
				args := append([]string{"bfs", path, "-s", strconv.Itoa(id[1]), "--order", order, "--parents", "-o", "-"}, more...)
				out, _ := foray(t, 0, args...)
				rows := strings.Split(strings.TrimSpace(out), "\n")[1:]
				want := n
				if more[0] == "--reached-only" {
					want = len(depths)
				}
				seen := map[string]bool{}
				for _, row := range rows {
					cells := strings.Split(row, ",")
					v, err := strconv.Atoi(cells[0])
					d, ok := depths[v]
					if !ok {
						d = -1
					}
					if seen[cells[0]] || err != nil || cells[1] != strconv.Itoa(d) {
						t.Fatalf("%s: row %q, want depth %d", args, row, d)
					}
					seen[cells[0]] = true
					p, err := strconv.Atoi(cells[2])
					if d > 0 && (err != nil || depths[p] != d-1 || !slices.Contains(edges[p], v)) || d == 0 && p != v || d < 0 && cells[2] != "" {
						t.Fatalf("%s: row %q has a wrong parent", args, row)
					}
				}
				if len(rows) != want {
					t.Fatalf("%s: %d rows, want %d", args, len(rows), want)
				}
			}
		}
	}
}

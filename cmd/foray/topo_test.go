package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTopo: levels, lengths by the heaviest of repeated edges, and what is refused.
func TestTopo(t *testing.T) {
	tasks := "src,dst,hours\na,b,5\na,c,1\nb,d,1\nc,d,2\nc,d,7\n"
	in := write(t, "tasks.csv", tasks)
	out, _ := foray(t, 0, "topo", in, "--directed", "--order", "given", "-o", "-")
	if out != "vertex,level\na,0\nb,1\nc,1\nd,2\n" {
		t.Error(out)
	}
	out, told := foray(t, 0, "topo", in, "--directed", "--order", "given", "--weighted", "--weight", "hours", "-o", "-", "--validate")
	if out != "vertex,level,length\na,0,0\nb,1,5\nc,1,1\nd,2,8\n" {
		t.Error(out)
	}
	contains(t, told, "1 repeated edge of 5 edges given; the largest weight stays", "levels     3", "longest    length 8, 2 edges: a -> c -> d", "valid ")
	out, _ = foray(t, 0, "run", in, "--directed", "--do", "topo", "--do", "topo --weighted", "--weight", "hours")
	contains(t, out, "longest    2 edges: a -> b -> d", "longest    length 8, 2 edges")
	_, told = foray(t, 1, "topo", write(t, "cycle.csv", tasks+"d,a,1\n"), "--directed")
	contains(t, told, "foray: topo: the graph has a cycle of 3 vertices: a -> b -> d -> a")
	_, told = foray(t, 1, "topo", write(t, "loop.csv", tasks+"d,d,1\n"), "--directed")
	contains(t, told, "a cycle of 1 vertex: d -> d")
	dropped := filepath.Join(t.TempDir(), "dropped.foray")
	foray(t, 0, "convert", write(t, "loops.csv", tasks+"d,d,1\n"), dropped, "--directed")
	_, told = foray(t, 1, "topo", dropped)
	contains(t, told, "was made without 1 self-loop, which is a cycle")
	foray(t, 0, "topo", dropped, "--keep-self-loops=false")
	_, told = foray(t, 1, "topo", in)
	contains(t, told, "the graph is undirected, where every edge is a cycle; give --directed, or convert the edges again with it")
	negative, prepared := write(t, "negative.csv", "src,dst,weight\na,b,-1\n"), filepath.Join(t.TempDir(), "negative.foray")
	_, told = foray(t, 1, "topo", negative, "--directed", "--weighted")
	contains(t, told, "the edge from a to b weighs -1; want 0 or more, also where edges are repeated")
	foray(t, 0, "convert", negative, prepared, "--directed", "--weights")
	_, told = foray(t, 1, "topo", prepared, "--weighted")
	contains(t, told, "the edge from a to b weighs -1; longest paths have finite weights of 0 or more")
	_, told = foray(t, 2, "topo", in, "--directed", "--weight", "hours")
	contains(t, told, "--weight names the weights that --weighted adds up; pass that too")
	bare := filepath.Join(t.TempDir(), "bare.foray")
	foray(t, 0, "convert", in, bare, "--directed")
	_, told = foray(t, 2, "topo", bare, "--weighted")
	contains(t, told, "has no weights, which are required")
	out, _ = foray(t, 0, "topo", "gen:star:40", "--directed")
	contains(t, out, "levels     2", "longest    1 edge: ")
	out, _ = foray(t, 0, "topo", in, "--directed", "--weighted", "--weight", "hours", "--json")
	if path := regexp.MustCompile(`\s`).ReplaceAllString(out, ""); !strings.Contains(path, `"longest_path":["a","c","d"]`) {
		t.Error(out)
	}
	long := "src,dst\n"
	for _, v := range "abcdefghij" {
		long += string(v) + "," + string(v+1) + "\n"
	}
	out, _ = foray(t, 0, "topo", write(t, "long.csv", long), "--directed")
	if !strings.Contains(out, "longest    10 edges: a -> b -> c -> d -> e -> 5 more -> k\n") {
		t.Error(out)
	}
}

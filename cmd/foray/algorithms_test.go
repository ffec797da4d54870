// This file holds tests that apply to the commands of all algorithms.

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestAlgorithms runs every algorithm on the karate club, with weights, to every format, and
// checks the result.
func TestAlgorithms(t *testing.T) {
	dir := t.TempDir()
	random, ordered := filepath.Join(dir, "g.foray"), filepath.Join(dir, "ordered.foray")
	graph := random
	foray(t, 0, "gen", "smallworld:n=100,k=4,p=0.1", "--weights", "uniform:1:9", "-o", graph)
	chain := "src,dst,weight\n"
	for v := range 99 {
		chain += fmt.Sprintf("%d,%d,1\n", v, v+1)
	}
	foray(t, 0, "convert", write(t, "ordered.csv", chain), ordered, "--directed", "--weights")
	for _, al := range algorithms {
		if graph = random; al.name == "topo" {
			graph = ordered
		}
		var more []string
		if al.name == "louvain" || al.name == "leiden" {
			more = []string{"--weighted"} // without it a line says that weights aren't used
		}
		rows, vertices := ", 100 rows", ownRows(al.make()) == ""
		if !vertices {
			rows = ", "
		}
		for _, ext := range tableFormats {
			out := filepath.Join(dir, al.name+"."+ext)
			stdout, _ := foray(t, 0, append([]string{al.name, graph, "--validate", "-o", out, "--device", "host"}, more...)...)
			contains(t, stdout, "device     host", "time ", "valid ", out+rows)
		}
		stdout, stderr := foray(t, 0, al.name, graph, "-o", "-")
		first := map[string]string{"": "vertex,", edgeRows: "src,dst,", "sizes": "size,cliques"}[ownRows(al.make())]
		if lines := strings.Count(stdout, "\n"); vertices && lines != 101 || !strings.HasPrefix(stdout, first) || !strings.Contains(stderr, "time ") {
			t.Errorf("%s: %d lines\n%s", al.name, lines, stderr)
		}
		head, _, _ := strings.Cut(stdout, "\n")
		for _, column := range strings.Split(head, ",") {
			if !strings.Contains(al.table, column) {
				t.Errorf("%s writes column %s; help says %s", al.name, column, al.table)
			}
		}
	}
}

// TestComponentsMethod: cc prints its method.
func TestComponentsMethod(t *testing.T) {
	for args, want := range map[string]string{
		karate:                          "method     neighbor sampling, then edges outside the largest tree",
		karate + " --directed":          "method     neighbor sampling, then all edges",
		karate + " --directed --strong": "method     peeling, a search each way, colors",
	} {
		stdout, _ := foray(t, 0, append([]string{"cc", "--device", "host"}, strings.Fields(args)...)...)
		contains(t, stdout, "device     host", want)
	}
}

// TestComponents finds those of a small directed graph, both ways.
func TestComponents(t *testing.T) {
	path := write(t, "g.csv", "from,to\nb,c\nc,b\nc,d\nx,y\n")
	for args, want := range map[string]string{
		"":         "b,b\nc,b\nd,b\nx,x\ny,x\n",
		"--strong": "b,b\nc,b\nd,d\nx,x\ny,y\n",
	} {
		stdout, _ := foray(t, 0, strings.Fields("cc "+path+" --directed --order given -o - "+args)...)
		if stdout != "vertex,component\n"+want {
			t.Errorf("%s: %s", args, stdout)
		}
	}
}

// TestNumbers: flags of algorithms say which numbers they take.
func TestNumbers(t *testing.T) {
	for args, want := range map[string]string{
		"sssp --limit 1e-400":   `invalid argument "1e-400" for "--limit" flag: distances are float64, of which the least above 0 is 5e-324`,
		"sssp --limit 1e400":    `distances are float64, of which the largest is 1.7976931348623157e+308`,
		"sssp --limit nan":      `invalid argument "nan" for "--limit" flag: want a number, 0 or more`,
		"sssp --delta -1":       `invalid argument "-1" for "--delta" flag: want a number, 0 or more`,
		"closeness --lanes 513": `invalid argument "513" for "--lanes" flag: want a number from 1 to 512`,
		"kcore --k -1":          `invalid argument "-1" for "--k" flag: want a whole number, 0 or more`,
	} {
		_, stderr := foray(t, 2, append(strings.Fields(args), karate)...)
		contains(t, stderr, want)
	}
	for _, limit := range []string{"inf", "3.4028235e+38", "1e-45"} {
		foray(t, 0, "sssp", "gen:path:9,weights=1:2", "--limit", limit)
	}
}

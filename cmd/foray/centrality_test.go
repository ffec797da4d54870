package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/algos/hits"
	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestDegree counts the edges of a graph with self-loops and repeated edges, whose weights are added up.
func TestDegree(t *testing.T) {
	in := write(t, "e.csv", "src,dst,weight\n1,2,3\n1,2,1\n2,3,0.5\n3,3,2\n")
	for flags, want := range map[string]string{
		"":                           "vertex,degree,centrality\n1,1,0.5\n2,2,1\n3,3,1.5\n",
		"--weighted":                 "vertex,degree,centrality,strength\n1,1,0.5,4\n2,2,1,4.5\n3,3,1.5,4.5\n",
		"--weighted --combine min":   "vertex,degree,centrality,strength\n1,1,0.5,1\n2,2,1,1.5\n3,3,1.5,4.5\n",
		"--directed":                 "vertex,degree,centrality\n1,1,0.5\n2,2,1\n3,3,1.5\n",
		"--directed --direction in":  "vertex,degree,centrality\n1,0,0\n2,1,0.5\n3,2,1\n",
		"--directed --direction out": "vertex,degree,centrality\n1,1,0.5\n2,1,0.5\n3,1,0.5\n",
		"--keep-self-loops=false":    "vertex,degree,centrality\n1,1,0.5\n2,2,1\n3,1,0.5\n",
	} {
		out, _ := foray(t, 0, append([]string{"degree", in, "-o", "-", "--format", "csv", "--sort", "id"}, strings.Fields(flags)...)...)
		if out != want {
			t.Errorf("%s: %q, want %q", flags, out, want)
		}
	}
	stdout, _ := foray(t, 0, "degree", in, "--weighted", "--validate")
	contains(t, stdout, "largest    degree 3", "highest    strengths: 2 (4.5), 3 (4.5), 1 (4)", "valid ")
}

// TestCentralities finds those of the karate club, which networkx' are beside in the packages' tests.
func TestCentralities(t *testing.T) {
	for command, want := range map[string]map[string]float64{
		"eigenvector": {"34": 0.373371, "1": 0.355483, "12": 0.052854},
		"hits":        {"34": 0.075003, "1": 0.071413, "12": 0.010618},
		"katz":        {"34": 0.331406, "1": 0.321325, "12": 0.096617},
	} {
		out, _ := foray(t, 0, command, karateFile, "-o", "-")
		if command == "hits" { // has a column of authorities too, which are the same
			out = regexp.MustCompile("(?m),[^,]*$").ReplaceAllString(out, "")
		}
		nearly(t, ranksOf(t, out), want, 1e-6)
		stdout, _ := foray(t, 0, command, karateFile, "--iterations", "2", "--validate")
		contains(t, stdout, "rounds     2, the last changed values by", "NOT converged to", "valid ")
		for _, bad := range [][]string{
			{"--iterations is 0;", "--iterations", "0"}, {"--tolerance is 0;", "--tolerance", "0"}, {"--tolerance is NaN;", "--tolerance", "NaN"}, {"pass that too", "--weight", "x"},
		} {
			_, stderr := foray(t, 2, append([]string{command, karateFile}, bad[1:]...)...)
			contains(t, stderr, bad[0])
		}
		negative := write(t, "negative.csv", "src,dst,weight\n7,8,-1\n8,9,2\n")
		_, stderr := foray(t, 1, command, negative, "--weighted")
		contains(t, stderr, "7", "8", "weighs -1")
	}
	_, stderr := foray(t, 2, "katz", karateFile, "--alpha", "-1")
	contains(t, stderr, "--alpha is -1;")
	_, stderr = foray(t, 2, "katz", karateFile, "--beta", "0")
	contains(t, stderr, "--beta is 0;")
	_, stderr = foray(t, 1, "katz", karateFile, "--alpha", "1")
	contains(t, stderr, "values grow without end", "0.0529 is small enough")
	stdout, _ := foray(t, 0, "katz", write(t, "one.csv", "src,dst\n1,2\n"), "--alpha", "1.2")
	contains(t, stdout, "as much as the first or more: NOT converged, --alpha is too large")
	_, stderr = foray(t, 2, "degree", karateFile, "--direction", "in")
	contains(t, stderr, "--direction in is for directed graphs")
}

// TestDefaultsOfCentralities: flags and packages have the same defaults.
func TestDefaultsOfCentralities(t *testing.T) {
	p := testgraph.Place(testgraph.Path(40).Graph(1), 1)
	e, k, h := &eigenvectorCalculation{}, &katzCalculation{}, &hitsCalculation{}
	e.addFlags(newGroup("e"))
	k.addFlags(newGroup("k"))
	h.addFlags(newGroup("h"))
	a, err := eigenvector.Run(t.Context(), p, eigenvector.Options{})
	b, err2 := eigenvector.Run(t.Context(), p, e.options())
	if err != nil || err2 != nil || a.Iterations != b.Iterations || a.Change != b.Change {
		t.Error("eigenvector:", err, err2)
	}
	c, err := katz.Run(t.Context(), p, katz.Options{})
	d, err2 := katz.Run(t.Context(), p, k.options())
	if err != nil || err2 != nil || c.Iterations != d.Iterations || c.Change != d.Change {
		t.Error("katz:", err, err2)
	}
	f, err := hits.Run(t.Context(), p, hits.Options{})
	g, err2 := hits.Run(t.Context(), p, h.options())
	if err != nil || err2 != nil || f.Iterations != g.Iterations || f.Change != g.Change {
		t.Error("hits:", err, err2)
	}
}

package main

import (
	"strings"
	"testing"
)

// TestBetweenness finds that of a path, in its ways.
func TestBetweenness(t *testing.T) {
	path := write(t, "g.csv", "from,to\na,b\nb,c\nc,d\n")
	for args, want := range map[string]string{
		"":                               "a,0\nb,0.6666666666666666\nc,0.6666666666666666\nd,0\n",
		"--unnormalized":                 "a,0\nb,2\nc,2\nd,0\n",
		"--unnormalized --directed":      "a,0\nb,2\nc,2\nd,0\n",
		"--unnormalized -s a --source b": "a,0\nb,3\nc,1.5\nd,0\n",
		"--unnormalized --samples 4":     "a,0\nb,2\nc,2\nd,0\n",
		"--unnormalized --directed -s b": "a,0\nb,NaN\nc,3\nd,0\n",
	} {
		stdout, _ := foray(t, 0, strings.Fields("bc "+path+" --order given -o - "+args)...)
		if stdout != "vertex,betweenness\n"+want {
			t.Errorf("%s: %s", args, stdout)
		}
	}
	// A triangle whose long edge is as long as the way around it, and another edge.
	weighted := write(t, "w.csv", "src,dst,km\na,b,1\nb,c,2\na,c,3\nc,d,0.5\n")
	for args, want := range map[string]string{
		"--weighted --weight km":                                "vertex,betweenness\na,0\nb,0.3333333333333333\nc,0.6666666666666666\nd,0\n",
		"--weighted --weight km --edges":                        "src,dst,weight,betweenness\na,b,1,0.3333333333333333\na,c,3,0.16666666666666666\nb,c,2,0.5\nc,d,0.5,0.5\n",
		"--edges --unnormalized":                                "src,dst,betweenness\na,b,1\na,c,2\nb,c,2\nc,d,3\n",
		"--edges --unnormalized --directed --samples 4":         "src,dst,betweenness\na,b,1\na,c,2\nb,c,2\nc,d,3\n",
		"--edges --weighted --weight km --source d --workers 3": "src,dst,weight,betweenness\na,b,1,0.16666666666666666\na,c,3,0.16666666666666666\nb,c,2,0.5\nc,d,0.5,1\n",
	} {
		stdout, _ := foray(t, 0, strings.Fields("bc "+weighted+" --order given -o - "+args)...)
		if stdout != want {
			t.Errorf("%s: %s", args, stdout)
		}
	}
	stdout, _ := foray(t, 0, "bc", weighted, "--weighted", "--weight", "km", "--edges", "--validate")
	contains(t, stdout, "highest    b to c (0.5)\n", "valid ")
	zero := write(t, "z.csv", "src,dst,weight\na,b,0\nb,c,2\n")
	_, stderr := foray(t, 1, "bc", zero, "--weighted")
	contains(t, stderr, "the edge from a to b weighs 0; weights must be above 0")
	stdout, _ = foray(t, 0, "bc", path, "--source", "a", "--validate")
	contains(t, stdout, "sources    1 of 4 vertices\n", "highest    b (1), c (0.5), d (0)\n", "valid ")
	for args, want := range map[string]string{
		"--samples 0":            "--samples is 0",
		"--samples 2 --source a": "pass one of them",
		"--seed 3":               "--seed is for --samples",
		"--weight x":             "--weight names the weights that --weighted takes",
	} {
		_, stderr := foray(t, 2, strings.Fields("bc "+path+" "+args)...)
		contains(t, stderr, want)
	}
}

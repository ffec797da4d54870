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
	stdout, _ := foray(t, 0, "bc", path, "--source", "a", "--validate")
	contains(t, stdout, "sources    1 of 4 vertices\n", "highest    b (1), c (0.5), d (0)\n", "valid ")
	for args, want := range map[string]string{
		"--samples 0":            "--samples is 0",
		"--samples 2 --source a": "pass one of them",
		"--seed 3":               "--seed is for --samples",
	} {
		_, stderr := foray(t, 2, strings.Fields("bc "+path+" "+args)...)
		contains(t, stderr, want)
	}
}

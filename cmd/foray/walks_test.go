package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestWalks: lists of ids, walks that end, and what is refused.
func TestWalks(t *testing.T) {
	in := write(t, "line.csv", "src,dst,weight\na,b,1\nb,c,1\nc,d,1\nx,x,1\nc,z,0\n")
	out, told := foray(t, 0, "walks", in, "--directed", "--source", "a", "--source", "x", "--source", "d", "--length", "4", "--weighted", "-o", "-", "--validate")
	if out != "vertex,walk\na,a;b;c;d\nx,x;x;x;x;x\nd,d\n" {
		t.Error(out)
	}
	contains(t, told, "walks      3 from 3 sources, 7 steps", "ended      2 (66.7 %) early, at a vertex where no edge leads on", "valid      each step follows an edge")
	seeds := write(t, "seeds.txt", "b\n")
	out, told = foray(t, 0, "walks", in, "--directed", "--sources-from", seeds, "--length", "1", "--count", "2", "-o", "-")
	if out != "vertex,walk\nb,b;c\nb,b;c\n" {
		t.Error(out)
	}
	contains(t, told, "ended      none early")
	one, _ := foray(t, 0, "walks", karate, "--seed", "5", "--p", "0.5", "--q", "2", "--length", "9", "-o", "-")
	two, _ := foray(t, 0, "walks", karate, "--seed", "5", "--p", "0.5", "--q", "2", "--length", "9", "-o", "-", "--workers", "3")
	if one != two || strings.Count(one, "\n") != 35 || strings.Count(one, ";") != 34*9 {
		t.Errorf("%s, again %s", one, two)
	}
	file := filepath.Join(t.TempDir(), "w.parquet")
	out, _ = foray(t, 0, "walks", karate, "-o", file)
	contains(t, out, "walks      34 from 34 vertices, 2,720 steps", file+", 34 rows")
	out, _ = foray(t, 0, "run", karate, "--do", "walks --length 3", "--do", "walks --seed 2")
	contains(t, out, "102 steps", "2,720 steps")
	for args, want := range map[string]string{
		"--length 0": "--length is 0", "--count 0": "--count is 0", "--p 0": "--p is 0", "--q -1": "--q is -1",
		"--weight weight":    "--weight names the weights that --weighted takes",
		"--sort id -o x.csv": "not for walks",
		"--sources-from ;":   "begins with a PATH",
	} {
		_, told := foray(t, 2, append([]string{"walks", in}, strings.Fields(args)...)...)
		contains(t, told, want)
	}
	_, told = foray(t, 1, "walks", write(t, "negative.csv", "src,dst,weight\na,b,-1\n"), "--weighted")
	contains(t, told, "-1")
}

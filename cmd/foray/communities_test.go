// This file holds tests of the commands louvain and leiden.

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCommunities: communities depend on the seed and the ids, not on the order or the workers; weights, levels and the
// column to begin with count.
func TestCommunities(t *testing.T) {
	weighted := write(t, "w.csv", "src,dst,weight\n1,2,1\n2,3,9\n3,4,1\n4,1,9\n")
	prepared := filepath.Join(t.TempDir(), "w.foray")
	foray(t, 0, "convert", weighted, prepared, "--weights", "--vertices", write(t, "v.csv", "vertex,team\n1,a\n2,a\n3,b\n4,b\n"), "--vertex-columns", "team")
	for _, command := range []string{"louvain", "leiden"} {
		want, told := foray(t, 0, command, karateFile, "--seed", "5", "--validate", "-o", "-", "--sort", "id", "--workers", "1", "--levels")
		contains(t, told, "modularity 0.4", "communities 4; the largest has", "levels ", "valid ")
		contains(t, want, "vertex,community,level1,level2")
		for _, more := range []string{"--workers 2", "--order given", "--order degree", "--two-pass"} {
			args := append([]string{command, karateFile, "--seed", "5", "-o", "-", "--sort", "id", "--levels"}, strings.Fields(more)...)
			if got, _ := foray(t, 0, args...); got != want {
				t.Errorf("%v: other rows", args)
			}
		}
		if other, _ := foray(t, 0, command, karateFile, "--resolution", "20", "-o", "-"); !strings.Contains(other, ",33\n") {
			t.Errorf("%s: not alone at a large resolution: %s", command, other)
		}
		out, _ := foray(t, 0, command, weighted, "--weighted", "-o", "-", "--format", "csv", "--sort", "id", "--resolution", "1.5")
		if out != "vertex,community\n1,0\n2,1\n3,1\n4,0\n" {
			t.Errorf("%s by weight: %s", command, out)
		}
		_, told = foray(t, 0, command, prepared, "-o", "-")
		contains(t, told, "the graph has weights, which are not used: each edge counts 1; --weighted counts them")
		out, told = foray(t, 0, command, prepared, "--initial", "team", "--weighted", "-o", "-", "--validate", "--resolution", "1.5")
		contains(t, told, "valid ")
		contains(t, out, "vertex,community")
		_, told = foray(t, 1, command, prepared, "--initial", "tame")
		contains(t, told, "tame", "team")
		for problem, args := range map[string][]string{
			"--resolution is 0;": {"--resolution", "0"}, "--resolution is NaN;": {"--resolution", "NaN"}, "pass that too": {"--weight", "weight"}, "--initial: the name": {"--initial", ""},
		} {
			_, told := foray(t, 2, append([]string{command, weighted}, args...)...)
			contains(t, told, problem)
		}
		_, told = foray(t, 1, command, write(t, "negative.csv", "src,dst,weight\n7,8,-1\n8,9,2\n"), "--weighted")
		contains(t, told, "7", "8", "weighs -1")
	}
	dir := t.TempDir()
	out, _ := foray(t, 0, "run", karateFile, "--do", "louvain --seed 3", "--do", "leiden --resolution 2", "-o", dir, "--validate")
	contains(t, out, "communities ", filepath.Join(dir, "louvain.parquet"), filepath.Join(dir, "leiden.parquet"))
}

// TestWeightsOutOfRange: what float64 doesn't hold is refused, or null in JSON.
func TestWeightsOutOfRange(t *testing.T) {
	large := write(t, "large.csv", "src,dst,weight\n1,2,1e308\n2,3,1e308\n4,3,1e308\n")
	small := write(t, "small.csv", "src,dst,weight\n1,2,1e-309\n2,3,1e-309\n4,5,1e-309\n")
	for _, c := range []struct {
		input, flags, want string
	}{
		{large, "louvain --weighted", "the largest weight is 1e+308"},
		{small, "louvain --weighted", "the largest weight is 1e-309"},
		{small, "leiden --weighted", "the largest weight is 1e-309"},
		{small, "similar --weighted --measure cosine", "weights from 1e-149 to 1e+149"},
		{large, "paths --weighted --source 1 --target 3", "beyond the largest float64"},
	} {
		args := strings.Fields(c.flags)
		_, told := foray(t, 1, append([]string{args[0], c.input, "--device", "host"}, args[1:]...)...)
		contains(t, told, c.want)
	}
	out, _ := foray(t, 0, "msf", large, "--json", "--device", "host")
	contains(t, out, `"weight": null`)
}

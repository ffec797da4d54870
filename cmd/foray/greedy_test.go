// This file holds tests of the commands mis and color.

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestGreedy: results depend on the seed and the ids, not on the order, the direction or the workers; run has them too.
func TestGreedy(t *testing.T) {
	for _, command := range []string{"mis", "color"} {
		want, told := foray(t, 0, command, karateFile, "--seed", "5", "--validate", "-o", "-", "--sort", "id", "--workers", "1")
		contains(t, told, "rounds ", "valid ")
		for _, more := range []string{"--workers 2", "--order given", "--order degree", "--directed", "--two-pass"} {
			args := append([]string{command, karateFile, "--seed", "5", "-o", "-", "--sort", "id"}, strings.Fields(more)...)
			if got, _ := foray(t, 0, args...); got != want {
				t.Errorf("%v: other rows", args)
			}
		}
		if other, _ := foray(t, 0, command, karateFile, "--seed", "6", "-o", "-", "--sort", "id"); other == want {
			t.Errorf("%s: seed 6 finds the same as seed 5", command)
		}
	}
	dir := t.TempDir()
	out, _ := foray(t, 0, "run", karateFile, "--do", "mis --seed 3", "--do", "color --largest-first", "-o", dir, "--validate")
	contains(t, out, "members    11 of 34 vertices", filepath.Join(dir, "mis.parquet"), "colors     5\n", filepath.Join(dir, "color.parquet"))
	edges := "src,dst\n"
	for v := range 80 {
		for w := range v {
			edges += fmt.Sprintf("%d,%d\n", v, w)
		}
	}
	clique := write(t, "clique.csv", edges)
	out, _ = foray(t, 0, "color", clique, "--validate")
	contains(t, out, "colors     80\n", "rounds     80\n")
	out, _ = foray(t, 0, "mis", clique, "--validate")
	contains(t, out, "members    1 of 80 vertices")
}

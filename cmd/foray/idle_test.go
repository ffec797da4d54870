// This file tests flags that change nothing: a note reports that, or the command line is refused.

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestIdleFlags(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "k.foray")
	const strong, reverse = "foray: --strong changes nothing: the graph is undirected, ", "foray: --reverse changes nothing: the graph is undirected, "
	for _, c := range []struct{ args, says string }{
		{"cc K --strong", strong}, {"cc K --strong --json", strong}, {"run K --do cc,'cc --strong'", strong},
		{"cc K --strong --directed", ""}, {"cc K --strong --quiet", ""}, {"cc K", ""},
		{"convert K F --reverse=false", reverse}, {"gen star:5 -o F --reverse", reverse}, {"convert K F", ""}, {"convert K F --directed --reverse=false", ""},
	} {
		var args []string
		for _, word := range strings.Split(c.args, " ") {
			args = append(args, strings.NewReplacer("K", karate, "F", file).Replace(word))
		}
		if strings.Contains(c.args, "'") { // a shell's
			args = []string{"run", karate, "--do", "cc", "--do", "cc --strong"}
		}
		_, errs := spoken(t, args...)
		if n := strings.Count(errs, "changes nothing"); n > 1 || (n == 1) != (c.says != "") || !strings.Contains(errs, c.says) {
			t.Errorf("%s:\n%swant %q", c.args, errs, c.says)
		}
	}
	for _, c := range [][]string{
		{"convert", karate, filepath.Join(dir, "x.parquet"), "--reverse"}, {"gen", "star:5", "-o", filepath.Join(dir, "x.el"), "--reverse=false"},
	} {
		_, errs := foray(t, 2, c...)
		contains(t, errs, "--reverse is for .foray, a prepared graph")
	}
	_, errs := foray(t, 2, "report", karate, "--source", "1", "--seed", "7", "-o", filepath.Join(dir, "r.html"))
	contains(t, errs, "--source names the sources, --seed is for random ones; give one of them")
}

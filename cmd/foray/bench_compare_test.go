package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestBenchCompareCalculations: algorithms that aren't searches are compared too, without a source by their trials.
func TestBenchCompareCalculations(t *testing.T) {
	out, _ := foray(t, 0, "bench", karate, "--json", "--sources", "6", "--trials", "4", "--algo", "cc,bc", "--device", "host")
	old := write(t, "old.json", out)
	table, _ := foray(t, 0, "bench", "compare", old, old, "--threshold", "5%")
	contains(t, table, "cc", "1.000 ~", "4, 4 trials", "bc", "1.000 ~", "6\n", "ratio: the new time by the old one, so less than 1 is faster; ~: the bounds of 95% contain 1")
	slow := write(t, "slow.json", regexp.MustCompile(`(?m)^( +)([0-9.e-]+)(,?)$`).ReplaceAllString(out, "${1}1000$3"))
	_, errs := foray(t, 1, "bench", "compare", old, slow, "--threshold", "5%")
	contains(t, errs, "slower by more than --threshold: "+karate+" by cc, "+karate+" by bc")
	out, _ = foray(t, 0, "bench", karate, "--json", "--trials", "3", "--algo", "cc", "--device", "host")
	few := write(t, "few.json", out)
	_, errs = foray(t, 1, "bench", "compare", few, few, "--threshold", "5%")
	contains(t, errs, "or 4 trials without a source")
}

// TestBenchCompare: two measurements of a graph are compared; with a threshold a slower one fails.
func TestBenchCompare(t *testing.T) {
	dir := t.TempDir()
	out, _ := foray(t, 0, "bench", karate, "--json", "--sources", "8", "--trials", "1", "--algo", "bfs,dobfs", "--device", "host")
	old := write(t, "old.json", out)
	table, _ := foray(t, 0, "bench", "compare", old, old, "--threshold", "0")
	if strings.Count(table, "1.000 ~") != 2 || strings.Count(table, karate) != 2 || strings.Contains(strings.ToLower(table), "different") {
		t.Errorf("%s", table)
	}
	slow := write(t, "slow.json", strings.ReplaceAll(strings.ReplaceAll(out, `"ms": [`, `"ms": [ 1e5,1e5,`), `"platform": "`, `"platform": "other `))
	table, errs := foray(t, 1, "bench", "compare", old, slow, "--threshold", "5%")
	contains(t, table, "different machine: host", "other ")
	contains(t, errs, "slower by more than --threshold: "+karate+" by bfs, "+karate+" by dobfs")
	foray(t, 0, "bench", "compare", slow, old, "--threshold", "5%")
	foray(t, 0, "bench", "compare", old, slow)
	out, _ = foray(t, 0, "bench", karate, "--json", "--sources", "8", "--trials", "1", "--algo", "bfs", "--device", "host")
	// Other outputs and another direction are other work; another order, seed and number of trials are named.
	for flags, want := range map[string]string{
		"--parents":         "DIFFERENT WORK, which ratios don't compare: " + karate + ", outputs: depths, and depths and parents\n",
		"--directed":        "DIFFERENT WORK, which ratios don't compare: " + karate + ", edges: 156, and 78\n",
		"--order degree":    "different " + karate + ", order: given, and degree\n",
		"--trials 2":        "different " + karate + ", trials: 1, and 2\n",
		"--seed 1 --seed 2": "different " + karate + ", seed: 1, and 2\n",
	} {
		args := "bench " + karate + " --json --sources 34 --trials 1 --algo bfs,dobfs --device host "
		is, _ := foray(t, 0, strings.Fields(args+flags)...)
		was, _ := foray(t, 0, strings.Fields(args)...)
		table, _ := foray(t, 0, "bench", "compare", write(t, "was.json", was), write(t, "is.json", is))
		contains(t, table, want)
		if strings.HasPrefix(want, "DIFFERENT") {
			_, errs := foray(t, 1, "bench", "compare", write(t, "was.json", was), write(t, "is.json", is), "--threshold", "1000%")
			contains(t, errs, "--threshold compares the same work, and the two differ in "+karate)
		}
	}
	less := write(t, "less.json", out)
	out, _ = foray(t, 0, "bench", karate, "--json", "--sources", "2", "--trials", "1", "--device", "host")
	few := write(t, "few.json", out)
	for args, want := range map[string]string{
		old:                                  "needs OLD and NEW",
		old + " " + old + " --threshold x":   "want a share such as 5%",
		old + " " + old + " --threshold -1":  "want a share such as 5%",
		old + " " + old + " --threshold=":    "want a share such as 5%",
		old + " " + old + " --threshold 5":   "want a share such as 5%",
		old + " " + less + " --threshold 5%": "only one of the two has " + karate + ", dobfs",
		few + " " + few + " --threshold 5%":  "needs 6 sources",
		old + " " + dir:                      "it is a directory",
		old + " " + filepath.Join(dir, "no"): "no such file",
		old + " " + karate:                   "no report to compare",
	} {
		status := 1
		if strings.Contains(want, "want a") || strings.Contains(want, "needs OLD") {
			status = 2
		}
		_, errs := foray(t, status, append([]string{"bench", "compare"}, strings.Fields(args)...)...)
		contains(t, errs, want)
	}
}

// This file holds tests of problems that newcomers had.

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHelpSays has what newcomers asked, and where help answers.
func TestHelpSays(t *testing.T) {
	for command, words := range map[string][]string{
		"bfs":     {"CSV has depth -1", "null", "not by id", "--order given", "--strategy NAME bfs on the host", "nulls error|skip", "Parquet, Arrow and GraphAr", "FILE, which ends in .svg or .png", "0: one per CPU"},
		"bench":   {"(default auto)", "(default auto)"},
		"convert": {"in input order", "sorted by source and target", "--ids dense"},
		"gen":     {"in input order", "sorted by source and target", "0: one per CPU"},
		"info":    {"foray devices lists the GPUs that can be used"},
	} {
		out, _ := foray(t, 0, command, "--help-all")
		contains(t, strings.Join(strings.Fields(out), " "), words...)
	}
	// gen lists only flags that gen has.
	for _, not := range []string{"--order", "--weight "} {
		if out, _ := foray(t, 0, "gen", "--help-all"); strings.Contains(out, not) {
			t.Errorf("gen --help-all has %s:\n%s", not, out)
		}
	}
	if out, _ := foray(t, 0, "--help"); strings.Contains(out, "GPU") {
		t.Errorf("help promises a GPU, which a build may lack:\n%s", out)
	}
}

// TestInputFormats has every value of --input-format that fits a file.
func TestInputFormats(t *testing.T) {
	csv, tsv := write(t, "a", "1,2\n2,3\n"), write(t, "b", "1\t2\n2\t3\n")
	for args, want := range map[string]string{
		karate + " --input-format parquet": "78 edges", karate + " --input-format arrow": "78 edges",
		csv + " --input-format csv": "2 edges", csv + " --input-format text": "2 edges", tsv + " --input-format tsv": "2 edges",
		tsv + " --input-format el": "2 edges",
	} {
		out, _ := foray(t, 0, append([]string{"bfs"}, strings.Fields(args)...)...)
		contains(t, out, want)
	}
	out, _ := foray(t, 0, "bfs", write(t, "c.el", "1 2\n2 3 4 5\n"), "--ragged")
	contains(t, out, "2 edges")
}

// TestEmptyInputs: the message has the name and the reason.
func TestEmptyInputs(t *testing.T) {
	dir := t.TempDir()
	for _, ext := range []string{"parquet", "arrow", "arrows", "csv"} {
		path := filepath.Join(dir, "a."+ext)
		foray(t, 0, "bfs", karate, "-o", path, "--depth-limit", "1", "--parents")
		foray(t, 0, "convert", write(t, "none.el", "#\n"), path)
		for _, more := range []string{"", "--two-pass"} {
			_, errs := foray(t, 1, append([]string{"bfs", path}, strings.Fields(more)...)...)
			contains(t, errs, path+": empty input: ", "; check what wrote it\n")
		}
	}
	_, errs := foray(t, 1, "bfs", filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.arrow"))
	contains(t, errs, "a.csv and 1 more: empty input: ")
}

// TestConvertBlames: the input, where it is at fault.
func TestConvertBlames(t *testing.T) {
	in := write(t, "in.csv", "1,2\nx,y\n")
	_, errs := foray(t, 3, "convert", in, filepath.Join(t.TempDir(), "out.parquet"))
	if want := "foray: " + in + `:2: want an integer id, found "x"; for other ids set --ids to string` + "\n"; errs != want {
		t.Errorf("got %q, want %q", errs, want)
	}
}

// TestFarFlag: of a flag that is like none nothing is guessed.
func TestFarFlag(t *testing.T) {
	for _, flag := range []string{"--xyzzy", "--p", "--a", "-x"} {
		_, errs := foray(t, 2, "bfs", karate, flag)
		if !strings.HasPrefix(errs, "foray: unknown ") || strings.Contains(errs, "did you mean") {
			t.Errorf("%s: %s", flag, errs)
		}
	}
}

// TestTimesAddUp: setup and levels are the time of the search.
func TestTimesAddUp(t *testing.T) {
	out, _ := foray(t, 0, "bfs", "gen:grid2d:300x300", "-s", "0")
	times := map[string]time.Duration{}
	for _, line := range strings.Split(out, "\n") {
		if f := strings.Fields(line); len(f) >= 3 {
			if d, err := time.ParseDuration(f[1] + f[2]); err == nil {
				times[f[0]] = d
			}
		}
	}
	sum := times["setup"] + times["levels"]
	if off := sum - times["time"]; times["time"] == 0 || times["setup"] == 0 || times["levels"] == 0 || off > times["time"]/50 || off < -times["time"]/50 {
		t.Errorf("%v don't add up\n%s", times, out)
	}
}

func TestMicros(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		fine    bool
		want    string
	}{{0, true, "0.0"}, {1.26e-7, true, "0.1"}, {998e-6, true, "998.0"}, {0, false, "0"}, {4e-7, false, "< 1"}, {0.0123456, false, "12,346"}} {
		if got := micros(c.seconds, c.fine); got != c.want {
			t.Errorf("%g: %s, want %s", c.seconds, got, c.want)
		}
	}
}

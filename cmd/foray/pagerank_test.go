package main

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// ranksOf reads a table of two columns.
func ranksOf(t *testing.T, csv string) map[string]float64 {
	t.Helper()
	m := map[string]float64{}
	for i, row := range strings.Split(strings.TrimSpace(csv), "\n") {
		id, x, _ := strings.Cut(row, ",")
		if i == 0 {
			continue
		}
		r, err := strconv.ParseFloat(x, 64)
		if err != nil {
			t.Fatal(err)
		}
		m[id] = r
	}
	return m
}

func nearly(t *testing.T, got, want map[string]float64, off float64) {
	t.Helper()
	for id, x := range want {
		if math.Abs(got[id]-x) > off {
			t.Errorf("%s has %v, want %v", id, got[id], x)
		}
	}
}

// TestPageRank ranks the karate club, whose ranks are well known, and small graphs whose ranks
// follow by hand.
func TestPageRank(t *testing.T) {
	out, _ := foray(t, 0, "pagerank", karateFile, "-o", "-", "--tolerance", "1e-10")
	nearly(t, ranksOf(t, out), map[string]float64{"34": 0.100919, "1": 0.096997, "33": 0.071693, "3": 0.057078, "12": 0.009565}, 1e-6)

	// One edge: 1/2 each after a round of b = 0.15/2 + 0.85 * (1/2 + 1/4), and so on.
	edge := write(t, "edge.csv", "src,dst,weight\n1,2,1\n")
	out, _ = foray(t, 0, "pagerank", edge, "--directed", "--iterations", "1", "--tolerance", "0", "-o", "-")
	nearly(t, ranksOf(t, out), map[string]float64{"1": 0.2875, "2": 0.7125}, 1e-6)

	// All of 1 goes to 2 but for a quarter of its weight.
	split := write(t, "split.csv", "src,dst,cost\n1,2,3\n1,3,1\n2,1,1\n3,1,1\n")
	out, _ = foray(t, 0, "pagerank", split, "--directed", "--weighted", "--weight", "cost", "--damping", "0.5", "-o", "-")
	nearly(t, ranksOf(t, out), map[string]float64{"1": 4.0 / 9, "2": 1.0/6 + 1.0/6, "3": 1.0/6 + 1.0/18}, 1e-5)

	stdout, _ := foray(t, 0, "pagerank", "gen:path:1000", "--iterations", "3")
	contains(t, stdout, "rounds     3, the last changed ranks by", "NOT converged to 1e-06", "highest    ")
	for _, bad := range [][]string{
		{"--damping is 1;", "--damping", "1"}, {"--damping is 0;", "--damping", "0"}, {"--iterations is 0;", "--iterations", "0"},
		{"--tolerance is -1;", "--tolerance", "-1"}, {"pass that too", "--weight", "x"}, {"needs --vertices", "--personalization", "x"},
	} {
		if _, stderr := foray(t, 2, append([]string{"pagerank", karateFile}, bad[1:]...)...); !strings.Contains(stderr, bad[0]) {
			t.Errorf("%v: %s", bad, stderr)
		}
	}
}

// TestPersonalization has walkers jump by a column of the vertices.
func TestPersonalization(t *testing.T) {
	field := func(name string, of arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: of, Nullable: true}
	}
	edges := table(t, "edges.arrow", []arrow.Field{field("src", arrow.PrimitiveTypes.Int64), field("dst", arrow.PrimitiveTypes.Int64)},
		[]string{"1", "2"}, []string{"2", "1"}, []string{"3", "4"}, []string{"4", "3"})
	columns := []arrow.Field{field("id", arrow.PrimitiveTypes.Int64), field("some", arrow.PrimitiveTypes.Float32), field("few", arrow.PrimitiveTypes.Uint8),
		field("name", arrow.BinaryTypes.String)}
	people := table(t, "people.arrow", columns, []string{"1", "2.5", "1", "a"}, []string{"2", "2.5", "(null)", "b"}, []string{"3", "(null)", "0", "c"}, []string{"4", "0", "0", "d"})
	args := []string{"pagerank", edges, "--directed", "--vertices", people, "--tolerance", "1e-9", "--iterations", "300", "--validate", "-o", "-", "--personalization"}
	out, _ := foray(t, 0, append(args, "some")...)
	nearly(t, ranksOf(t, out), map[string]float64{"1": 0.5, "2": 0.5, "3": 0, "4": 0}, 1e-8)
	out, _ = foray(t, 0, append(args, "few")...)
	nearly(t, ranksOf(t, out), map[string]float64{"1": 1 / 1.85, "2": 0.85 / 1.85, "3": 0, "4": 0}, 1e-8)

	prepared := filepath.Join(t.TempDir(), "g.foray")
	foray(t, 0, "convert", edges, prepared, "--directed")
	args[1] = prepared
	again, _ := foray(t, 0, append(args, "few")...)
	nearly(t, ranksOf(t, again), ranksOf(t, out), 1e-8)

	stranger := table(t, "more.arrow", columns, []string{"1", "2.5", "1", "a"}, []string{"2", "2.5", "1", "b"}, []string{"9", "1", "1", "c"})
	for _, command := range []string{"pagerank --personalization some", "run --do", "bench --algo"} {
		words := strings.Fields(command)
		more := append(words[:1:1], prepared, "--vertices", stranger)
		if more = append(more, words[1:]...); len(words) == 2 {
			more = append(more, "pagerank --personalization some")
		}
		if words[0] == "bench" {
			more[3] = people
		} else {
			_, stderr := foray(t, 1, more...)
			contains(t, stderr, "--unknown-vertices skip")
			more = append(more, "--unknown-vertices", "skip")
		}
		foray(t, 0, more...)
	}

	for column, want := range map[string]string{"name": "want integers or floats", "none": `"none"`} {
		if _, stderr := foray(t, 1, append(args, column)...); !strings.Contains(stderr, want) {
			t.Errorf("%s: %s", column, stderr)
		}
	}
}

// TestLPA labels the karate club, and a graph in which ties go to the smallest id.
func TestLPA(t *testing.T) {
	path := write(t, "path.csv", "src,dst\n30,20\n20,10\n")
	out, _ := foray(t, 0, "lpa", path, "--iterations", "1", "-o", "-", "--order", "given")
	if want := "vertex,label\n10,20\n20,10\n30,20\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	stdout, _ := foray(t, 0, "lpa", karateFile, "--validate")
	contains(t, stdout, "labels     ", "rounds     10\n", "valid ")
	triangle := write(t, "triangle.csv", "src,dst\n1,2\n2,3\n3,1\n")
	stdout, _ = foray(t, 0, "lpa", triangle)
	contains(t, stdout, "labels     1\n", "rounds     3, the last changed nothing")
	for want, args := range map[string]string{
		"--tolerance is +Inf; want a finite number, 0 or more, such as":   "--tolerance inf",
		"--tolerance is NaN; want a finite number":                        "--tolerance nan",
		"--iterations is 9999999999; want 1 to 2147483647, such as 100 (": "--iterations 9999999999",
		"--iterations is 0; want 1 to 2147483647":                         "--iterations 0",
	} {
		_, stderr := foray(t, 2, append([]string{"pagerank", karateFile}, strings.Fields(args)...)...)
		contains(t, stderr, want)
	}
	_, stderr := foray(t, 1, "pagerank", karateFile, "--partition-by", "rank", "-o", filepath.Join(t.TempDir(), "d"))
	contains(t, stderr, `: --partition-by "rank" is a column of floats`)
	directed := filepath.Join(t.TempDir(), "d.foray")
	foray(t, 0, "convert", karateFile, directed, "--directed")
	for _, args := range [][]string{
		{"closeness", karateFile, "--samples", "4", "--directed"}, {"closeness", directed, "--samples", "4", "--directed"},
		{"bench", karateFile, "--algo", "closeness --samples 4", "--directed"},
	} {
		_, stderr = foray(t, 2, args...)
		contains(t, stderr, "--samples and --directed don't go together: bounds are for undirected graphs; leave out --samples")
	}
	if _, stderr := foray(t, 2, "lpa", karateFile, "--iterations", "0"); !strings.Contains(stderr, "--iterations is 0") {
		t.Error(stderr)
	}
}

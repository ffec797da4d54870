package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/text"
)

// TestDuration sets the clock: a run is estimated once, by its searches after the first report.
func TestDuration(t *testing.T) {
	for _, c := range []struct {
		name  string
		every time.Duration // a report
		first time.Duration // the first one takes longer
		step  uint64
		total uint64
		lines bool
		want  []string
	}{
		{"an hour", 2 * time.Second, 2 * time.Second, 64, 115_264, false,
			[]string{"x takes about 60 min more, by the time of 128 of 115,264 searches; --samples"}},
		{"the first report prepares", 300 * time.Millisecond, 900 * time.Millisecond, 10, 10_010, false,
			[]string{"x takes about 5 min more, by the time of 20 of 10,010 searches; --samples"}},
		{"a short run", 500 * time.Millisecond, 500 * time.Millisecond, 100, 1000, false, nil},
		{"with lines", 4 * time.Second, 4 * time.Second, 1, 8, true,
			[]string{"x takes about 28 s more, by the time of 1 of 8 searches; --samples", "x: 3 of 8 searches (" + text.Percent(3, 8) + "), about 20 s left", "x: 6 of 8 searches (" + text.Percent(6, 8) + "), about 8 s left"}},
	} {
		clock := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
		var got []string
		e := &duration{name: "x", sooner: "--samples", now: func() time.Time { return clock }, tell: func(s string) { got = append(got, s) }}
		if c.lines {
			e.line = e.tell
		}
		e.begun, e.shown = clock, clock
		e.at(graph.Progress{Total: c.total}) // nothing is known yet
		for done := c.step; done <= c.total && (c.lines || done < 20*c.step); done += c.step {
			if clock = clock.Add(c.every); done == c.step {
				clock = clock.Add(c.first - c.every)
			}
			e.at(graph.Progress{Done: done, Total: c.total})
		}
		e.at(graph.Progress{Done: c.total, Total: c.total})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Millisecond: "1 s", 119 * time.Second: "119 s", 150 * time.Second: "3 min", 119 * time.Minute: "119 min",
		3 * time.Hour: "3 h", 72 * time.Hour: "3 days", 24 * 5000 * time.Hour: "5,000 days"} {
		if got := roughly(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// TestProgressIsQuiet: --progress prints nothing for a short run, and nothing to standard output of --json.
func TestProgressIsQuiet(t *testing.T) {
	for _, command := range []string{"bc", "closeness", "bc --samples 5", "closeness --source 1", "closeness --samples 3"} {
		args := append(strings.Fields(command), karateFile, "--progress", "--json")
		stdout, stderr := foray(t, 0, args...)
		if !strings.HasPrefix(stdout, "{") || strings.Contains(stderr, "left") || strings.Contains(stderr, "takes about") {
			t.Errorf("%s: %q, %q", command, stdout, stderr)
		}
	}
	_, stderr := foray(t, 2, "bc", karateFile, "--progress", "--quiet")
	contains(t, stderr, "--quiet and --progress don't go together")
}

// TestObserved: closeness and betweenness report their searches, and suggest what takes less time.
func TestObserved(t *testing.T) {
	for command, want := range map[string]struct {
		sooner string
		total  uint64
	}{
		"bc": {"--samples", 34}, "closeness": {"--samples", 34}, "bc --samples 5": {"", 5}, "closeness --source 1 --source 2": {"", 2},
	} {
		words := strings.Fields(command)
		c := map[string]algorithm{"bc": bcAlgorithm, "closeness": closenessAlgorithm}[words[0]].make()
		g := newGroup(titleAlgorithm)
		c.addFlags(g)
		if err := g.flags.Parse(words[1:]); err != nil {
			t.Fatal(err)
		}
		p := testgraph.Place(testgraph.Path(34).Graph(1), 2)
		if err := c.prepare(p, &inputFlags{}); err != nil {
			t.Fatal(err)
		}
		var last graph.Progress
		c.(observed).observe(func(at graph.Progress) { last = at })
		if sooner := c.(observed).sooner(p.Graph()); !strings.Contains(sooner, want.sooner) || (sooner == "") != (want.sooner == "") {
			t.Errorf("%s: %q", command, sooner)
		}
		r, err := c.run(t.Context(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if last.Done != want.total || last.Total != want.total {
			t.Errorf("%s: %d of %d searches, want %d", command, last.Done, last.Total, want.total)
		}
	}
}

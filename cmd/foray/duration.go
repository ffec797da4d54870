// This file holds estimates of the time that a run takes, for work that grows faster than the graph.

package main

import (
	"fmt"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

const (
	// sampleTime is how long a run is timed before its time is estimated: the first searches are the sample.
	sampleTime = time.Second
	// longRun is from which estimate on it is printed.
	longRun = 10 * time.Second
	// progressEvery is how often --progress prints a line.
	progressEvery = 10 * time.Second
)

// observed is a calculation that reports its progress, in searches from sources.
type observed interface {
	// observe has the calculation call f, which may be nil, after some of its searches.
	observe(f func(graph.Progress))
	// called is its name.
	called() string
	// sooner is what takes less time, for the estimate; "" for nothing.
	sooner(g *graph.Graph) string
}

// duration tells once how long a run will take, and then how long it still takes.
type duration struct {
	name, sooner string
	now          func() time.Time
	tell         func(line string) // the estimate
	line         func(line string) // of --progress; nil: none

	begun time.Time
	first mark // the first report, which may have prepared more
	told  bool
	shown time.Time
}

// mark is how many searches were done at a time.
type mark struct {
	at   time.Time
	done uint64
}

// newEstimate begins the estimate of a run.
func (a *app) newEstimate(name, sooner string, p *progress) *duration {
	e := &duration{name: name, sooner: sooner, now: time.Now, tell: func(line string) { p.aside(func() { _ = a.note("%s", line) }) }}
	if a.progressLines {
		e.line = e.tell
	}
	e.begun = e.now()
	e.shown = e.begun
	return e
}

// left is the time that the rest takes at the rate so far.
func (e *duration) left(now time.Time, done, total uint64) time.Duration {
	from := mark{e.begun, 0}
	if done > e.first.done {
		from = e.first
	}
	return time.Duration(float64(now.Sub(from.at)) / float64(done-from.done) * float64(total-done))
}

// at is called with the searches that are done.
func (e *duration) at(at graph.Progress) {
	done, total, now := at.Done, at.Total, e.now()
	if done == 0 || done >= total {
		return
	}
	if e.first.done == 0 {
		e.first = mark{now, done}
	}
	left := e.left(now, done, total)
	searches := text.Count(done) + " of " + text.Count(total) + " searches"
	if !e.told && now.Sub(e.begun) >= sampleTime && (done > e.first.done || now.Sub(e.begun) >= 3*sampleTime) {
		if e.told = true; left >= longRun {
			line := fmt.Sprintf("%s takes about %s more, by the time of %s", e.name, roughly(left), searches)
			if e.sooner != "" {
				line += "; " + e.sooner
			}
			e.tell(line)
		}
	}
	if e.line != nil && now.Sub(e.shown) >= progressEvery {
		e.shown = now
		e.line(fmt.Sprintf("%s: %s (%s), about %s left", e.name, searches, text.Percent(done, total), roughly(left)))
	}
}

// roughly is a time with the digits that an estimate has.
func roughly(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", max(1, int(d.Round(time.Second)/time.Second)))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute)/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Round(time.Hour)/time.Hour))
	}
	return fmt.Sprintf("%s days", text.Count(int(d.Round(24*time.Hour)/(24*time.Hour))))
}

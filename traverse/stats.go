// This file holds the statistics of a traversal.

package traverse

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/metrics"
)

// Level describes a level, or several levels if there were very many.
//
// The persistent engine records the first 65,536 levels of a Repeat. The last record includes all
// later levels.
type Level struct {
	Level    int           // the level, counted from 1; the first of several
	Levels   int           // number of levels that the entry describes
	Frontier int           // vertices at the begin; the sum over several levels
	Edges    uint64        // edges visited, as far as known; the sum over several levels
	Took     time.Duration // by the device's clock in the persistent engine; the sum over several levels
}

// Stats describes a traversal.
type Stats struct {
	Device  string
	Engine  Engine   // of the last Repeat
	Why     string   // why the engine wasn't Persistent, on a device that has it
	Fused   []string // steps that ran as one
	Rounds  int      // levels that have begun
	Limited bool     // MaxRounds or UntilFrontierExceeds ended it, with vertices still to expand
	Elapsed time.Duration
	Levels  []Level // if Options.Stats is set
}

func (l Level) count() int { return l.Levels }

// plus sums up levels and those that follow.
func (l Level) plus(next Level) Level {
	l.Levels += next.Levels
	l.Frontier += next.Frontier
	l.Edges += next.Edges
	l.Took += next.Took
	return l
}

// Stats returns the statistics so far.
func (t *Traversal) Stats() Stats {
	s := t.stats
	s.Elapsed = time.Since(t.began)
	return s
}

func (t *Traversal) reports() bool { return t.o.Stats || t.o.EachLevel != nil }

func (t *Traversal) beginLevel(n int) {
	if t.reports() {
		t.size, t.level, t.edges = n, time.Now(), t.env.Edges
	}
}

// clock returns the time if levels are reported.
func (t *Traversal) clock() (now time.Time) {
	if t.reports() {
		now = time.Now()
	}
	return now
}

// went records the levels that a step has run internally.
func (t *Traversal) went(began time.Time, edges uint64) {
	l := Level{Level: t.Level() + 1, Levels: t.env.Rounds, Frontier: t.env.Vertices, Edges: t.env.Edges - edges}
	t.env.Level += int32(l.Levels)
	t.stats.Rounds += l.Levels
	t.env.Rounds, t.env.Vertices = 0, 0
	if t.reports() {
		l.Took = time.Since(began)
		t.tell(l)
	}
}

func (t *Traversal) endLevel() {
	if t.size == 0 || !t.reports() {
		return
	}
	t.space.on.sync() // the level's time includes its kernels; errors stay with the stream
	t.tell(Level{Level: t.Level(), Levels: 1, Frontier: t.size, Edges: t.env.Edges - t.edges, Took: time.Since(t.level)})
	t.size = 0
}

func (t *Traversal) tell(l Level) {
	if t.o.Stats {
		t.stats.Levels = run.AddLevel(t.stats.Levels, l, Level.count, Level.plus)
	}
	if t.o.EachLevel != nil {
		t.call(func() { t.o.EachLevel(l) })
	}
}

// observed reports whether the end of a traversal is logged or recorded.
func (o *Options) observed() bool { return o.Logger != nil || o.Metrics != nil }

// labels returns the labels of an algorithm in profiles; nil unless it is observed.
func (o *Options) labels(p *graph.Placed) *run.Labels {
	if !o.observed() {
		return nil
	}
	return run.NewLabels(o.name, p)
}

// reportEnd reports a traversal that has ended, with its error. Nothing is held.
func (t *Traversal) reportEnd(err error) {
	if !t.o.observed() {
		return
	}
	ctx := t.ctx
	if ctx == nil { // which is the error
		ctx = context.Background()
	}
	if m := t.o.Metrics; m != nil {
		m.Search(ctx, metrics.Search{Algorithm: cmp.Or(t.o.name, noName), Device: t.stats.Device, Engine: t.stats.Engine.String(),
			Levels: t.stats.Rounds, Limited: t.stats.Limited, Took: time.Since(t.began), Err: err})
	}
	if t.o.Logger == nil || !t.o.Logger.Enabled(ctx, slog.LevelInfo) {
		return
	}
	attrs := []slog.Attr{
		slog.String("algorithm", cmp.Or(t.o.name, noName)), slog.String("device", t.stats.Device), slog.String("engine", t.stats.Engine.String()),
		slog.Int("rounds", t.stats.Rounds), slog.Bool("limited", t.stats.Limited), slog.Duration("took", time.Since(t.began)),
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	t.o.Logger.LogAttrs(ctx, slog.LevelInfo, "traversal", attrs...)
}

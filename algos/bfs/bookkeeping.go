// This file holds Loop, the bookkeeping of a search from level to level:
// counts, limits, targets, statistics.

package bfs

import (
	"context"
	"fmt"
	"time"

	"github.com/foray-graph/foray/graph"
)

// Loop keeps the books of a search from level to level: what was reached, where
// it ends, statistics. A search asks Next before every level and says Done after
// it:
//
//	for l.Next(s.Cur.Len()) {
//		edges, err := s.Push(l.Level)
//		if err != nil {
//			return err
//		}
//		l.Done(Push, "queue", edges)
//		s.Cur, s.Next = s.Next, s.Cur
//	}
type Loop struct {
	Result *Result
	Level  int32 // the depth that the present level assigns

	o       Options
	s       *Space
	ctx     context.Context // of the search, for what is logged; nil once it has ended
	targets []uint32
	size    int
	began   time.Time
	reports bool   // what happens in the levels
	logs    bool   // to Options.Logger
	source  string // its external id, where searches are logged and it is the only one
	told    int    // levels of a search in one kernel that were told
}

// begin starts the books of a search over a space. Of the options those that end a search
// or report on it count. A loop that was used before uses its slices again. The error is
// graph.ErrOptions or graph.ErrNoVertex.
func (l *Loop) begin(s *Space, sources []uint32, algorithm string, o Options) error {
	if err := o.checkLimit(); err != nil {
		return err
	}
	for _, t := range o.Targets {
		if int64(t) >= int64(s.Placed.NumVertices()) {
			return fmt.Errorf("bfs: target: %w: vertex %d of %d; Graph.Vertex finds that of an external id", graph.ErrNoVertex, t, s.Placed.NumVertices())
		}
	}
	r := l.Result
	*r = Result{Sources: append(r.Sources[:0], sources...), Algorithm: algorithm, Stats: r.Stats[:0],
		hostDepths: r.hostDepths[:0], hostParents: r.hostParents[:0],
		hostDepthsByID: r.hostDepthsByID[:0], hostParentsByID: r.hostParentsByID[:0],
		Tuning: o.tuned, depthLimit: o.DepthLimit, targets: append(r.targets[:0], o.Targets...)}
	*l = Loop{Result: r, o: o, s: s, targets: append(l.targets[:0], o.Targets...),
		ctx: s.ctx, logs: o.logsLevels(s.ctx), reports: o.ReportsLevels(s.ctx)}
	if s.Advance != nil {
		s.Advance.CountExactly = l.reports
	}
	if len(sources) == 1 && o.logsSearches(s.ctx) {
		l.source = formatIDs(s.Placed.Graph(), sources)[0]
	}
	return nil
}

// Tuning is that of the search's options.
func (l *Loop) Tuning() Tuning { return l.o.Tuning }

// Parents reports whether the search computes parents.
func (l *Loop) Parents() bool { return l.o.Parents }

// Next starts a level that expands a frontier of so many vertices, which it
// counts as reached, and sets Level to the depth of those that it will find. It
// reports whether there is anything to do: not with an empty frontier, at the
// depth limit, or with all targets reached.
func (l *Loop) Next(size int) bool {
	if size == 0 || l.s.hold.Err() != nil {
		return false
	}
	r := l.Result
	r.Reached += size
	r.Levels++
	l.s.on.note(l.s.Cur)
	if len(l.o.Targets) > 0 {
		for len(l.targets) > 0 {
			t := l.targets[len(l.targets)-1]
			if !l.s.on.visited(t) {
				break
			}
			l.targets = l.targets[:len(l.targets)-1]
		}
		if len(l.targets) == 0 {
			r.Limited = true
			return false
		}
	}
	if l.o.DepthLimit > 0 && l.Level >= l.o.DepthLimit {
		r.Limited = true
		return false
	}
	l.Level++
	l.size = size
	if l.reports {
		l.began = time.Now()
	}
	return true
}

// Done ends the level: it was done in that direction, with the frontier in that
// form (see Level.Form), and looked at so many edges. While it calls back, the
// placed graph isn't held: where it was freed then, Next returns false and
// Space.Err says so.
func (l *Loop) Done(d Direction, form string, edges uint64) {
	if !l.reports {
		return
	}
	l.s.on.sync()
	level := Level{
		Depth: l.Level - 1, Levels: 1, Frontier: l.size, Edges: edges,
		Direction: d, Form: form, Seconds: time.Since(l.began).Seconds(),
	}
	if l.o.Stats {
		l.Result.Edges += edges
		l.Result.Stats = addLevel(l.Result.Stats, level)
	}
	_ = l.tellLevel(level) // Space.Err has the error
}

// tellsLevels reports whether anybody is told of levels while the search runs.
func (l *Loop) tellsLevels() bool { return l.logs || l.o.Progress != nil }

// tellLevel logs a level and calls Progress. The error is that of the placed graph if it was
// freed meanwhile.
func (l *Loop) tellLevel(level Level) error {
	if !l.tellsLevels() {
		return nil
	}
	return l.s.hold.Call(func() {
		if l.logs {
			l.o.logLevel(l.ctx, level)
		}
		if l.o.Progress != nil {
			l.o.Progress(level)
		}
	})
}

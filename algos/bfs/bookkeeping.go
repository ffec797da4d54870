// This file holds loop, the bookkeeping of a search from level to level:
// counts, limits, targets, statistics.

package bfs

import (
	"context"
	"fmt"
	"time"

	"github.com/foray-graph/foray/graph"
)

// loop is a search that goes level by level: its frontier, what it has visited, and the
// bookkeeping of its levels. nextLevel starts a level, and one of pushLevel and pullLevel expands it.
//
// A loop belongs to one search and is not safe for concurrent use.
type loop struct {
	result *Result
	level  int32 // the depth that the present level assigns

	o       Options
	s       *workspace
	ctx     context.Context // of the search, for its logs; nil once it has ended
	targets []uint32
	size    int
	began   time.Time
	reports bool   // what happens in the levels
	logs    bool   // to Options.Logger
	source  string // its external id, where searches are logged and it is the only one
	before  Turn   // what the rule of a Variant knows
	told    int    // levels of a search in one kernel that were told
}

// begin starts the books of a search over a space. Of the options those that end a search
// or report on it count. A loop that was used before uses its slices again. The error is
// graph.ErrOptions or graph.ErrNoVertex.
func (l *loop) begin(s *workspace, sources []uint32, algorithm string, o Options) error {
	if err := o.checkLimit(algorithm); err != nil {
		return err
	}
	for _, t := range o.Targets {
		if int64(t) >= int64(s.Placed.NumVertices()) {
			return fmt.Errorf("%s: target: %w: vertex %d of %d; Graph.Vertex finds that of an external id", algorithm, graph.ErrNoVertex, t, s.Placed.NumVertices())
		}
	}
	r := l.result
	*r = Result{Sources: append(r.Sources[:0], sources...), Algorithm: algorithm, Stats: r.Stats[:0],
		hostDepths: r.hostDepths[:0], hostParents: r.hostParents[:0],
		hostDepthsByID: r.hostDepthsByID[:0], hostParentsByID: r.hostParentsByID[:0],
		Tuning: o.tuned, depthLimit: o.DepthLimit, targets: append(r.targets[:0], o.Targets...)}
	*l = loop{result: r, o: o, s: s, targets: append(l.targets[:0], o.Targets...),
		ctx: s.ctx, logs: o.logsLevels(s.ctx), reports: o.reportsLevels(s.ctx)}
	if s.Advance != nil {
		s.Advance.CountExactly = l.reports
	}
	if len(sources) == 1 && o.logsSearches(s.ctx) {
		l.source = formatIDs(s.Placed.Graph(), sources)[0]
	}
	return nil
}

// tuning returns the Tuning of the search's options.
func (l *loop) tuning() Tuning { return l.o.Tuning }

// nextLevel starts a level. It returns false when the search has ended: the frontier is empty,
// the depth limit or all targets are reached, or the search can't continue, for which failure
// has the reason.
func (l *loop) nextLevel() bool { return l.next(l.s.Cur.Len()) }

// pushLevel advances the frontier along its out-edges. The vertices that it finds are the next
// frontier, a queue. It returns the number of edges looked at, or an
// error of advance.Advancer.Push.
func (l *loop) pushLevel() (edges uint64, err error) {
	s := l.s
	if err := s.Cur.List(s.Stream); err != nil {
		return 0, err
	}
	if edges, err = s.on.push(l.level); err != nil {
		return 0, err
	}
	l.done(directionPush, "queue", edges)
	if err := s.on.settle(l, s.Next); err != nil {
		return 0, err
	}
	s.Cur, s.Next = s.Next, s.Cur
	return edges, nil
}

// pullLevel has every vertex not yet visited look for an in-neighbor that was. The vertices
// that find one are the next frontier, a bitmap. It returns the number of edges looked at.
// The error is one of advance.Advancer.Pull.
func (l *loop) pullLevel() (edges uint64, err error) {
	s := l.s
	if edges, err = s.pull(l.level); err != nil {
		return 0, err
	}
	l.done(directionPull, "bitmap", edges)
	s.Cur, s.Next = s.Next, s.Cur
	return edges, nil
}

// failure returns why the search can't continue: the error of the context or of the device, or
// device.ErrClosed if a callback closed the placed graph. It is nil for a search that ended.
func (l *loop) failure() error { return l.s.errAtEnd() }

// next is nextLevel with a frontier of size vertices. It counts them as reached and sets level to
// the depth of the vertices that they lead to.
func (l *loop) next(size int) bool {
	if size == 0 || l.s.hold.Err() != nil {
		return false
	}
	r := l.result
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
	if l.o.DepthLimit > 0 && int(l.level) >= l.o.DepthLimit {
		r.Limited = true
		return false
	}
	l.level++
	l.size = size
	if l.reports {
		l.began = time.Now()
	}
	return true
}

// done ends the level: it was done in that direction, with the frontier in that
// form (see Level.Form), and looked at so many edges. While it calls back, the
// placed graph isn't held: if it was closed then, next returns false and
// workspace.err has the error.
func (l *loop) done(d string, form string, edges uint64) {
	if !l.reports {
		return
	}
	l.s.on.sync()
	level := Level{
		Level: int(l.level), Levels: 1, Frontier: l.size, Edges: edges,
		Direction: d, Form: form, Took: time.Since(l.began),
	}
	if l.o.Stats {
		l.result.Edges += edges
		l.result.Stats = addLevel(l.result.Stats, level)
	}
	_ = l.tellLevel(level) // workspace.err has the error
}

// tellsLevels reports whether levels are logged or passed to EachLevel while the search runs.
func (l *loop) tellsLevels() bool { return l.logs || l.o.EachLevel != nil }

// tellLevel logs a level and calls EachLevel. It returns the error of the placed graph if it was
// closed meanwhile.
func (l *loop) tellLevel(level Level) error {
	if !l.tellsLevels() {
		return nil
	}
	return l.s.hold.Call(func() {
		if l.logs {
			l.o.logLevel(l.ctx, level)
		}
		if l.o.EachLevel != nil {
			l.o.EachLevel(level)
		}
	})
}

// This file holds what searches say to Options.Logger.

package search

import (
	"context"
	"log/slog"
	"time"
)

// logsSearches reports whether a search is logged when it has ended.
func (o *Options) logsSearches() bool {
	return o.Logger != nil && o.Logger.Enabled(context.Background(), slog.LevelInfo)
}

// logsLevels reports whether levels are logged.
func (o *Options) logsLevels() bool {
	return o.Logger != nil && o.Logger.Enabled(context.Background(), slog.LevelDebug)
}

// ReportsLevels reports whether a search measures its levels.
func (o *Options) ReportsLevels() bool { return o.Stats || o.Progress != nil || o.logsLevels() }

// logLevel logs what happened in a level.
func (o *Options) logLevel(l Level) {
	o.Logger.LogAttrs(context.Background(), slog.LevelDebug, "level",
		slog.Int("depth", int(l.Depth)), slog.Int("frontier", l.Frontier), slog.Uint64("edges", l.Edges),
		slog.String("direction", l.Direction.String()), slog.String("form", l.Form),
		slog.Duration("took", time.Duration(l.Seconds*1e9)))
}

// Ended closes the books of a search that began then and whose result stands
// complete, and whose placed graph isn't held any more: it sets Result.Elapsed, and
// logs. Where the logger panics nobody gets the result, which is freed.
func (l *Loop) Ended(began time.Time) {
	r := l.Result
	r.Elapsed = time.Since(began)
	if l.o.Logger == nil {
		return
	}
	told := false
	defer func() {
		if !told {
			r.Free()
		}
	}()
	l.tell(r)
	told = true
}

// tell logs a search.
func (l *Loop) tell(r *Result) {
	if !l.o.logsSearches() {
		return
	}
	attrs := []slog.Attr{
		slog.String("algorithm", r.Algorithm), slog.String("device", r.Device),
		slog.Int("reached", r.Reached), slog.Int("levels", r.Levels), slog.Bool("limited", r.Limited),
		slog.Duration("took", r.Elapsed),
	}
	if len(r.Sources) == 1 {
		attrs = append(attrs, slog.String("source", l.source))
	} else {
		attrs = append(attrs, slog.Int("sources", len(r.Sources)))
	}
	l.o.Logger.LogAttrs(context.Background(), slog.LevelInfo, "search", attrs...)
}

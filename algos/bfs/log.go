// This file holds what searches report to Options.Logger and Options.Metrics.

package bfs

import (
	"context"
	"log/slog"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/metrics"
)

// logsSearches reports whether a search is logged when it has ended.
func (o *Options) logsSearches(ctx context.Context) bool {
	return o.Logger != nil && o.Logger.Enabled(ctx, slog.LevelInfo)
}

// logsLevels reports whether levels are logged.
func (o *Options) logsLevels(ctx context.Context) bool {
	return o.Logger != nil && o.Logger.Enabled(ctx, slog.LevelDebug)
}

// reportsLevels reports whether a search under that context measures its levels.
func (o *Options) reportsLevels(ctx context.Context) bool {
	return o.Stats || o.EachLevel != nil || o.logsLevels(ctx)
}

// logLevel logs what happened in a level.
func (o *Options) logLevel(ctx context.Context, l Level) {
	o.Logger.LogAttrs(ctx, slog.LevelDebug, "level",
		slog.Int("depth", l.Level-1), slog.Int("frontier", l.Frontier), slog.Uint64("edges", l.Edges),
		slog.String("direction", l.Direction), slog.String("form", l.Form),
		slog.Duration("took", l.Took))
}

// Ended closes the books of a search that began then and whose result stands
// complete, and whose placed graph isn't held any more: it sets Result.Elapsed, and
// reports. If the logger or the recorder panics, the result is closed.
func (l *loop) ended(began time.Time) {
	r := l.result
	r.Elapsed = time.Since(began)
	if !l.o.observed() {
		l.ctx = nil
		return
	}
	told := false
	defer func() {
		if !told {
			r.Close()
		}
	}()
	l.tell(r)
	if m := l.o.Metrics; m != nil {
		m.Search(l.ctx, metrics.Search{Algorithm: r.Algorithm, Device: r.Device, Reached: r.Reached, Levels: r.Levels, Limited: r.Limited, Took: r.Elapsed})
	}
	l.ctx, told = nil, true
}

// observed reports whether searches are logged or recorded.
func (o *Options) observed() bool { return o.Logger != nil || o.Metrics != nil }

// labels returns the labels of searches in profiles; nil unless searches are observed.
func (o *Options) labels(algorithm string, p *graph.Placed) *run.Labels {
	if !o.observed() {
		return nil
	}
	return run.NewLabels(algorithm, p)
}

// tellFailed reports a search that failed. Nothing is held.
func (o *Options) tellFailed(ctx context.Context, algorithm string, p *graph.Placed, sources []uint32, began time.Time, err error) {
	if ctx == nil { // which is the error
		ctx = context.Background()
	}
	if m := o.Metrics; m != nil {
		m.Search(ctx, metrics.Search{Algorithm: algorithm, Device: run.DeviceName(p), Took: time.Since(began), Err: err})
	}
	if !o.logsSearches(ctx) {
		return
	}
	attrs := []slog.Attr{slog.String("algorithm", algorithm), slog.String("device", run.DeviceName(p)), slog.Duration("took", time.Since(began)),
		slog.Any("error", err)}
	if len(sources) == 1 {
		if name, ok := nameOf(p, sources[0]); ok {
			attrs = append(attrs, slog.String("source", name))
		}
	} else {
		attrs = append(attrs, slog.Int("sources", len(sources)))
	}
	o.Logger.LogAttrs(ctx, slog.LevelInfo, "search", attrs...)
}

// nameOf returns the external id of a vertex, if it is one of a graph that is there.
func nameOf(p *graph.Placed, v uint32) (string, bool) {
	if p.Err() != nil || int64(v) >= int64(p.NumVertices()) {
		return "", false
	}
	release, err := p.Graph().Hold()
	if err != nil {
		return "", false
	}
	defer release()
	return formatIDs(p.Graph(), []uint32{v})[0], true
}

// tell logs a search.
func (l *loop) tell(r *Result) {
	if !l.o.logsSearches(l.ctx) {
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
	l.o.Logger.LogAttrs(l.ctx, slog.LevelInfo, "search", attrs...)
}

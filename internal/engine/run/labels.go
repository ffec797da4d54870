// This file holds Labels, which searches have in profiles.

package run

import (
	"context"
	"runtime/pprof"

	"github.com/foray-graph/foray/graph"
)

// Labels are the labels of a search in profiles of runtime/pprof: its algorithm and its device. nil are none.
// Only searches with a logger or metrics have labels: they cost two allocations, and Reset drops labels of the
// goroutine that its context lacks.
type Labels struct{ set pprof.LabelSet }

// NewLabels returns the labels of an algorithm over a placed graph.
func NewLabels(algorithm string, p *graph.Placed) *Labels {
	return &Labels{pprof.Labels("algorithm", algorithm, "device", DeviceName(p))}
}

// Set gives the calling goroutine the labels of the context and these. It returns the context with all of them,
// from which the workers of a stream take theirs.
func (l *Labels) Set(ctx context.Context) context.Context {
	if l == nil || ctx == nil {
		return ctx
	}
	ctx = pprof.WithLabels(ctx, l.set)
	pprof.SetGoroutineLabels(ctx)
	return ctx
}

// Reset gives the calling goroutine the labels of the context alone, as at the end of pprof.Do.
func (l *Labels) Reset(ctx context.Context) {
	if l != nil && ctx != nil {
		pprof.SetGoroutineLabels(ctx)
	}
}

// DeviceName returns the name of a placed graph's device, empty if the graph is closed. It is faster than
// Device.Info, which asks a GPU for its free memory.
func DeviceName(p *graph.Placed) string {
	if p.Err() != nil {
		return ""
	}
	if dev, ok := p.Device().(interface{ Name() string }); ok { // Foray's own
		return dev.Name()
	}
	return p.Device().Info().Name
}

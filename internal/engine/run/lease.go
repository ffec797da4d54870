// This file holds Lease, a stream that one traversal after another has.

package run

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/host"
	_ "github.com/foray-graph/foray/internal/layout/rows" // for graph.Options.Device
)

// Lease is a stream on the device of a placed graph, which one traversal after another has:
// a *Host, a *GPU or a *Shards.
type Lease interface {
	// CheckMemory returns device.ErrMemory where a GPU has less memory free than need.
	// refusal says so with three verbs %s: for what is needed, the device's name and what
	// is free.
	CheckMemory(need uint64, refusal string) error
	// Begin begins a traversal, which ctx ends, and returns the stream. On the host that
	// may be another one than last time.
	Begin(ctx context.Context) (device.Stream, error)
	// Name is the device's. Device.Info has it too, but asks for free memory, which takes
	// longer than a small traversal.
	Name() string
	// Err says why no step can run: what made the device fail, or the context's error.
	Err() error
	// Failed reports whether a call of the driver failed since Begin. The memory that steps work in may be in
	// any state then, and must not be used again.
	Failed() bool
	// Wait waits until nothing runs that was enqueued, whatever the context says.
	Wait() error
	// Rest ends a traversal whose successor is likely to come soon: the host's workers
	// stay, with the context.
	Rest()
	// Unbind replaces the last traversal's context.
	Unbind(rest context.Context)
	// End ends a traversal, and the host's workers.
	End()
	// Close gives the stream back.
	Close() error
}

// NewLease returns the lease of a stream on the placed graph's device, which Begin takes. On
// a device that has none for a traversal, which errors call what, it is
// device.ErrNotSupported.
func NewLease(p *graph.Placed, what string) (Lease, error) {
	switch dev := p.Device().(type) {
	case *host.Device:
		return &Host{dev: dev}, nil
	case *gpu.Device:
		return &GPU{dev: dev}, nil
	case *gpu.Group:
		return NewShards(dev), nil
	}
	return nil, fmt.Errorf("%w: no %s on %s", device.ErrNotSupported, what, p.Device().Info().Name)
}

// Host is a lease on the host.
type Host struct {
	Stream *host.Stream // from Begin to End

	dev *host.Device
}

// Workers is how many workers a stream has.
func (l *Host) Workers() int { return max(1, l.dev.Workers()) }

// Begin implements Lease.
func (l *Host) Begin(ctx context.Context) (device.Stream, error) {
	if l.Stream != nil {
		l.Stream.Rebind(ctx)
		return l.Stream, nil
	}
	s, err := l.dev.NewStream(ctx)
	if err != nil {
		return nil, err
	}
	l.Stream, err = host.StreamOf(s)
	return s, err
}

// Name implements Lease.
func (*Host) Name() string { return host.Name }

// Err implements Lease.
func (l *Host) Err() error { return l.Stream.Err() }

// Failed implements Lease: no call can fail.
func (*Host) Failed() bool { return false }

// Wait does nothing: jobs have ended when Stream.Run returns.
func (*Host) Wait() error { return nil }

// Rest does nothing. A context that isn't done needs no replacement, which would cost
// memory in each traversal.
func (*Host) Rest() {}

// Unbind implements Lease.
func (l *Host) Unbind(rest context.Context) {
	if l.Stream != nil {
		l.Stream.Rebind(rest)
	}
}

// End implements Lease.
func (l *Host) End() {
	if l.Stream != nil {
		l.Stream.Close() // which can't fail
		l.Stream = nil
	}
}

// Close implements Lease.
func (l *Host) Close() error {
	l.End()
	return nil
}

// GPU is a lease on a GPU, whose stream stays until Close.
type GPU struct {
	Stream *gpu.Stream // nil until the first Begin

	dev   *gpu.Device
	began failures
}

// Device is the GPU.
func (l *GPU) Device() *gpu.Device { return l.dev }

// Begin implements Lease.
func (l *GPU) Begin(ctx context.Context) (_ device.Stream, err error) {
	l.began = failuresOf(l.dev)
	if l.Stream != nil {
		l.Stream.Rebind(ctx)
		return l.Stream, nil
	}
	if l.Stream, err = l.dev.Stream(ctx); err != nil {
		l.Stream = nil
		return nil, err
	}
	return l.Stream, nil
}

// Name implements Lease.
func (l *GPU) Name() string { return l.Stream.Name() }

// Err implements Lease.
func (l *GPU) Err() error { return l.Stream.Err() }

// Failed implements Lease.
func (l *GPU) Failed() bool { return l.began != failuresOf(l.dev) }

// failures counts the failed calls of some GPUs, and the GPUs whose context is broken.
type failures struct {
	calls  int64
	broken int
}

func failuresOf(all ...*gpu.Device) (f failures) {
	for _, d := range all {
		f.calls += d.Context().Failed()
		if d.Context().Broken() != nil {
			f.broken++
		}
	}
	return f
}

// Wait implements Lease.
func (l *GPU) Wait() error { return l.Stream.Wait() }

// Rest waits for the enqueued work, and releases the context.
func (l *GPU) Rest() { l.Stream.Unbind() }

// Unbind does nothing, since Rest has done so.
func (*GPU) Unbind(context.Context) {}

// End is Rest: a stream costs too much to make another for the next traversal.
func (l *GPU) End() { l.Stream.Unbind() }

// Close implements Lease.
func (l *GPU) Close() error {
	if l.Stream == nil {
		return nil
	}
	return l.Stream.Close()
}

// This file holds Shards, a stream on each of several GPUs.

package run

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
)

// Shards is a lease on several GPUs.
type Shards struct {
	Streams []*gpu.Stream // nil until the first Begin

	group *gpu.Group
	ctx   context.Context // of the traversal
	began failures
}

// NewShards returns the lease of a stream on each GPU of a group.
func NewShards(g *gpu.Group) *Shards { return &Shards{group: g} }

// CheckMemory implements Lease, with the bytes that each GPU needs.
func (l *Shards) CheckMemory(need uint64, refusal string) error {
	for _, d := range l.group.Devices() {
		if err := checkMemory(d, need, refusal); err != nil {
			return err
		}
	}
	return nil
}

// Begin implements Lease. It returns the stream of the first GPU.
func (l *Shards) Begin(ctx context.Context) (device.Stream, error) {
	l.ctx, l.began = ctx, failuresOf(l.group.Devices()...)
	if l.Streams != nil {
		for _, s := range l.Streams {
			s.Rebind(ctx)
		}
		return l.Streams[0], nil
	}
	var all []*gpu.Stream
	for _, d := range l.group.Devices() {
		s, err := d.Stream(ctx)
		if err != nil {
			for _, s := range all {
				err = errors.Join(err, s.Close())
			}
			return nil, err
		}
		all = append(all, s)
	}
	l.Streams = all
	return all[0], nil
}

// Name implements Lease.
func (l *Shards) Name() string { return l.group.Name() }

// Err implements Lease.
func (l *Shards) Err() error {
	for _, s := range l.Streams {
		if err := s.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Failed implements Lease.
func (l *Shards) Failed() bool { return l.began != failuresOf(l.group.Devices()...) }

// Wait implements Lease.
func (l *Shards) Wait() (err error) {
	for _, s := range l.Streams {
		err = errors.Join(err, s.Wait())
	}
	return err
}

// Turn waits for the turn of the traversal, as gpu.Group.Turn does.
func (l *Shards) Turn() (done func(), err error) { return l.group.Turn(l.ctx) }

// Rest implements Lease.
func (l *Shards) Rest() {
	l.ctx = nil
	for _, s := range l.Streams {
		s.Unbind()
	}
}

// Unbind does nothing, since Rest has done so.
func (*Shards) Unbind(context.Context) {}

// End is Rest.
func (l *Shards) End() { l.Rest() }

// Close implements Lease.
func (l *Shards) Close() (err error) {
	for _, s := range l.Streams {
		err = errors.Join(err, s.Close())
	}
	l.Streams = nil
	return err
}

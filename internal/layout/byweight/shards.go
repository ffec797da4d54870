// This file sorts the rows of a graph on several GPUs. Each GPU sorts the rows of the vertices that it has.

package byweight

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
)

// Shard has the sorted rows of a GPU's own vertices.
type Shard struct {
	Out, In Sorted                  // the same where the graph is symmetric
	Light   *device.Buffer[float32] // as Rows has it, of own vertices

	mem []interface{ Close() error }
}

// Shards are the sorted rows of a graph on several GPUs.
type Shards []Shard

// Close frees them.
func (s Shards) Close() error {
	var errs []error
	for i := range s {
		for _, m := range s[i].mem {
			errs = append(errs, m.Close())
		}
		s[i].mem = nil
	}
	return errors.Join(errs...)
}

// OfShards is Of for the shards of a graph on several GPUs, which sort at the same time.
func OfShards(ctx context.Context, parts []*graph.Placed) (_ Shards, err error) {
	all, works := make(Shards, len(parts)), make([]*work, len(parts))
	defer func() {
		well := err == nil
		for i, w := range works {
			if w == nil {
				continue
			}
			if well {
				all[i].mem, w.spare = w.spare[1:], w.spare[:1]
			}
			err = errors.Join(err, w.free(), w.s.Close())
		}
		if well && err != nil {
			err = errors.Join(err, all.Close())
		}
	}()
	for i, p := range parts {
		d := p.Remote().Shard
		dev := d.Dev.(*gpu.Device)
		s, err := dev.Stream(ctx)
		if err != nil {
			return nil, err
		}
		w := &work{p: p, dev: dev, s: s, n: uint64(d.Count), first: d.First, edges: d.Edges}
		works[i] = w
		sorted, light, err := w.begin()
		if err != nil {
			return nil, err
		}
		if w.both() == 1 {
			sorted[1] = sorted[0]
		}
		all[i].Out, all[i].In, all[i].Light = sorted[0], sorted[1], light
	}
	var sums [2]uint64
	for _, w := range works {
		mine, err := w.sums()
		if err != nil {
			return nil, err
		}
		sums[0], sums[1] = sums[0]+mine[0], sums[1]+mine[1]
	}
	if sums[0] != sums[1] {
		return nil, ErrTurned
	}
	return all, nil
}

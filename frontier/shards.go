// This file holds frontiers over a graph that is sharded over several GPUs: a frontier on each, of the vertices
// that are that GPU's.

package frontier

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/placed"
)

// overShards allocates no memory. Its parts use the vertex numbers of shards (placed.Shards).
type overShards struct {
	*Frontier
	of []*Frontier
}

// partsOf returns frontiers over the parts of a graph on several devices, nil for any other.
func partsOf(p *graph.Placed) (parts []*Frontier) {
	if _, several := p.Device().(placed.Sharded); !several {
		return nil
	}
	members, _ := placed.Lookup(p.State(), placed.PlacedShardsKey[*graph.Placed]{})
	for _, q := range members {
		parts = append(parts, New(q))
	}
	return parts
}

// parts returns the parts of a frontier on several devices.
func (f *Frontier) parts() []*Frontier {
	if s, ok := f.on.(overShards); ok {
		return s.of
	}
	return nil
}

// shards returns the distribution of its vertices to shards.
func (f overShards) shards() *placed.Shards { return f.of[0].R.ShardPlace().Of }

func (f overShards) count() (n int) {
	for _, p := range f.of {
		n += p.Len()
	}
	return n
}

func (f overShards) vertices() (vs []uint32) {
	for _, p := range f.of {
		for _, v := range p.Vertices() {
			vs = append(vs, f.shards().Vertex(v))
		}
	}
	return vs
}

// reset empties the parts, which take memory for a queue when something fills them.
func (f overShards) reset() {
	f.R.Changed()
	for _, p := range f.of {
		p.S.Form = f.S.Form
		p.on.reset()
	}
}

func (f overShards) fill() {
	f.R.Changed()
	for _, p := range f.of {
		p.S.Form = front.All
		p.on.fill()
	}
}

func (f overShards) bits() error {
	f.R.Changed()
	return f.each(func(p *Frontier) error { return p.on.bits() })
}

func (f overShards) zero() error {
	return f.each(func(p *Frontier) error { return p.on.zero() })
}

func (f overShards) release() error { return f.each((*Frontier).Close) }

func (f overShards) each(do func(*Frontier) error) (err error) {
	for _, p := range f.of {
		err = errors.Join(err, do(p))
	}
	return err
}

// grow does nothing: the operator that fills a part makes the room.
func (overShards) grow(int, int) error { return nil }

func (f overShards) add(vs []uint32) error {
	f.R.Changed()
	a := f.shards()
	numbers := make([][]uint32, len(f.of))
	for _, v := range vs {
		i := v % uint32(len(f.of))
		numbers[i] = append(numbers[i], a.Number(v))
	}
	for i, p := range f.of {
		if len(numbers[i]) > 0 {
			if err := p.on.add(numbers[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f overShards) convert(device.Stream, Form) error {
	return fmt.Errorf("frontier: convert: %w: frontiers on several GPUs (%s) stay in their form; take one GPU", device.ErrNotSupported, f.S.P.Device().Info().Name)
}

func (f overShards) list(s device.Stream) error {
	if f.Form() == Queue {
		return nil
	}
	return f.convert(s, Queue)
}

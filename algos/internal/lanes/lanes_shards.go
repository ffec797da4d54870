// This file holds how searches begin and levels end over shards.

package lanes

import (
	"errors"
	"slices"
	"unsafe"

	"github.com/foray-graph/foray/algos/internal/lanes/steps"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// overShards is the part of Lanes over the shards of several GPUs. They search by 64 lanes. A level that is pushed
// costs an exchange of the vertices let through; one that is pulled is followed, before the next one, by an exchange of a
// word for every vertex. The host adds up the counts of the GPUs, each of which counts its vertices.
type overShards struct {
	shards *placed.Shards
	begins *steps.Begin
	level  *steps.Level
	all    []uint64 // of each GPU, Results of the last level
	sum    []uint64 // of all
	waits  *operators.Scalar[uint64]
}

// AtMost is how many lanes there are at most where so many were asked for.
func AtMost(p *graph.Placed, lanes int) int {
	return run.Choose(p, run.Ways[int]{Host: lanes, GPU: lanes, Shards: min(lanes, WordLanes)})
}

func newOverShards(l *Lanes) (part, error) {
	a, n := run.ShardsOf(l.t.Placed()), steps.Results(1)
	l.pulls = a.Reverse
	s := &overShards{
		shards: a,
		begins: &steps.Begin{List: steps.List{Numbers: l.sources}, Lanes: l.lanes, Seen: l.seen, New: l.new, Next: l.next},
		level:  &steps.Level{Words: 1, Seen: l.seen, New: l.new, Next: l.next, Results: traverse.ArrayN[uint64](l.t, n*len(a.Parts), 0)},
		all:    make([]uint64, n*len(a.Parts)), sum: make([]uint64, n),
		waits: traverse.Scalar[uint64](l.t, operators.Sum),
	}
	l.push = []operators.Step{advance.Push(newPushSeen(l.seen, l.new))}
	l.activePush = append([]operators.Step{filter.Keep(newReached(l.new))}, l.push...)
	return s, nil
}

func (*overShards) pull(l *Lanes) { l.t.Fill(l.cur) }

func (*overShards) keep(*Lanes) {}

func (*overShards) runFew(*Lanes) bool { return false }

func (s *overShards) wait(l *Lanes) { traverse.Get(l.t, s.waits) }

func (s *overShards) start(l *Lanes, vertices []uint32, bits []uint64) error {
	numbers := make([]uint32, len(vertices))
	for i, v := range vertices {
		numbers[i] = s.shards.Number(v)
	}
	dev := run.Device(l.t.Placed())
	if err := errors.Join(l.sources.Write(dev, 0, numbers), l.lanes.Write(dev, 0, bits)); err != nil {
		return err
	}
	s.begins.Count = len(vertices)
	l.t.Replace(l.cur, vertices...)
	l.t.Do(l.cur, s.begins)
	return nil
}

func (s *overShards) settle(l *Lanes) {
	s.level.Pull, s.level.Full[0] = l.pulled, l.reached[0] // a lane that reached nothing in a level has ended
	l.t.Do(l.cur, s.level)
	s.wait(l)
	if l.Err() != nil {
		return
	}
	if l.err = s.gather(l, s.level.Results, s.all); l.err != nil {
		return
	}
	clear(s.sum)
	for i, x := range s.all {
		if at := i % len(s.sum); at == steps.Any {
			s.sum[at] |= x
		} else {
			s.sum[at] += x
		}
	}
	l.ahead = s.sum[steps.Edges]
	l.left -= min(s.sum[steps.Done], l.left)
	l.reached[0] = s.sum[steps.Any]
}

func (s *overShards) count(*Lanes) ([]uint64, error) {
	return slices.Clone(s.sum[steps.Any+1:]), nil
}

func (*overShards) fetch(l *Lanes, to []uint64) error {
	a, err := run.Read(l.t.Placed(), l.new)
	copy(to, a)
	return err
}

// gather copies an array of which each shard has an equal share, one after the other, to the host.
func (s *overShards) gather(l *Lanes, from *device.Buffer[uint64], to []uint64) error {
	shares := make([][]byte, len(s.shards.Parts))
	each := len(to) / len(shares)
	for i := range shares {
		shares[i] = unsafe.Slice((*byte)(unsafe.Pointer(&to[i*each])), 8*each)
	}
	return l.t.Placed().Device().(placed.Sharded).Arrays().Gather(shares, from.Pointer(), 8*uint64(each))
}

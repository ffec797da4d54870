// This file holds the search for the distances of pairs.

package msbfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Reach returns the distance of each pair, in edges from From to To, or -1 where there is no way.
// Pairs with the same From share a lane, and a batch ends when all of its pairs are joined, so the
// cost depends on the number of different sources. It returns the errors of Run.
func Reach(ctx context.Context, p *graph.Placed, pairs []Pair, o Options) ([]int32, error) {
	if err := callctx.Check(ctx, "msbfs"); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	m := o.memory(p)
	m.Arrays = append(m.Arrays, 4)
	search := func(t *traverse.Traversal, pairs []Pair) ([]int32, error) { return reach(t, pairs, o.lanes()) }
	a := traverse.Algorithm[[]Pair, []int32]{Name: "msbfs: reach", Memory: m, Run: search, RunShards: search}
	return traverse.Run(ctx, p, a, pairs, o.traverse())
}

func reach(t *traverse.Traversal, pairs []Pair, lanes int) ([]int32, error) {
	n := t.Placed().NumVertices()
	order := make([]int, len(pairs)) // by source
	for i, p := range pairs {
		if err := p.check(n); err != nil {
			return nil, fmt.Errorf("pair %d: %w", i, err)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(pairs[a].From, pairs[b].From) })
	l, err := NewLanes(t, lanes)
	if err != nil {
		return nil, err
	}
	found := traverse.Scalar[uint64](t, operators.Sum)
	distances := make([]int32, len(pairs))
	for len(order) > 0 && t.Err() == nil {
		var sources []uint32
		var batch []joined
		for len(order) > 0 {
			p := pairs[order[0]]
			if len(sources) == 0 || sources[len(sources)-1] != p.From {
				if len(sources) == l.Most() {
					break
				}
				sources = append(sources, p.From)
			}
			batch = append(batch, joined{to: p.To, lane: uint32(len(sources) - 1), pair: order[0]})
			order = order[1:]
		}
		slices.SortFunc(batch, func(a, b joined) int { return cmp.Compare(a.to, b.to) })
		if err := l.part.join(l, sources, batch, found, distances); err != nil {
			return nil, err
		}
	}
	return distances, l.Err()
}

// joined is a pair in a batch.
type joined struct {
	to, lane uint32
	pair     int
}

// join is part.join on one device.
func (l *Lanes) join(sources []uint32, batch []joined, found *operators.Scalar[uint64], distances []int32) (err error) {
	t := l.t
	first := make([]uint32, t.Placed().NumVertices()+1)
	lanes, d := make([]uint32, len(batch)), make([]int32, len(batch))
	left := uint64(0)
	for i, b := range batch {
		first[b.to+1]++
		lanes[i], d[i] = b.lane, -1
		if sources[b.lane] == b.to {
			d[i] = 0
		} else {
			left++
		}
	}
	for v := range first[1:] {
		first[v+1] += first[v]
	}
	pairsOf, lane, distance, err := upload(t.Placed().Device(), first, lanes, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pairsOf.Close(), lane.Close(), distance.Close()) }()
	if err := l.Start(sources); err != nil {
		return err
	}
	f := newMeet(l.new, pairsOf, lane, distance, 0, uint64(l.words), found)
	step := foreach.Each(f, nil)
	for left > 0 && l.Next() {
		f.depth = l.depth
		t.Do(l.cur, step)
		left -= min(traverse.Get(t, found), left)
	}
	if l.Err() != nil {
		return l.Err()
	}
	if err := distance.Read(t.Placed().Device(), 0, d); err != nil {
		return err
	}
	for i, b := range batch {
		distances[b.pair] = d[i]
	}
	return nil
}

// upload copies arrays to a device.
func upload(dev device.Device, a, b []uint32, c []int32) (x, y *device.Buffer[uint32], z *device.Buffer[int32], err error) {
	x, err = device.NewBuffer[uint32](dev, len(a))
	if err == nil {
		y, err = device.NewBuffer[uint32](dev, len(b))
	}
	if err == nil {
		z, err = device.NewBuffer[int32](dev, len(c))
	}
	if err == nil {
		err = errors.Join(x.Write(dev, 0, a), y.Write(dev, 0, b), z.Write(dev, 0, c))
	}
	if err != nil {
		err = errors.Join(err, x.Close(), y.Close(), z.Close())
	}
	return x, y, z, err
}

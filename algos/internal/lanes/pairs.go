// This file holds the search for the distances of pairs.

package lanes

import (
	"cmp"
	"errors"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Reach returns the distance of each of n pairs, of which pair tells the ends: vertices of the graph.
func Reach(t *traverse.Traversal, n int, pair func(i int) (from, to uint32), lanes int) ([]int32, error) {
	order := make([]int, n) // by source
	for i := range order {
		order[i] = i
	}
	source := func(i int) uint32 { from, _ := pair(i); return from }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(source(a), source(b)) })
	l, err := NewLanes(t, lanes)
	if err != nil {
		return nil, err
	}
	found := traverse.Scalar[uint64](t, operators.Sum)
	distances := make([]int32, n)
	for len(order) > 0 && t.Err() == nil {
		var sources []uint32
		var batch []joined
		for len(order) > 0 {
			from, to := pair(order[0])
			if len(sources) == 0 || sources[len(sources)-1] != from {
				if len(sources) == l.Most() {
					break
				}
				sources = append(sources, from)
			}
			batch = append(batch, joined{to: to, lane: uint32(len(sources) - 1), pair: order[0]})
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

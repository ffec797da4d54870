// This file holds the arrays of a result on several devices.

package bfs

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
)

// shardArrays are depths and parents of the vertices of each device, parents by their numbers over
// all devices.
type shardArrays struct {
	of     *placed.Shards
	arrays [2][]device.Memory // depths, parents; nil where they aren't wanted
}

// shardArraysKey is what those with depths, parents or both are kept under.
type shardArraysKey struct {
	placed.Of[*shardArrays]
	depths, parents bool
}

func (a *shardArrays) key() shardArraysKey {
	return shardArraysKey{depths: a.arrays[0] != nil, parents: a.arrays[1] != nil}
}

// takeArrays returns arrays that an earlier search left, or new ones.
func takeArrays(p *graph.Placed, of *placed.Shards, depths, parents bool) (*shardArrays, error) {
	if a, ok := placed.Take(p.State(), shardArraysKey{depths: depths, parents: parents}); ok {
		return a, nil
	}
	a := &shardArrays{of: of}
	for i, want := range []bool{depths, parents} {
		if !want {
			continue
		}
		a.arrays[i] = make([]device.Memory, 0, len(of.Parts))
		for j := range of.Parts {
			m, err := of.Parts[j].Dev.Alloc(4 * uint64(of.Stride))
			if err != nil {
				return nil, errors.Join(err, a.Close())
			}
			a.arrays[i] = append(a.arrays[i], m)
		}
	}
	return a, nil
}

// at is where a device has depths (0) or parents (1); 0 where they aren't wanted.
func (a *shardArrays) at(which, device int) uint64 {
	if a.arrays[which] == nil {
		return 0
	}
	return uint64(a.arrays[which][device].Pointer())
}

// keep leaves the arrays to the next search.
func (a *shardArrays) keep(p *graph.Placed) {
	if !placed.Keep(p.State(), a.key(), a) {
		_ = a.Close() // fails only where the device does, which others report
	}
}

// Close gives them back.
func (a *shardArrays) Close() (err error) {
	if a == nil {
		return nil
	}
	for i := range a.arrays {
		for _, m := range a.arrays[i] {
			err = errors.Join(err, m.Close())
		}
		a.arrays[i] = nil
	}
	return err
}

// fetchShards returns depths (0) or parents (1) of all vertices, copied to the host first.
func fetchShards[T int32 | uint32](r *Result, which int, copied *[]T) ([]T, error) {
	a := r.shards
	if a == nil || a.arrays[which] == nil {
		return nil, nil
	}
	n := a.of.Vertices
	if len(*copied) == n {
		return *copied, nil
	}
	all := slices.Grow((*copied)[:0], n)[:n]
	devices := len(a.of.Parts)
	errs := make([]error, devices)
	var wg sync.WaitGroup
	for i, m := range a.arrays[which] {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = panics.Call(func() error {
				part := make([]T, a.of.Parts[i].Vertices)
				if err := discrete.Read(a.of.Parts[i].Dev, part, m); err != nil {
					return err
				}
				for l, x := range part {
					if which == 1 && uint32(x) != graph.NoVertex {
						x = T(a.of.Vertex(uint32(x)))
					}
					all[l*devices+i] = x
				}
				return nil
			})
		}()
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("bfs: copying the result from %s: %w", r.Device, err)
	}
	*copied = all
	return all, nil
}

// ranked returns an array in the order of ids; nil stays nil.
func ranked[T int32 | uint32](r *Result, byVertex []T, failed error, change func(T) T, copied *[]T) ([]T, error) {
	if byVertex == nil || failed != nil {
		return nil, failed
	}
	release, err := r.p.Graph().Hold()
	if err != nil {
		return nil, fmt.Errorf("bfs: the order of ids: %w", err)
	}
	defer release()
	order := r.p.Graph().IDs().ByID()
	if order == nil {
		return byVertex, nil
	}
	if len(*copied) == 0 {
		all := slices.Grow((*copied)[:0], len(order))[:len(order)]
		for i, v := range order {
			all[i] = change(byVertex[v])
		}
		*copied = all
	}
	return *copied, nil
}

// depthsRanked and parentsRanked are DepthsByID and ParentsByID of a search over several devices.
func (r *Result) depthsRanked() ([]int32, error) {
	depths, err := r.allDepths()
	return ranked(r, depths, err, func(d int32) int32 { return d }, &r.hostDepthsByID)
}

func (r *Result) parentsRanked() ([]uint32, error) {
	ids := r.p.Graph().IDs()
	parents, err := r.allParents()
	return ranked(r, parents, err, func(v uint32) uint32 {
		if v == graph.NoVertex {
			return v
		}
		return uint32(ids.Rank(v))
	}, &r.hostParentsByID)
}

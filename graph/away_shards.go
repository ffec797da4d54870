// This file reads rows that several devices made, sharded.

package graph

import (
	"errors"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// newShardsAway is newAway for rows that are sharded.
func newShardsAway(devs placed.Sharded, shards *placed.Shards, out, in *CSR) *away {
	a := &away{shards: shards, name: devs.Info().Name, rows: []awayRows{{to: out}}}
	if in != nil && in != out {
		a.rows = append(a.rows, awayRows{to: in, in: true})
	}
	return a
}

// copyShards returns the targets of rows that are sharded.
func (r *awayRows) copyShards(a *placed.Shards) (CSR, error) {
	c := CSR{Targets: pages.Uncleared[uint32](int(r.to.NumEdges()))}
	hugepage.Expect(c.Targets)
	errs := make([]error, shardReaders)
	var next atomic.Int64
	var wait sync.WaitGroup
	for w := range errs {
		wait.Go(func() {
			for errs[w] == nil {
				at := int(next.Add(shardPiece)) - shardPiece
				if at >= len(c.Targets) {
					return
				}
				errs[w] = panics.Call(func() error { return r.readShards(a, uint64(at), c.Targets[at:min(at+shardPiece, len(c.Targets))]) })
			}
		})
	}
	wait.Wait()
	return c, errors.Join(errs...)
}

// readShards reads targets of rows that are sharded, from one on. What each device has of them lies
// side by side.
func (r *awayRows) readShards(a *placed.Shards, from uint64, to []uint32) error {
	end, o := from+uint64(len(to)), r.to.Offsets
	first := sort.Search(len(o), func(v int) bool { return o[v] > from }) - 1
	devices := len(a.Parts)
	for i := range devices {
		part, v := &a.Parts[i], first+((i-first)%devices+devices)%devices
		offsets, targets := part.Offsets, part.Targets
		if r.in {
			offsets, targets = part.InOffsets, part.InTargets
		}
		begin, count := uint64(0), uint64(0)
		for w := v; w < a.Vertices && o[w] < end; w += devices {
			count += min(o[w+1], end) - max(o[w], from)
		}
		if count == 0 {
			continue
		}
		width := uint64(4)
		if a.Wide {
			width = 8
		}
		raw := unsafe.Slice((*byte)(unsafe.Pointer(&begin)), width) // little-endian, as the device is
		if err := part.Dev.Download(raw, part.Memory(offsets), width*uint64(v/devices)); err != nil {
			return err
		}
		begin += max(o[v], from) - o[v]
		have := make([]uint32, count)
		if err := part.Dev.Download(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(have))), 4*count), part.Memory(targets), 4*begin); err != nil {
			return err
		}
		for w := v; len(have) > 0; w += devices {
			lo, hi := max(o[w], from), min(o[w+1], end)
			for k, x := range have[:hi-lo] {
				to[lo-from+uint64(k)] = a.Vertex(x)
			}
			have = have[hi-lo:]
		}
	}
	return nil
}

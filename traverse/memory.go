// This file holds what a traversal takes of a device's memory, estimated, and where it keeps
// what it leaves to the next one.

package traverse

import (
	"errors"
	"fmt"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/heads"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/operators/pile"
)

// Memory says what a traversal holds beside its frontiers, so that it can be refused before
// anything is allocated.
type Memory struct {
	// Arrays has, for each array of an entry per vertex, the bytes of an entry.
	Arrays []int
	// Bitmaps is how many bitmaps there are (Traversal.Bits).
	Bitmaps int
	// Frontiers is how many frontiers there are; 0 means one.
	Frontiers int
	// Piles is how many far piles there are (Traversal.Pile).
	Piles int
}

// Bytes returns what a traversal takes at most of the memory of the device that the graph is
// on, beside the graph (graph.Graph.RemoteBytes, and 4 bytes an edge for weights).
func (m Memory) Bytes(p *graph.Placed) uint64 {
	if p.Err() != nil {
		return 0
	}
	n, frontiers := uint64(p.NumVertices()), uint64(max(m.Frontiers, 1))+1 // the spare one
	bytes, bitmap := uint64(0), (n+63)/64*8
	for _, a := range m.Arrays {
		bytes += uint64(max(a, 0)) * n
	}
	bytes += uint64(max(m.Bitmaps, 0))*bitmap + uint64(max(m.Piles, 0))*pile.Bytes(p)
	if r := p.Remote(); r != nil {
		width := uint64(4)
		if r.Wide {
			width = 8
		}
		if p.MaxDegree() <= shortRows {
			bytes += heads.Bytes(p.NumVertices())
		}
		// All vertices as a frontier have no queue: another takes its turns.
		return bytes + (frontiers+1)*(4+width)*n + 3*bitmap + streamBytes
	}
	workers := uint64(1)
	if d, ok := p.Device().(interface{ Workers() int }); ok {
		workers = uint64(d.Workers())
	}
	return bytes + frontiers*(4*(n+frontier.Slack)+bitmap) + bitmap + workers*workerBytes
}

// check returns device.ErrMemory where a GPU has less free than a traversal takes that finds
// nothing that an earlier one left.
func (m Memory) check(p *graph.Placed) error {
	if p.Remote() == nil || len(m.Arrays) == 0 {
		return nil
	}
	need, info := m.Bytes(p), p.Device().Info()
	if info.MemoryFree == 0 || need <= info.MemoryFree {
		return nil
	}
	return fmt.Errorf("traverse: %w: it takes up to %s of %s, of which %s are free; free other graphs, or traverse on the host",
		device.ErrMemory, text.Bytes(need), info.Name, text.Bytes(info.MemoryFree))
}

// store keeps what traversals leave to the next one.
type store interface {
	TakeScratch(key any) any
	KeepScratch(key, x any) bool
}

// drawer is a store of one's own.
type drawer struct {
	mu   sync.Mutex
	kept map[any][]any
	shut bool
}

func (d *drawer) TakeScratch(key any) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	xs := d.kept[key]
	if len(xs) == 0 {
		return nil
	}
	d.kept[key] = xs[:len(xs)-1]
	return xs[len(xs)-1]
}

func (d *drawer) KeepScratch(key, x any) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		return false
	}
	if d.kept == nil {
		d.kept = map[any][]any{}
	}
	d.kept[key] = append(d.kept[key], x)
	return true
}

// Free frees what is kept; nothing is kept afterwards.
func (d *drawer) Free() error {
	d.mu.Lock()
	kept := d.kept
	d.kept, d.shut = nil, true
	d.mu.Unlock()
	var errs []error
	for _, xs := range kept {
		for _, x := range xs {
			if f, ok := x.(interface{ Free() error }); ok {
				errs = append(errs, f.Free())
			}
		}
	}
	return errors.Join(errs...)
}

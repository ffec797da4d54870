// This file holds the list of the vertices that a part of a graph has, which kernels get for all vertices.

package step

import (
	"errors"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
)

type listKey struct{ placed.Of[device.Memory] }

// List lists the numbers of a part's vertices on its device, on the first call: placed.ShardPlace.List. They are the
// placed graph's.
func List(p *graph.Placed) error {
	_, err := placed.LoadOrMake(p.State(), listKey{}, func() (device.Memory, error) {
		d := p.Remote().Shard
		m, err := d.Dev.Alloc(4 * uint64(max(d.Count, 1)))
		if err != nil {
			return nil, err
		}
		err = d.Dev.Upload(m, 4*uint64(d.Count), func(at uint64, part []byte) {
			for i, w := 0, unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(part))), len(part)/4); i < len(w); i++ {
				w[i] = d.First + uint32(at/4) + uint32(i)
			}
		})
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
		d.List = m.Pointer()
		return m, nil
	})
	return err
}

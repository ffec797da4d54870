// This file holds the pile on the host.

package pile

import (
	"sync/atomic"

	"github.com/foray-graph/foray/device"
)

// onHost is the part of a pile that is on the host.
type onHost struct {
	now  uint32 // the stage
	list []uint32
	far  []uint64   // bitmap of its vertices
	own  [][]uint32 // what each worker found
	due  [][]uint32 // what a functor said
}

func (x *onHost) clear(device.Stream) error {
	x.now, x.list = 0, x.list[:0]
	for w := range x.own { // left by a push that panicked
		x.own[w] = x.own[w][:0]
	}
	clear(x.far)
	return nil
}

func (x *onHost) free() error {
	*x = onHost{now: x.now}
	return nil
}

func (x *onHost) freed() bool            { return x.far == nil }
func (x *onHost) stage() (uint32, error) { return x.now, nil }
func (x *onHost) len() (int, error)      { return len(x.list), nil }

// Workers readies the pile for a push by so many workers of the host.
func (x *Pile) Workers(n, tile int) {
	for len(x.host.own) < n {
		x.host.own = append(x.host.own, nil)
		x.host.due = append(x.host.due, make([]uint32, tile))
	}
}

// Due returns memory for a functor's results for a tile on a host worker.
func (x *Pile) Due(worker, n int) []uint32 {
	if len(x.host.due[worker]) < n {
		x.host.due[worker] = make([]uint32, n)
	}
	return x.host.due[worker][:n]
}

// Later puts a vertex into the pile if it is due later, and reports whether it is due now.
// Workers of the host call it at the same time.
func (x *Pile) Later(worker int, v, due uint32) (now bool) {
	if due == Never {
		return false
	}
	if due <= x.host.now {
		return true
	}
	if w, bit := &x.host.far[v>>6], uint64(1)<<(v&63); atomic.LoadUint64(w)&bit == 0 && atomic.OrUint64(w, bit)&bit == 0 {
		x.host.own[worker] = append(x.host.own[worker], v)
	}
	return false
}

// Gather moves what the workers found to the pile.
func (x *Pile) Gather() {
	for w := range x.host.own {
		x.host.list = append(x.host.list, x.host.own[w]...)
		x.host.own[w] = x.host.own[w][:0]
	}
}

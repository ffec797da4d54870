// This file holds the pile on the host.

package farpile

import (
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/bitmap"
)

// OnHost is the part of a pile that is on the host.
type OnHost struct {
	Now  uint32 // the stage
	List []uint32
	Far  []uint64   // bitmap of its vertices
	own  [][]uint32 // what each worker found
	due  [][]uint32 // what a functor said
}

func (x *OnHost) clear(device.Stream) error {
	x.Now, x.List = 0, x.List[:0]
	for w := range x.own { // left by a push that panicked
		x.own[w] = x.own[w][:0]
	}
	clear(x.Far)
	return nil
}

func (x *OnHost) close() error {
	*x = OnHost{Now: x.Now}
	return nil
}

func (x *OnHost) closed() bool           { return x.Far == nil }
func (x *OnHost) stage() (uint32, error) { return x.Now, nil }
func (x *OnHost) len() (int, error)      { return len(x.List), nil }

// Workers readies the pile for a push by so many workers of the host.
func (x *Pile) Workers(n, tile int) {
	for len(x.Host.own) < n {
		x.Host.own = append(x.Host.own, nil)
		x.Host.due = append(x.Host.due, make([]uint32, tile))
	}
}

// Due returns memory for a functor's results for a tile on a host worker.
func (x *Pile) Due(worker, n int) []uint32 {
	if len(x.Host.due[worker]) < n {
		x.Host.due[worker] = make([]uint32, n)
	}
	return x.Host.due[worker][:n]
}

// Later puts a vertex into the pile if it is due later, and reports whether it is due now.
// Workers of the host call it at the same time.
func (x *Pile) Later(worker int, v, due uint32) (now bool) {
	if due == Never {
		return false
	}
	if due <= x.Host.Now {
		return true
	}
	if bitmap.Claim(x.Host.Far, v) {
		x.Host.own[worker] = append(x.Host.own[worker], v)
	}
	return false
}

// Gather moves what the workers found to the pile.
func (x *Pile) Gather() {
	for w := range x.Host.own {
		x.Host.List = append(x.Host.List, x.Host.own[w]...)
		x.Host.own[w] = x.Host.own[w][:0]
	}
}

// This file holds frontiers in the host's memory.

package frontier

import (
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/front"
)

type onHost struct{ *Frontier }

func (f onHost) count() int                 { return int(f.s.Length.Load()) }
func (f onHost) reset()                     {}
func (f onHost) fill()                      {}
func (f onHost) bits() error                { return f.s.NeedBits() }
func (f onHost) release() error             { return nil }
func (f onHost) list(s device.Stream) error { return f.Convert(s, Queue) }

func (f onHost) vertices() []uint32 {
	if f.s.Form == Queue {
		return slices.Clone(f.Queue())
	}
	return front.ListWords(f.s.Bits.Host(), f.Len())
}

func (f onHost) zero() error {
	clear(f.s.Bits.Host())
	return nil
}

func (f onHost) grow(capacity, keep int) error {
	if f.s.List != nil && f.s.List.Len()-Slack >= capacity {
		return nil
	}
	f.gather()
	b, err := device.NewBuffer[uint32](f.s.P.Device(), max(capacity, f.s.N)+Slack)
	if err != nil {
		return err
	}
	if f.s.List != nil {
		copy(b.Host(), f.s.List.Host()[:keep])
		if err := f.s.List.Free(); err != nil {
			return err
		}
	}
	f.s.List = b
	return nil
}

func (f onHost) add(vs []uint32) error {
	if f.s.Form == Bitmap {
		words := f.s.Bits.Host()
		for _, v := range vs {
			if words[v>>6]>>(v&63)&1 == 0 {
				words[v>>6] |= 1 << (v & 63)
				f.s.Length.Add(1)
			}
		}
		return nil
	}
	f.gather()
	at := f.Len()
	room := at + len(vs)
	if f.s.List != nil && f.s.List.Len()-Slack < room {
		room = max(room, 2*at) // so that adding one by one stays linear
	}
	if err := f.grow(room, at); err != nil {
		return err
	}
	copy(f.s.List.Host()[at:], vs)
	f.s.Length.Add(int64(len(vs)))
	return nil
}

// This file holds frontiers in the host's memory.

package frontier

import (
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/front"
)

type onHost struct{ *Frontier }

func (f onHost) count() int                 { return int(f.S.Length.Load()) }
func (f onHost) reset()                     {}
func (f onHost) fill()                      {}
func (f onHost) bits() error                { return f.S.NeedBits() }
func (f onHost) release() error             { return nil }
func (f onHost) list(s device.Stream) error { return f.Convert(s, Queue) }

func (f onHost) vertices() []uint32 {
	if f.Form() == Queue {
		return slices.Clone(f.Queue())
	}
	return front.ListWords(f.S.Bits.Host(), f.Len())
}

func (f onHost) zero() error {
	clear(f.S.Bits.Host())
	return nil
}

func (f onHost) grow(capacity, keep int) error {
	if f.S.List != nil && f.S.List.Len()-front.Slack >= capacity {
		return nil
	}
	f.Gather()
	b, err := device.NewBuffer[uint32](f.S.P.Device(), max(capacity, f.S.N)+front.Slack)
	if err != nil {
		return err
	}
	if f.S.List != nil {
		copy(b.Host(), f.S.List.Host()[:keep])
		if err := f.S.List.Close(); err != nil {
			return err
		}
	}
	f.S.List = b
	return nil
}

func (f onHost) add(vs []uint32) error {
	if f.Form() == Bitmap {
		words := f.S.Bits.Host()
		for _, v := range vs {
			if words[v>>6]>>(v&63)&1 == 0 {
				words[v>>6] |= 1 << (v & 63)
				f.S.Length.Add(1)
			}
		}
		return nil
	}
	f.Gather()
	at := f.Len()
	room := at + len(vs)
	if f.S.List != nil && f.S.List.Len()-front.Slack < room {
		room = max(room, 2*at) // so that adding one by one stays linear
	}
	if err := f.grow(room, at); err != nil {
		return err
	}
	copy(f.S.List.Host()[at:], vs)
	f.S.Length.Add(int64(len(vs)))
	return nil
}

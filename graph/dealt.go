// This file makes the parts of a graph that lies on several devices known to the steps of traversals, as
// placed graphs of their own.

package graph

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/placed"
)

// members are the parts. Each has the whole graph, and of the rows those of its vertices.
type members []*Placed

// Members returns them.
func (m members) Members() []*Placed { return m }

// Free ends their use.
func (m members) Free() (err error) {
	for _, p := range m {
		err = errors.Join(err, p.Free())
	}
	return err
}

// lies says that the graph lies on several devices, and returns p.
func (p *Placed) lies(devs placed.Several, a *placed.Across) (*Placed, error) {
	p.once = map[any]*made{placed.AcrossKey{}: {done: true, x: a}}
	if err := p.deal(devs, a); err != nil {
		return nil, err
	}
	return p, nil
}

// deal makes the parts of a placed graph; where it fails the placed graph is freed.
func (p *Placed) deal(devs placed.Several, a *placed.Across) error {
	p.at = onSeveral{}
	copies, width := devs.Dealt(), uintptr(4)
	if a.Wide {
		width = 8
	}
	var all members
	for i := range a.Parts {
		if err := p.g.enter(); err != nil {
			return errors.Join(err, all.Free(), p.Free())
		}
		part, first := &a.Parts[i], uint32(i)*a.Stride
		q := newPlaced(p.g, copies)
		q.at = onSeveral{}
		q.remote = &placed.Remote{Wide: a.Wide, Offsets: part.Offsets - uintptr(first)*width, Targets: part.Targets,
			Dealt: &placed.Dealt{First: first, Count: uint32(part.Vertices), Across: a, At: func(at uintptr) uintptr { return copies.At(i, at) }}}
		if a.Reverse {
			q.remote.InOffsets, q.remote.InTargets = part.InOffsets-uintptr(first)*width, part.InTargets
		}
		all = append(all, q)
	}
	p.once[placed.MembersKey{}] = &made{done: true, x: all}
	return nil
}

// onSeveral is a placed graph on several devices, or a part of one. What isn't dealt out isn't there.
type onSeveral struct{ onHost }

func notDealt(what string) error {
	return fmt.Errorf("graph: %w: the %s aren't on several GPUs; take one", device.ErrNotSupported, what)
}

func (onSeveral) weights([]float32) (*device.Buffer[float32], error) {
	return nil, notDealt("weights of edges")
}
func (onSeveral) ids([]uint64) (*device.Buffer[uint64], error) { return nil, notDealt("ids of edges") }
func (onSeveral) offsets(*CSR) (*device.Buffer[uint64], error) {
	return nil, notDealt("offsets of rows")
}
func (onSeveral) targets(*CSR) (*device.Buffer[uint32], error) {
	return nil, notDealt("targets of edges")
}

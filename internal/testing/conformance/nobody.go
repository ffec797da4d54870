// This file tests operators that weren't made by New.

package conformance

import (
	"errors"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/operators/scan"
)

// Nobody calls operators that are nil or zero values, not made by New: each call returns an error, and no
// stream is accepted.
func (s Suite) Nobody(t *testing.T) {
	x := s.rig(t, s.caseOf("star").Graph(71), 72)
	one, out := x.queue([]uint32{1}), x.bitmap(nil)
	keys, err := device.NewBuffer[uint32](x.p.Device(), x.p.NumVertices())
	x.must(err)
	defer func() { x.must(keys.Close()) }()
	edges := &frontier.Edges{}
	for _, made := range []bool{false, true} {
		var a *advance.Advancer
		var f *filter.Filterer
		var n *scan.Scanner
		var i *intersect.Intersector
		if made {
			a, f, n, i = &advance.Advancer{}, &filter.Filterer{}, &scan.Scanner{}, &intersect.Intersector{}
		}
		below := composed.NewBelow(keys, 1)
		for name, call := range map[string]func() error{
			"push":             func() error { _, err := a.Push(one, out, advance.All()); return err },
			"push by level":    func() error { _, _, err := a.PushLevel(nil, 1, out, advance.All()); return err },
			"pull":             func() error { _, err := a.Pull(one, out, out, advance.Parents(nil)); return err },
			"expand":           func() error { return a.Expand(one, edges, advance.AutoBalance) },
			"contract":         func() error { return a.Contract(edges, one, advance.All()) },
			"contract, expand": func() error { return a.ContractExpand(edges, edges, advance.All()) },
			"cull":             func() error { return f.Cull(one, out) },
			"unvisited":        func() error { return f.Unvisited(one, out) },
			"unique":           func() error { return f.Unique(one) },
			"keep":             func() error { return f.Keep(one, below) },
			"scan":             func() error { _, err := scan.Exclusive(n, keys, keys, 1); return err },
			"intersect":        func() error { return i.Run(intersect.Options{}, intersect.Count(nil)) },
			"totals":           func() error { _, _, err := i.Totals(); return err },
		} {
			if err := call(); !errors.Is(err, device.ErrNotSupported) {
				t.Errorf("%s, made %v: %v", name, made, err)
			}
		}
		if a.Bind(x.s) || f.Bind(x.s) || n.Bind(x.s) || i.Bind(x.s) {
			t.Errorf("made %v: a stream fits", made)
		}
		x.must(errors.Join(a.Close(), f.Close(), n.Close(), i.Close()))
	}
}

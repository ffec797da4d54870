// This file holds a graph that algorithms are run on, in the forms that they need, and what checks share.

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/traverse"
)

// form lists an algorithm's requirements on graphs.
type form struct {
	weights bool // none of them negative or NaN
	finite  bool // and none infinite
	reverse bool
	upwards bool // directed, and edges lead to larger numbers of the model alone
}

// graphCase is a graph in the forms that algorithms need.
type graphCase struct {
	recipe
	seed  uint64
	forms map[form]*built
	spoil func(m *model) // changes models, so that all algorithms differ from them; nil: doesn't
}

func newCase(seed uint64) *graphCase {
	return &graphCase{recipe: draw(rand.New(rand.NewPCG(seed, 0))), seed: seed, forms: map[form]*built{}}
}

// free frees the placed graphs.
func (c *graphCase) free() (err error) {
	for _, b := range c.forms {
		for _, p := range b.placed {
			err = errors.Join(err, p.Close())
		}
	}
	return err
}

// as returns the graph in a form: as it was drawn for the zero value, otherwise with the required properties added.
func (c *graphCase) as(ctx context.Context, f form) (*built, error) {
	if b := c.forms[f]; b != nil {
		return b, nil
	}
	x, same := c.recipe, true
	if f.reverse && !x.reverse && x.directed {
		x.reverse, same = true, false
	}
	if f.upwards {
		x.directed, same = true, false
		x.given = slices.DeleteFunc(slices.Clone(x.given), func(e edge) bool { return e.from >= e.to })
		x.rows = x.rows || len(x.given) == 0 // a Builder has nothing to build
	}
	if f.weights && !x.weighted {
		x.weighted, same = true, false
	}
	if f.weights {
		given := make([]edge, len(x.given))
		for i, e := range x.given {
			if !(e.weight >= 0) || f.finite && e.weight == inf32 {
				e.weight, same = 1, false
			}
			given[i] = e
		}
		x.given = given
	}
	if f != (form{}) && same {
		b, err := c.as(ctx, form{})
		c.forms[f] = b
		return b, err
	}
	b, err := x.build(ctx)
	if err != nil {
		return nil, err
	}
	if c.spoil != nil {
		c.spoil(b.model)
	}
	c.forms[f] = b
	return b, nil
}

// hosts are the devices that graphs are placed on, by number of workers.
var hosts = map[int]*host.Device{1: host.New(1), 2: host.New(2), 3: host.New(3), 7: host.New(7)}

// other is a device that graphs are placed on as well, as onOther workers; or nil.
var other device.Device

const onOther = -1

// on returns the graph placed on a host with the given number of workers.
func (b *built) on(workers int) (*graph.Placed, error) {
	if p := b.placed[workers]; p != nil {
		return p, nil
	}
	d := other
	if workers != onOther {
		d = hosts[workers]
	}
	p, err := b.graph.On(d)
	if err == nil {
		b.placed[workers] = p
	}
	return p, err
}

// each calls check for the graph on one worker, and on several; or on the other device.
func (b *built) each(r *rand.Rand, check func(p *graph.Placed) error) error {
	places := []int{1, []int{2, 3, 7}[r.IntN(3)]}
	if other != nil {
		places = []int{onOther}
	}
	for _, workers := range places {
		p, err := b.on(workers)
		if err == nil {
			err = check(p)
		}
		if err != nil {
			if workers == onOther {
				return fmt.Errorf("%s: %w", other.Info().Name, err)
			}
			return fmt.Errorf("%d workers: %w", workers, err)
		}
	}
	return nil
}

// refused checks that a call failed as it should.
func refused(err, want error, what string) error {
	if !errors.Is(err, want) {
		return fmt.Errorf("%s: error %v, want %w", what, err, want)
	}
	return nil
}

// valuesOf returns the values of a result by vertex of the model.
func valuesOf[T device.Elem](b *built, v *traverse.Values[T]) ([]T, error) {
	all, err := v.Slice()
	if err != nil {
		return nil, err
	}
	byID, err := v.ByID()
	if err != nil {
		return nil, err
	}
	if len(all) != b.n || len(byID) != b.n {
		return nil, fmt.Errorf("%d values, %d by id, for %d vertices", len(all), len(byID), b.n)
	}
	values := make([]T, b.n)
	for i, u := range b.vertex {
		values[i] = all[u]
		if x, y := values[i], byID[i]; x != y && fmt.Sprint(x) != fmt.Sprint(y) { // NaN is no other than NaN
			return nil, fmt.Errorf("vertex %d of the model has %v, by id %v", i, x, y)
		}
	}
	return values, nil
}

// verticesOf returns the values of a result that are vertices: by vertex of the model, vertices of the
// model, or -1 for graph.NoVertex.
func verticesOf(b *built, v *traverse.Values[uint32]) ([]int, error) {
	all, err := valuesOf(b, v)
	if err != nil {
		return nil, err
	}
	vertices := make([]int, len(all))
	for i, u := range all {
		switch {
		case u == graph.NoVertex:
			vertices[i] = -1
		case int(u) >= b.n:
			return nil, fmt.Errorf("vertex %d of the model has vertex %d of %d", i, u, b.n)
		default:
			vertices[i] = b.number[u]
		}
	}
	return vertices, nil
}

// equal compares values with those wanted.
func equal[T comparable](what string, got, want []T) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("%s: vertex %d has %v, want %v", what, i, got[i], want[i])
		}
	}
	return nil
}

// near compares numbers, which may be off by a part of themselves.
func near(what string, got, want []float64, part float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range want {
		if math.IsNaN(want[i]) != math.IsNaN(got[i]) || math.Abs(got[i]-want[i]) > part*math.Abs(want[i]) {
			return fmt.Errorf("%s: vertex %d has %v, want %v", what, i, got[i], want[i])
		}
	}
	return nil
}

// inGraph maps vertices of the model to vertices of the graph.
func (b *built) inGraph(vs []int) []uint32 {
	all := make([]uint32, len(vs))
	for i, v := range vs {
		all[i] = b.vertex[v]
	}
	return all
}

// some draws vertices of the model, some of them possibly twice.
func (b *built) some(r *rand.Rand, n int) []int {
	vs := make([]int, n)
	for i := range vs {
		vs[i] = r.IntN(b.n)
	}
	return vs
}

// one reports true once in in calls, on average.
func one(r *rand.Rand, in int) bool { return r.IntN(in) == 0 }

// progress returns a function that is called after each level, or nil, which takes another code path.
func progress(r *rand.Rand) func(traverse.Level) {
	if one(r, 8) {
		return func(traverse.Level) {}
	}
	return nil
}

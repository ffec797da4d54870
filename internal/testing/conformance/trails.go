// This file holds the tests of trails, which keep the levels of a search for the way back.

package conformance

import (
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Trails walks through the levels of a search and back, by steps of all engines in turn.
func (s Suite) Trails(t *testing.T) {
	for i, c := range testgraph.Small() {
		g := c.Graph(uint64(i))
		if g.NumVertices() == 0 {
			continue
		}
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []traverse.Engine{traverse.LevelByLevel, traverse.AutoEngine} {
			x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
			for round := range 3 {
				s.trail(t, c.Name+" "+c.Kind.String()+" "+e.String(), x, uint32(g.NumVertices()/2), round)
			}
			if err := x.Close(); err != nil {
				t.Fatalf("%s: %v: %v", c.Name, e, err)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// trail searches, walks back levels at once, then one more, then all others.
func (s Suite) trail(t *testing.T, name string, x *traverse.Traversal, source uint32, back int) {
	t.Helper()
	found, value := traverse.Array[int32](x, -1), traverse.Array(x, 1.0)
	traverse.Set(x, found, source, 0)
	trail, cur := traverse.NewTrail(x), x.From(source)
	if back == 1 { // the first level separately
		if x.Next(cur) {
			x.Do(cur, trail.Keep(), advance.Push(composed.NewReach(found)))
		}
	}
	x.Repeat(cur, trail.Keep(), advance.Push(composed.NewReach(found)))
	depths := depthsFrom(x.Placed().Graph().Out(), source)
	last := int(slices.Max(depths))
	if trail.Len() != last+1 || cur.Len() != 0 {
		t.Fatalf("%s: %d levels in the trail, want %d; %d vertices left, %v", name, trail.Len(), last+1, cur.Len(), x.Err())
	}
	at := func(want int) {
		t.Helper()
		vs := cur.Vertices()
		slices.Sort(vs)
		var level []uint32
		for v, d := range depths {
			if want >= 0 && int(d) == want {
				level = append(level, uint32(v))
			}
		}
		if !slices.Equal(vs, level) || trail.Len() != max(want, 0) {
			t.Fatalf("%s: level %d of %d is %v, want %v, before %d; %v", name, want, last, vs, level, trail.Len(), x.Err())
		}
	}
	double := foreach.Each(composed.NewDouble(value), nil)
	x.Do(cur, trail.Back())
	at(last)
	if back > 0 {
		x.Repeat(cur, double, trail.Back(), traverse.MaxRounds(back))
		at(max(last-back, -1))
	}
	x.Do(cur, double, trail.Back())
	at(max(last-back-1, -1))
	x.Repeat(cur, double, trail.Back())
	at(-1)
	values, err := read(x, value)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for v, got := range values {
		want := 2.0
		if depths[v] < 0 {
			want = 1
		}
		if got != want {
			t.Fatalf("%s: vertex %d in level %d was there %v times: %v", name, v, depths[v], got, x.Err())
		}
	}
}

// depthsFrom searches on one goroutine.
func depthsFrom(c *graph.CSR, source uint32) []int32 {
	depths := slices.Repeat([]int32{-1}, c.NumVertices())
	depths[source] = 0
	for queue := []uint32{source}; len(queue) > 0; queue = queue[1:] {
		for _, w := range c.Neighbors(queue[0]) {
			if depths[w] < 0 {
				depths[w] = depths[queue[0]] + 1
				queue = append(queue, w)
			}
		}
	}
	return depths
}

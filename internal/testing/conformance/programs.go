// This file holds the property test of steps: random programs of them, run by every engine
// and by a naive interpreter.

package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// machine is the memory of a program, as the interpreter has it.
type machine struct {
	g                    *graph.Graph
	cur                  []uint32 // may have a vertex more than once
	round, tally, totals []uint32
	seen                 map[uint32]bool
	sum, most            uint64
	level                int32
	sets                 bool // no frontier has a vertex twice
	expanded             int  // vertices in the frontiers of all levels
	wide                 int  // a frontier of more vertices ends it
}

// actual is the state of the engines.
type actual struct {
	t                    *traverse.Traversal
	round, tally, totals *device.Buffer[uint32]
	seen                 *frontier.Frontier
	sum, most            *operators.Scalar[uint64]
}

// instruction is a step, in both ways.
type instruction struct {
	name   string
	step   func(x *actual) operators.Step
	naive  func(m *machine)
	single bool // only the level-by-level engine supports it
}

// edges calls back for the out-edges of vertices.
func (m *machine) edges(vs []uint32, visit func(source, target uint32, edge uint64)) {
	out := m.g.Out()
	for _, v := range vs {
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			visit(v, out.Targets[e], e)
		}
	}
}

func (m *machine) all() []uint32 {
	vs := make([]uint32, m.g.NumVertices())
	for v := range vs {
		vs[v] = uint32(v)
	}
	return vs
}

func (m *machine) push(crosses func(source, target uint32) bool) {
	var next []uint32
	m.edges(m.cur, func(s, t uint32, _ uint64) {
		if crosses(s, t) {
			next = append(next, t)
		}
	})
	m.cur = next
}

func (m *machine) unvisited() {
	m.cur = without(unique(m.cur), m.seen)
	for _, v := range m.cur {
		m.seen[v] = true
	}
}

// program draws steps. Its loops end after a few rounds.
func program(r *rand.Rand, reverse bool) (p []instruction, rounds int) {
	set := true // no vertex is in the frontier twice
	for range 1 + r.IntN(5) {
		salt, share := r.Uint32(), r.Uint32N(17)
		one := &functors.Some{Salt: salt, Share: share}
		crosses := func(m *machine) func(source, target uint32) bool {
			return func(s, t uint32) bool { return one.Crosses(s, t, m.level) }
		}
		unseen := instruction{"unvisited", func(x *actual) operators.Step { return filter.Unvisited(x.seen) }, (*machine).unvisited, false}
		once := instruction{"unique", func(*actual) operators.Step { return filter.Unique() }, func(m *machine) { m.cur = unique(m.cur) }, false}
		push := instruction{"push", func(*actual) operators.Step { return advance.Push(one) }, func(m *machine) { m.push(crosses(m)) }, false}
		bits := instruction{"push to bits", func(*actual) operators.Step { return advance.PushBits(one) },
			func(m *machine) { m.push(crosses(m)); m.cur = unique(m.cur) }, false}
		alone := func(i instruction) instruction { i.single = true; return i }
		kind := r.IntN(12)
		if !set && kind < 7 { // or the frontier would grow and grow
			kind = 11
		}
		switch kind {
		case 0, 1:
			p = append(p, push, once)
			set = true
		case 2:
			p = append(p, push, unseen)
			set = true
		case 3:
			p = append(p, bits)
			set = true
		case 4:
			p = append(p, bits, unseen)
			set = true
		case 5:
			p = append(p, instruction{"push once", func(x *actual) operators.Step { return advance.Push(&functors.Reach{Round: x.round}) }, func(m *machine) {
				m.push(func(_, t uint32) bool {
					first := m.round[t] == 0
					if first {
						m.round[t] = uint32(m.level)
					}
					return first
				})
			}, false})
			set = true
		case 6:
			p = append(p, alone(push))
			set = false
		case 7:
			all := r.IntN(2) == 0
			p = append(p, instruction{fmt.Sprintf("visit (all %t)", all), func(x *actual) operators.Step {
				f := &functors.Tally{Counts: x.tally, Salt: salt}
				if all {
					return advance.VisitAll(f)
				}
				return advance.Visit(f)
			}, func(m *machine) {
				vs := m.cur
				if all {
					vs = m.all()
				}
				m.edges(vs, func(s, t uint32, e uint64) { m.tally[t] += (&functors.Tally{Salt: salt}).Of(s, e, m.level) })
			}, false})
		case 8:
			p = append(p, instruction{"keep", func(x *actual) operators.Step {
				return filter.Keep(&functors.Stay{Salt: salt, Share: share, Level: x.t.Level})
			}, func(m *machine) {
				m.cur = slices.DeleteFunc(slices.Clone(m.cur), func(v uint32) bool { return !(&functors.Stay{Salt: salt, Share: share}).Stays(v, int(m.level)) })
			}, false})
		case 9:
			all := r.IntN(2) == 0
			p = append(p, instruction{fmt.Sprintf("foreach (all %t)", all), func(x *actual) operators.Step {
				f := &functors.Add{Counts: x.tally, Salt: salt}
				if all {
					return foreach.All(f, x.sum)
				}
				return foreach.Each(f, x.sum)
			}, func(m *machine) {
				vs := m.cur
				if all {
					vs = m.all()
				}
				m.sum = 0
				for _, v := range vs {
					m.tally[v] += (&functors.Add{Salt: salt}).Of(v, m.level)
					m.sum += uint64(v)
				}
			}, false})
		case 10:
			in := reverse && r.IntN(2) == 0
			p = append(p, instruction{fmt.Sprintf("reduce (in %t)", in), func(x *actual) operators.Step {
				f := &functors.Gather{Counts: x.tally, Totals: x.totals}
				if in {
					return reduce.In(f, x.most)
				}
				return reduce.Out(f, x.most)
			}, func(m *machine) {
				rows := m.g.Out()
				if in {
					rows = m.g.In()
				}
				m.most = 0
				for _, v := range m.cur {
					total := uint32(0)
					for _, u := range rows.Neighbors(v) {
						total += m.tally[u] ^ m.tally[v]
					}
					m.totals[v] = total
					m.most = max(m.most, uint64(total))
				}
			}, false})
		case 11:
			p = append(p, alone([]instruction{once, unseen}[r.IntN(2)]))
			set = true
		}
	}
	if !set {
		p = append(p, instruction{"unique", func(*actual) operators.Step { return filter.Unique() }, func(m *machine) { m.cur = unique(m.cur) }, true})
	}
	return p, 1 + r.IntN(6)
}

// Programs runs random programs of steps by every engine, and compares their final state with
// a naive interpreter's.
func (s Suite) Programs(t *testing.T) {
	s.shapes(t, 83, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		for range s.times(30, 6) {
			code, rounds := program(r, p.Graph().In() != nil)
			var source []uint32 // nil: all
			if r.IntN(3) > 0 {
				for range 1 + r.IntN(3) {
					source = append(source, uint32(r.IntN(p.NumVertices())))
				}
			}
			names := []string{fmt.Sprintf("from %v, %d rounds", source, rounds)}
			single := false
			for i, c := range code {
				names = append(names, c.name)
				// A filter that follows a push is part of it.
				fused := i > 0 && (c.name == "unique" || c.name == "unvisited") && strings.HasPrefix(code[i-1].name, "push")
				afterPush := i+1 < len(code) && (code[i+1].name == "unique" || code[i+1].name == "unvisited")
				single = single || c.single && !fused && !(c.name == "push" && afterPush)
			}
			wide := math.MaxInt
			if r.IntN(2) == 0 {
				wide = r.IntN(p.NumVertices() + 1)
				names = append(names, fmt.Sprintf("wide %d", wide))
			}
			m := interpret(p.Graph(), code, source, rounds, wide)
			for _, e := range append(s.engines(), traverse.AutoEngine) {
				if e == traverse.Persistent && single {
					continue
				}
				if err := m.compare(t, p, code, source, rounds, e); err != nil {
					t.Fatalf("%s: %s: %v", e, strings.Join(names, ", "), err)
				}
			}
		}
	})
}

// newMachine returns the initial state of a program.
func newMachine(g *graph.Graph, source []uint32) *machine {
	n := g.NumVertices()
	m := &machine{g: g, round: make([]uint32, n), tally: make([]uint32, n), totals: make([]uint32, n), seen: map[uint32]bool{}}
	for v := range uint32(n) {
		if functors.Mix(v, 5)%8 == 0 {
			m.seen[v] = true
		}
		m.round[v] = functors.Mix(v, 9) % 2
	}
	m.cur = unique(source)
	if source == nil {
		m.cur = m.all()
	}
	return m
}

// interpret runs a program; it ends at a frontier of more than wide vertices.
func interpret(g *graph.Graph, code []instruction, source []uint32, rounds, wide int) *machine {
	m := newMachine(g, source)
	m.wide = wide
	for len(m.cur) > 0 && int(m.level) < rounds {
		m.level++
		m.expanded += len(m.cur)
		for _, c := range code {
			c.naive(m)
		}
		if len(m.cur) > wide {
			break
		}
	}
	return m
}

// compare runs the program by an engine.
func (m *machine) compare(t *testing.T, p *graph.Placed, code []instruction, source []uint32, rounds int, e traverse.Engine) error {
	x := traverse.New(t.Context(), p, traverse.Options{Engine: e, Stats: true})
	defer x.Close()
	a, cur := newActual(x, p, source)
	var steps []operators.Step
	for _, c := range code {
		steps = append(steps, c.step(a))
	}
	if m.wide < math.MaxInt {
		steps = append(steps, traverse.UntilFrontierExceeds(m.wide))
	}
	x.Repeat(cur, append(steps, traverse.MaxRounds(rounds))...)
	if err := m.same(a, cur); err != nil {
		return err
	}
	if err := m.sameArrays(a); err != nil {
		return err
	}
	if st := x.Stats(); st.Rounds != int(m.level) || st.Limited != (len(m.cur) > 0) {
		return fmt.Errorf("%d rounds, limited %t; want %d, %t", st.Rounds, st.Limited, m.level, len(m.cur) > 0)
	}
	return nil
}

// newActual returns the initial state of a program in a traversal.
func newActual(x *traverse.Traversal, p *graph.Placed, source []uint32) (*actual, *traverse.Frontier) {
	a := &actual{t: x, round: traverse.Array[uint32](x, 0), tally: traverse.Array[uint32](x, 0), totals: traverse.Array[uint32](x, 0)}
	a.sum, a.most = traverse.Scalar[uint64](x, operators.Sum), traverse.Scalar[uint64](x, operators.Max)
	var seen []uint32
	for v := range uint32(p.NumVertices()) {
		if functors.Mix(v, 5)%8 == 0 {
			seen = append(seen, v)
		}
		if functors.Mix(v, 9)%2 == 1 {
			traverse.Set(x, a.round, v, 1)
		}
	}
	a.seen = x.Bits(seen...)
	cur := x.All()
	if source != nil {
		cur = x.From(source...)
	}
	return a, cur
}

// same returns how a traversal's frontier, bitmap and scalars differ from the machine's.
func (m *machine) same(a *actual, cur *traverse.Frontier) error {
	x := a.t
	got, want := cur.Vertices(), slices.Clone(m.cur)
	slices.Sort(got)
	slices.Sort(want)
	if x.Err() == nil && (!slices.Equal(got, want) || cur.Len() != len(want)) {
		return fmt.Errorf("%d vertices in the frontier (%d), want %d", len(got), cur.Len(), len(want))
	}
	visited := a.seen.Vertices()
	if x.Err() == nil && len(visited) != len(m.seen) {
		return fmt.Errorf("%d vertices seen, want %d", len(visited), len(m.seen))
	}
	for _, v := range visited {
		if !m.seen[v] {
			return fmt.Errorf("vertex %d was seen", v)
		}
	}
	if sum, most := traverse.Get(x, a.sum), traverse.Get(x, a.most); sum != m.sum || most != m.most {
		return fmt.Errorf("scalars %d and %d, want %d and %d: %w", sum, most, m.sum, m.most, x.Err())
	}
	return nil
}

// sameArrays compares the arrays, which it takes from the traversal.
func (m *machine) sameArrays(a *actual) error {
	x := a.t
	if m.sets {
		expanded, levels := 0, 0
		for _, l := range x.Stats().Levels {
			expanded += l.Frontier
			levels += l.Levels
		}
		if expanded != m.expanded || levels != int(m.level) {
			return fmt.Errorf("statistics of %d levels with %d vertices, want %d, %d", levels, expanded, m.level, m.expanded)
		}
	}
	for _, c := range []struct {
		name string
		got  *device.Buffer[uint32]
		want []uint32
	}{{"round", a.round, m.round}, {"tally", a.tally, m.tally}, {"totals", a.totals, m.totals}} {
		res, err := traverse.Result(x, c.got)
		if err != nil {
			return err
		}
		err = compare(res, c.want)
		if e := res.Close(); err == nil {
			err = e
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

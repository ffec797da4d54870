// This file holds the property test of whole traversals: random sequences of Repeat, of loops
// around Do, and of Do alone, in one traversal.

package conformance

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/traverse"
)

// phase is a part of a traversal.
type phase struct {
	name    string
	code    []instruction
	repeat  bool
	rounds  int  // of a loop
	single  bool // only the level-by-level engine can repeat it
	limited bool // MaxRounds ended it, with a frontier
	level   int32
	after   *machine // the state afterwards
}

// ender is an instruction that ends a Repeat.
func ender(r *rand.Rand) (i instruction, ends func(m *machine) (ended, limited bool)) {
	if r.IntN(3) == 0 {
		bound := uint64(r.IntN(3)) * r.Uint64N(1<<20)
		return instruction{name: "below", step: func(x *actual) operators.Step { return traverse.Below(x.sum, bound) }, naive: func(*machine) {}},
			func(m *machine) (bool, bool) { return m.sum < bound, false }
	}
	n := 1 + r.IntN(5)
	return instruction{name: fmt.Sprintf("at most %d", n), step: func(*actual) operators.Step { return traverse.MaxRounds(n) }, naive: func(*machine) {}},
		func(m *machine) (bool, bool) { return int(m.level) >= n, len(m.cur) > 0 }
}

// drawPhase draws a part of a traversal, and has the machine go through it.
func drawPhase(r *rand.Rand, m *machine) *phase {
	code, rounds := program(r, m.g.In() != nil)
	f := &phase{code: code, rounds: rounds}
	switch kind := r.IntN(4); {
	case kind == 0 && m.level > 0 && len(m.cur) < 2000: // a Do that leaves duplicates
		push := &functors.Some{Salt: r.Uint32(), Share: 1 + r.Uint32N(8)}
		f.code = []instruction{{"push", func(*actual) operators.Step { return advance.Push(push) },
			func(m *machine) { m.push(func(s, t uint32) bool { return push.Crosses(s, t, m.level) }) }, true}}
		f.rounds = 0
		f.name = "do"
		f.code[0].naive(m)
	case kind == 1:
		f.name = fmt.Sprintf("%d rounds of Next and Do", rounds)
		m.loop(code, rounds)
	default:
		f.name, f.repeat = "repeat", true
		f.limited = m.repeat(r, f)
	}
	names := []string{}
	for i, c := range f.code {
		names = append(names, c.name)
		// A filter that follows a push is part of it.
		filters := func(i int) bool {
			return i < len(f.code) && (f.code[i].name == "unique" || f.code[i].name == "unvisited")
		}
		fused := filters(i) && i > 0 && strings.HasPrefix(f.code[i-1].name, "push") || c.name == "push" && filters(i+1)
		f.single = f.single || (c.single || c.name == "push" || filters(i)) && !fused
	}
	f.name += " (" + strings.Join(names, ", ") + ")"
	f.level, f.after = m.level, m.clone()
	return f
}

// loop runs rounds of Next and Do.
func (m *machine) loop(code []instruction, rounds int) {
	for i := 0; i < rounds && len(m.cur) > 0; i++ {
		m.level++
		for _, c := range code {
			c.naive(m)
		}
	}
}

// repeat runs a Repeat, to whose steps it adds one that ends it, and MaxRounds.
func (m *machine) repeat(r *rand.Rand, f *phase) (limited bool) {
	extra, ends := ender(r)
	at := r.IntN(len(f.code) + 1)
	f.code = append(f.code[:at:at], append([]instruction{extra}, f.code[at:]...)...)
	last := f.rounds
	f.code = append(f.code, instruction{name: fmt.Sprintf("at most %d", last), step: func(*actual) operators.Step { return traverse.MaxRounds(last) }, naive: func(*machine) {}})
	m.cur, m.level = unique(m.cur), 0
	for len(m.cur) > 0 {
		m.level++
		for i, c := range f.code {
			if i == at {
				if ended, limited := ends(m); ended {
					return limited
				}
			}
			c.naive(m)
		}
		if int(m.level) >= last {
			return len(m.cur) > 0
		}
	}
	return false
}

func (m *machine) clone() *machine {
	c := *m
	c.cur, c.round, c.tally, c.totals = append([]uint32{}, m.cur...), append([]uint32{}, m.round...), append([]uint32{}, m.tally...), append([]uint32{}, m.totals...)
	c.seen = map[uint32]bool{}
	for v := range m.seen {
		c.seen[v] = true
	}
	return &c
}

// Scripts runs random sequences of phases by every engine, and compares the state after each
// phase with a naive interpreter's.
func (s Suite) Scripts(t *testing.T) {
	s.shapes(t, 89, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		for range s.times(12, 3) {
			if err := s.script(t, p, r); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func (s Suite) script(t *testing.T, p *graph.Placed, r *rand.Rand) error {
	var source []uint32 // nil: all
	if r.IntN(3) > 0 {
		for range 1 + r.IntN(4) {
			source = append(source, uint32(r.IntN(p.NumVertices())))
		}
	}
	m := newMachine(p.Graph(), source)
	var phases []*phase
	for range 1 + r.IntN(4) {
		phases = append(phases, drawPhase(r, m))
	}
	for _, e := range append(s.engines(), traverse.AutoEngine) {
		for _, f := range phases {
			if e == traverse.Persistent && f.repeat && f.single {
				e = traverse.AutoEngine
			}
		}
		if err := s.run(t, p, source, phases, e); err != nil {
			return fmt.Errorf("%s, from %v: %w", e, source, err)
		}
	}
	return nil
}

func (s Suite) run(t *testing.T, p *graph.Placed, source []uint32, phases []*phase, e traverse.Engine) error {
	x := traverse.New(t.Context(), p, traverse.Options{Engine: e, Stats: true})
	defer x.Close()
	a, cur := newActual(x, p, source)
	names := []string{}
	for i, f := range phases {
		names = append(names, f.name)
		var steps []operators.Step
		for _, c := range f.code {
			steps = append(steps, c.step(a))
		}
		switch {
		case f.repeat:
			x.Repeat(cur, steps...)
			if st := x.Stats(); x.Err() == nil && st.Limited != f.limited {
				return fmt.Errorf("%s: limited is %t", strings.Join(names, "; "), st.Limited)
			}
		case f.rounds == 0:
			x.Do(cur, steps...)
		default:
			for i := 0; i < f.rounds && x.Next(cur); i++ {
				x.Do(cur, steps...)
			}
		}
		err := f.after.same(a, cur)
		if err == nil && i == len(phases)-1 {
			err = f.after.sameArrays(a)
		}
		if err == nil && x.Level() != int(f.level) {
			err = fmt.Errorf("level %d, want %d", x.Level(), f.level)
		}
		if err == nil {
			err = x.Err()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", strings.Join(names, "; "), err)
		}
	}
	return nil
}

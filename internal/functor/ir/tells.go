// This file finds whether a method at edges lets a target through wherever it has changed an element of
// that target.

package ir

import (
	"fmt"
	"maps"
)

// mostPaths is how many branches of a method Tells follows. Foray's own methods have some dozens.
const mostPaths = 1000

// change is what is known about the target's elements.
type change uint8

const (
	unchanged change = iota
	changed
	maybe
)

// claim is what a value of type Bool says: whether something was changed if it is true, and if it is false.
type claim struct{ yes, no change }

// tells follows the paths through a method.
type tells struct {
	*examined
	by    []Update // of the target's elements, by field
	known map[string]bool
}

// path is what is known at an instruction of a path.
type path struct {
	mem      change
	old, new string // if mem is maybe: the element as it was, and the operand that may have replaced it
	by       Update
	values   map[int]string // what a value is; two values with one name are equal
	claims   map[int]claim
	consts   map[int]bool // values of type Bool that are known
}

// Tells reports that Edge writes no elements but those of the edge's ends, and lets the target
// through wherever it has changed an element of the target. An element that is NaN is taken not to occur: an
// operation on floats replaces it without notice.
func (f *Functor) Tells() bool {
	m := f.Method(Edge)
	if m == nil || m.Result != Bool {
		return false
	}
	t := &tells{examined: examine(m), by: make([]Update, len(f.Fields)+2), known: map[string]bool{}}
	for _, in := range t.reached() {
		u := in.update()
		if in.faults() || in.Op == Accumulate {
			return false
		}
		if u == "" {
			continue
		}
		switch t.place(in.Args[0]) {
		case Source, Target:
		default:
			return false
		}
		if was := t.by[in.Field]; was != "" && was != u {
			u = Replace
		}
		t.by[in.Field] = u
	}
	return t.from(0, &path{values: map[int]string{}, claims: map[int]claim{}, consts: map[int]bool{}})
}

// from reports whether all paths from a node on end as they have to.
func (t *tells) from(i int, p *path) bool {
	for i < len(t.code) {
		n := &t.code[i]
		switch {
		case n.in == nil:
			if t.seen(n.to, p) {
				return true
			}
			i = n.to
		case n.in.Op == Return:
			return p.ends(n.in.Args[0])
		case n.in.Op == If:
			return t.branch(i, p)
		default:
			t.step(i, n.in, p)
			i++
		}
		if len(t.known) > mostPaths {
			return false
		}
	}
	return p.mem == unchanged
}

// branch follows both ways behind an If.
func (t *tells) branch(i int, p *path) bool {
	a := t.code[i].in.Args[0]
	for _, holds := range []bool{true, false} {
		if c, known := p.constant(a); known && c != holds {
			continue
		}
		next := i + 1
		if !holds {
			next = t.code[i].to
		}
		q := p.fork()
		if c, is := p.claims[a.Value]; is && q.mem == maybe {
			q.mem = c.no
			if holds {
				q.mem = c.yes
			}
		}
		if !t.seen(next, q) && !t.from(next, q) {
			return false
		}
	}
	return true
}

// seen reports whether a path was there before, or notes it.
func (t *tells) seen(i int, p *path) bool {
	key := fmt.Sprint(i, *p) // maps are printed in order
	was := t.known[key]
	t.known[key] = true
	return was
}

func (p *path) fork() *path {
	q := *p
	q.values, q.claims, q.consts = maps.Clone(p.values), maps.Clone(p.claims), maps.Clone(p.consts)
	return &q
}

// ends reports whether the method may return the result here.
func (p *path) ends(result Arg) bool {
	if p.mem == unchanged {
		return true
	}
	if c, known := p.constant(result); known {
		return c
	}
	c, is := p.claims[result.Value]
	return is && p.mem == maybe && c.no == unchanged
}

func (p *path) constant(a Arg) (x, known bool) {
	if a.Value < 0 {
		return a.Bits != 0, true
	}
	x, known = p.consts[a.Value]
	return x, known
}

func (p *path) name(a Arg) string {
	if a.Value < 0 {
		return fmt.Sprint("constant ", a.Bits)
	}
	if s, is := p.values[a.Value]; is {
		return s
	}
	return fmt.Sprint("value ", a.Value)
}

// assign notes what a value is from here on.
func (p *path) assign(v int, name string) {
	if v >= 0 {
		delete(p.claims, v)
		delete(p.consts, v)
		p.values[v] = name
	}
}

// step takes an instruction.
func (t *tells) step(i int, in *Instr, p *path) {
	fresh := fmt.Sprint("result ", i)
	if p.mem == maybe && (fresh == p.old || fresh == p.new) { // a loop has come round
		p.mem = changed
	}
	copies := in.Op == Move || in.Op == Bits || in.Op == Convert && (in.Type.Bits() == t.m.Values[in.Dst].Type.Bits() && in.Type.Float() == t.m.Values[in.Dst].Type.Float())
	switch {
	case copies:
		c, is := p.claims[in.Args[0].Value]
		k, known := p.constant(in.Args[0])
		p.assign(in.Dst, p.name(in.Args[0]))
		p.note(in.Dst, c, is, k, known && in.Type == Bool)
	case in.Op == Not && in.Type == Bool:
		c, is := p.claims[in.Args[0].Value]
		k, known := p.constant(in.Args[0])
		p.assign(in.Dst, fresh)
		p.note(in.Dst, claim{c.no, c.yes}, is, !k, known)
	case in.Op == Scalar:
		p.assign(in.Dst, fmt.Sprint("field ", in.Field))
	case in.Op == Equal, in.Op == NotEqual, in.Op == Less, in.Op == LessEqual:
		c := p.compare(in)
		p.assign(in.Dst, fresh)
		p.note(in.Dst, c, true, false, false)
	case in.update() != "":
		t.write(in, fresh, p)
	default:
		p.assign(in.Dst, fresh)
	}
}

// note notes what a value of type Bool says.
func (p *path) note(v int, c claim, claims, k, known bool) {
	if claims {
		p.claims[v] = c
	}
	if known {
		p.consts[v] = k
	}
}

// write takes an instruction that writes.
func (t *tells) write(in *Instr, fresh string, p *path) {
	by := t.by[in.Field]
	now := ""
	if len(in.Args) > 1 {
		now = p.name(in.Args[1])
	}
	swaps := in.Op == Atomic && in.Func == AtomicCompareAndSwap
	p.assign(in.Dst, fresh)
	if !by.Least() && !by.Greatest() && !swaps && t.place(in.Args[0]) == Target {
		p.mem = changed // or it is taken to be
	}
	switch {
	case t.place(in.Args[0]) != Target, p.mem == changed:
		return
	case p.mem == maybe:
		p.mem = changed
		return
	}
	p.mem, p.old, p.new, p.by = maybe, fresh, now, by
	p.claims = map[int]claim{} // they were about what was before
	if swaps && in.Dst >= 0 {
		p.claims[in.Dst] = claim{changed, unchanged}
	}
}

// compare returns what a comparison of a minimum's or maximum's operand with the element as it was says.
func (p *path) compare(in *Instr) claim {
	none := claim{maybe, maybe}
	least := p.by.Least()
	if p.mem != maybe || !least && !p.by.Greatest() || updates[AtomicMin][in.Type] != p.by && updates[AtomicMax][in.Type] != p.by {
		return none
	}
	a, b := p.name(in.Args[0]), p.name(in.Args[1])
	operandFirst := a == p.new && b == p.old
	if !operandFirst && (a != p.old || b != p.new) {
		return none
	}
	switch { // an operand that is beyond what was there has replaced it
	case in.Op == Equal:
		return claim{unchanged, maybe}
	case in.Op == NotEqual:
		return claim{maybe, unchanged}
	case in.Op == Less && operandFirst == least:
		return claim{changed, unchanged}
	case in.Op == Less:
		return claim{unchanged, maybe}
	case operandFirst == least: // LessEqual
		return claim{maybe, unchanged}
	}
	return claim{unchanged, changed} // it isn't beyond, or else it is
}

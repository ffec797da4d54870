// This file finds out whether a method at edges lets a target through wherever it has changed something there.

package link

import (
	"fmt"
	"maps"
	"strings"
)

// outcome is what is known to be so about what the method has changed at the target.
type outcome uint8

const (
	unchanged outcome = iota
	changed
	maybe
)

// claim is what a predicate says: whether something was changed where it is true, and where it is false.
type claim struct{ yes, no outcome }

// ways are the paths through a method, one instruction after the other.
type ways struct {
	r      *Reach
	at     entries
	lines  []instruction
	labels map[string]int // the instruction behind each
	known  map[string]bool
}

// path is what is known at an instruction of a path.
type path struct {
	mem      outcome
	old, new string            // maybe: it was changed if an operation's operand and what was there compare so
	less     string            // "lt": the operand is less, "gt": it is greater, "eq": it is the same
	kind     string            // what they are compared as
	values   map[string]string // of registers: where they come from
	claims   map[string]claim
	consts   map[string]bool // predicates that are true or false for certain
	result   string          // the predicate that is returned, "1", "0", or "" for anything else
}

// tells goes along all paths. An entry that is NaN is taken not to be there: an operation on floats
// replaces it without a word.
func (r *Reach) tells(at entries, text string) bool {
	w := &ways{r: r, at: at, labels: map[string]int{}, known: map[string]bool{}}
	for line := range strings.Lines(text) {
		if label, is := strings.CutSuffix(strings.TrimSpace(line), ":"); is {
			w.labels[label] = len(w.lines)
			continue
		}
		w.lines = append(w.lines, instructions(line)...)
	}
	return w.from(0, path{values: map[string]string{}, claims: map[string]claim{}, consts: map[string]bool{}})
}

// from reports whether all paths from an instruction on end as they have to.
func (w *ways) from(i int, p path) bool {
	for ; i < len(w.lines); i++ {
		l := &w.lines[i]
		if l.op != "bra" {
			if end, ok := w.step(i, l, &p); end {
				return ok
			}
			continue
		}
		to, is := w.labels[l.args[0]]
		if !is {
			return false
		}
		if l.guard == "" {
			i = to - 1
			if len(w.known) > mostPaths {
				return false
			}
			if w.seen(to, &p) {
				return true
			}
			continue
		}
		guard, not := strings.CutPrefix(l.guard, "!")
		for _, holds := range []bool{true, false} {
			if c, known := p.consts[guard]; known && c != holds {
				continue
			}
			next := i + 1
			if holds != not {
				next = to
			}
			q := p.fork()
			if c, is := p.claims[guard]; is && q.mem == maybe {
				q.mem = c.yes
				if !holds {
					q.mem = c.no
				}
			}
			if !w.seen(next, &q) && !w.from(next, q) {
				return false
			}
		}
		return true
	}
	return p.ends()
}

// seen reports whether a path was there before, or notes it.
func (w *ways) seen(i int, p *path) bool {
	key := fmt.Sprint(i, *p) // maps are printed in order
	if w.known[key] || len(w.known) > mostPaths {
		return w.known[key]
	}
	w.known[key] = true
	return false
}

func (p *path) fork() path {
	q := *p
	q.values, q.claims, q.consts = maps.Clone(p.values), maps.Clone(p.claims), maps.Clone(p.consts)
	return q
}

// ends reports whether the method may end so.
func (p *path) ends() bool {
	if p.mem == unchanged || p.result == "1" {
		return true
	}
	if c, known := p.consts[p.result]; known {
		return c
	}
	c, is := p.claims[p.result]
	return is && p.mem == maybe && c.no == unchanged
}

func (p *path) value(reg string) string {
	if v, is := p.values[reg]; is {
		return v
	}
	return reg
}

// fresh returns a name for what an instruction assigns.
func (p *path) fresh(i int, to string) string {
	name := fmt.Sprint(i, to)
	if p.mem == maybe && (name == p.old || name == p.new) { // a loop has come round
		p.mem = changed
	}
	return name
}

// assign notes where what a register has now comes from.
func (p *path) assign(to, from string) {
	delete(p.claims, to)
	delete(p.consts, to)
	p.values[to] = from
}

// step takes an instruction that isn't a branch. end says that the path need not be followed further.
func (w *ways) step(i int, l *instruction, p *path) (end, ok bool) {
	if len(w.known) > mostPaths || l.guard != "" {
		return true, false
	}
	to := l.to()
	switch {
	case to == "$0":
		p.result = ""
		switch {
		case l.op == "selp.b32" && len(l.args) == 4 && l.args[1] == "1" && l.args[2] == "0":
			p.result = l.args[3]
		case l.op == "mov.b32" && (l.args[1] == "1" || l.args[1] == "0"):
			p.result = l.args[1]
		}
	case l.op == "mov.pred", l.op == "not.pred":
		c, is := p.claims[l.args[1]]
		k, fixed := p.consts[l.args[1]]
		if l.args[1] == "0" || l.args[1] == "1" {
			k, fixed = l.args[1] == "1", true
		}
		if l.op == "not.pred" {
			c, k = claim{c.no, c.yes}, !k
		}
		p.assign(to, p.value(l.args[1]))
		if is {
			p.claims[to] = c
		}
		if fixed {
			p.consts[to] = k
		}
	case strings.HasPrefix(l.op, "setp."):
		c := p.compare(l)
		p.assign(to, p.fresh(i, to))
		p.claims[to] = c
	case l.stores():
		return w.store(i, l, p)
	case strings.HasPrefix(l.op, "mov.b"):
		p.assign(to, p.value(l.args[1]))
	case to != "":
		p.assign(to, p.fresh(i, to))
	}
	return false, false
}

// store takes an instruction that writes.
func (w *ways) store(i int, l *instruction, p *path) (end, ok bool) {
	word, is := w.at.target[l.address()]
	fold := w.r.Fold(word)
	float, cas := fold == MinF32 || fold == MaxF32, l.op == "atom.global.cas.b32"
	if is && float && cas { // of NaN
		return true, true
	}
	old, now := p.fresh(i, l.to()), ""
	if len(l.args) > 2 {
		now = p.value(l.args[2])
	}
	if to := l.to(); to != "" {
		p.assign(to, old)
	}
	switch {
	case !is: // its own entry
		return false, false
	case p.mem != unchanged, fold == Take && !cas, fold >= OrB32, now == "":
		p.mem = changed // or so it is taken to be
		return false, false
	}
	p.mem, p.old, p.new = maybe, old, now
	switch fold {
	case MinU32, MinS32, MinF32:
		p.less = "lt"
	case MaxU32, MaxS32, MaxF32:
		p.less = "gt"
	default:
		p.less = "eq"
	}
	p.kind = map[Fold]string{MinU32: "u32", MaxU32: "u32", MinS32: "s32", MaxS32: "s32", MinF32: "f32", MaxF32: "f32", Take: "b32"}[fold]
	p.claims = map[string]claim{} // they were about what was before
	return false, false
}

// mirrored are comparisons with their operands exchanged.
var mirrored = map[string]string{"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne", "neu": "neu"}

// compare returns what a comparison says of what was changed.
func (p *path) compare(l *instruction) claim {
	none := claim{maybe, maybe}
	parts := strings.Split(l.op, ".")
	if p.mem != maybe || len(parts) != 3 || parts[2] != p.kind || len(l.args) != 3 {
		return none
	}
	how, a, b := parts[1], p.value(l.args[1]), p.value(l.args[2])
	if a == p.old && b == p.new {
		a, b = b, a
		how = mirrored[how]
	}
	if a != p.new || b != p.old {
		return none
	}
	if p.less == "gt" {
		how = mirrored[how]
	}
	if p.less == "eq" {
		switch how {
		case "eq":
			return claim{changed, unchanged}
		case "ne":
			return claim{unchanged, changed}
		}
		return none
	}
	switch how { // of an operand and what was there, which it replaced if it was less
	case "lt":
		return claim{changed, unchanged}
	case "ge":
		return claim{unchanged, changed}
	case "le":
		return claim{maybe, unchanged}
	case "gt", "eq":
		return claim{unchanged, maybe}
	case "ne", "neu":
		return claim{maybe, unchanged}
	}
	return none
}

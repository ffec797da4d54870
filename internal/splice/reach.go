// This file finds out which arrays a method uses at the vertex that it is called for, and which at others.

package splice

import (
	"maps"
	"strings"

	"github.com/foray-graph/foray/internal/made"
)

// Reach is what a functor's methods do with the buffers of its fields, each by the word of the block
// that has its address.
type Reach struct {
	Far       map[int]bool // used at other vertices than the method's own
	Written   map[int]bool // written at the own vertex
	Elsewhere map[int]bool // written at others
	Set       map[int]bool // written, anywhere, in another way than by atomics.Min of an uint32
	Unknown   bool         // there is an address that comes of none of them
}

// Reaches returns what the methods do that a reduce (over in-edges or out-edges) calls, or a foreach.
func Reaches(c *made.Code, gathers, in bool) Reach {
	r := Reach{Far: map[int]bool{}, Written: map[int]bool{}, Elsewhere: map[int]bool{}, Set: map[int]bool{}}
	switch {
	case !gathers:
		r.method(c.Vertex, "$1")
	case in:
		r.method(c.Gather, "$2")
		r.method(c.Apply, "$1")
	default:
		r.method(c.Gather, "$1")
		r.method(c.Apply, "$1")
	}
	return r
}

// method reads a method. The address of an own entry is made in one way: mul.wide.u32 i, own, width and
// add.s64 a, base, i. Whatever else comes of an array's address is taken to be that of another entry.
func (r *Reach) method(text, own string) {
	lines := instructions(text)
	times := map[string]int{} // that a register is assigned
	for _, l := range lines {
		if to := l.to(); to != "" {
			times[to]++
		}
	}
	base, index, entry := map[string]int{}, map[string]bool{}, map[string]int{}
	for _, l := range lines {
		switch once := times[l.to()] == 1; {
		case !once:
		case l.op == "ld.param.b64":
			base[l.args[0]] = l.word()
		case l.op == "mul.wide.u32" && l.args[1] == own:
			index[l.args[0]] = true
		}
	}
	from := map[string]map[int]bool{} // words whose addresses a register may come from
	for _, l := range lines {
		if l.op == "ld.param.b64" {
			from[l.args[0]] = map[int]bool{l.word(): true}
		}
	}
	for _, l := range lines {
		if l.op == "add.s64" && times[l.to()] == 1 && len(l.args) == 3 && index[l.args[2]] {
			if word, is := base[l.args[1]]; is {
				entry[l.args[0]] = word
			}
		}
	}
	for changed := true; changed; { // until nothing more comes from an address: loops go back
		changed = false
		for _, l := range lines {
			if to := l.to(); to != "" && l.op != "ld.param.b64" && !l.loads() {
				for _, a := range l.args[1:] {
					for word := range from[a] {
						if from[to] == nil {
							from[to] = map[int]bool{}
						}
						changed = changed || !from[to][word]
						from[to][word] = true
					}
				}
			}
		}
	}
	for _, l := range lines {
		at := l.address()
		if at == "" {
			continue
		}
		word, mine := entry[at]
		words := from[at]
		if l.stores() && l.op != "atom.global.min.u32" {
			maps.Copy(r.Set, words)
		}
		switch {
		case mine && l.stores():
			r.Written[word] = true
		case mine:
		case len(words) == 0:
			r.Unknown = true
		default:
			maps.Copy(r.Far, words)
			if l.stores() {
				maps.Copy(r.Elsewhere, words)
			}
		}
	}
}

// instruction is a line of PTX.
type instruction struct {
	op   string
	args []string // without the brackets of addresses
	at   int      // which of them is an address, or -1
}

func instructions(text string) (all []instruction) {
	for line := range strings.Lines(text) {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n,;{}", r) })
		if len(words) > 0 && strings.HasPrefix(words[0], "@") {
			words = words[1:]
		}
		if len(words) < 2 || strings.HasPrefix(words[0], ".") || strings.HasSuffix(words[0], ":") {
			continue
		}
		l := instruction{op: words[0], args: words[1:], at: -1}
		for i, w := range l.args {
			if inner, is := strings.CutPrefix(w, "["); is {
				l.args[i], l.at = strings.TrimSuffix(inner, "]"), i
			}
		}
		all = append(all, l)
	}
	return all
}

func (l *instruction) stores() bool {
	return strings.HasPrefix(l.op, "st.") || strings.HasPrefix(l.op, "atom.") || strings.HasPrefix(l.op, "red.")
}

// loads reports an instruction that assigns what is in memory.
func (l *instruction) loads() bool {
	return strings.HasPrefix(l.op, "ld.") || strings.HasPrefix(l.op, "atom.")
}

// to is the register that is assigned, or "".
func (l *instruction) to() string {
	if strings.HasPrefix(l.op, "st.") || strings.HasPrefix(l.op, "red.") || l.op == "bra" {
		return ""
	}
	return l.args[0]
}

// address is the register of an address in global memory, or "".
func (l *instruction) address() string {
	if l.at < 0 || strings.HasPrefix(l.op, "ld.param") {
		return ""
	}
	return l.args[l.at]
}

// word is the word of the block that an ld.param.b64 reads.
func (l *instruction) word() int {
	n := 0
	for _, c := range strings.TrimPrefix(l.args[1], "$p+") {
		n = 10*n + int(c-'0')
	}
	return n / 8
}

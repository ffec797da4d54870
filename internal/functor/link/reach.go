// This file finds out which arrays a method uses at the vertex that it is called for, and which at others.

package link

import (
	"maps"
	"strings"

	"github.com/foray-graph/foray/internal/functor/bind"
)

// Calls says for what the methods of a functor are called.
type Calls uint8

// The kinds of calls.
const (
	AtVertices Calls = iota
	GathersOut       // over out-edges
	GathersIn
	AtEdges // out-edges, of a push
)

// Reach is what a functor's methods do with the buffers of its fields, each by the word of the block
// that has its address.
type Reach struct {
	Far       map[int]bool           // used at other vertices than the method's own
	Written   map[int]bool           // written at the own vertex
	Elsewhere map[int]bool           // written at others
	Beyond    map[int]bool           // of these, at others than the edge's target
	Ops       map[int]map[string]int // instructions that write, at whichever vertex, and how many there are
	Unknown   bool                   // there is an address that comes of none of them
	// Looks has the arrays of which a method looks at what an addition returns.
	Looks map[int]bool
	// Tells says of a method at edges that it lets the target through wherever it has changed something at
	// the target, and writes at no third vertex (tells.go).
	Tells bool
}

// Reaches returns what the methods do that a step calls.
func Reaches(c *bind.Code, calls Calls) Reach {
	r := Reach{Far: map[int]bool{}, Written: map[int]bool{}, Elsewhere: map[int]bool{}, Beyond: map[int]bool{}, Looks: map[int]bool{}, Ops: map[int]map[string]int{}}
	switch calls {
	case AtVertices:
		r.method(c.Vertex, "$1", "")
	case GathersIn:
		r.method(c.Gather, "$2", "")
		r.method(c.Apply, "$1", "")
	case GathersOut:
		r.method(c.Gather, "$1", "")
		r.method(c.Apply, "$1", "")
	case AtEdges:
		m := r.method(c.Edge, "$1", "$2")
		r.Tells = c.EdgeResult == "bool" && len(r.Beyond) == 0 && r.tells(m, c.Edge)
	}
	return r
}

// entries are the registers of a method with addresses of entries: the word of the array.
type entries struct {
	own, target map[string]int
}

// method reads a method. The address of an own entry is made in one way: mul.wide.u32 i, own, width and
// add.s64 a, base, i; that of the target's likewise. Whatever else comes of an array's address is taken to be
// that of another entry.
func (r *Reach) method(text, own, target string) entries {
	lines := instructions(text)
	times := map[string]int{} // that a register is assigned
	for _, l := range lines {
		if to := l.to(); to != "" {
			times[to]++
		}
	}
	base, index := map[string]int{}, map[string]string{}
	for _, l := range lines {
		switch once := times[l.to()] == 1; {
		case !once:
		case l.op == "ld.param.b64":
			base[l.args[0]] = l.word()
		case l.op == "mul.wide.u32" && (l.args[1] == own || l.args[1] == target):
			index[l.args[0]] = l.args[1]
		}
	}
	from := map[string]map[int]bool{} // words whose addresses a register may come from
	for _, l := range lines {
		if l.op == "ld.param.b64" {
			from[l.args[0]] = map[int]bool{l.word(): true}
		}
	}
	at := entries{map[string]int{}, map[string]int{}}
	for _, l := range lines {
		if l.op == "add.s64" && times[l.to()] == 1 && len(l.args) == 3 {
			word, is := base[l.args[1]]
			switch i := index[l.args[2]]; {
			case !is || i == "":
			case i == own:
				at.own[l.args[0]] = word
			default:
				at.target[l.args[0]] = word
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
		a := l.address()
		if a == "" {
			continue
		}
		word, mine := at.own[a]
		_, aim := at.target[a]
		words := from[a]
		if strings.HasPrefix(l.op, "atom.global.add.") && used(lines, l.to()) {
			maps.Copy(r.Looks, words)
		}
		if l.stores() {
			for w := range words {
				if r.Ops[w] == nil {
					r.Ops[w] = map[string]int{}
				}
				r.Ops[w][l.op]++
			}
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
				if !aim {
					maps.Copy(r.Beyond, words)
				}
			}
		}
	}
	return at
}

// used reports whether a register is an operand.
func used(lines []instruction, reg string) bool {
	for _, l := range lines {
		if strings.TrimPrefix(l.guard, "!") == reg {
			return true
		}
		for i, a := range l.args {
			if a == reg && (i > 0 || l.to() == "") {
				return true
			}
		}
	}
	return false
}

// Fold is how what several devices made of an entry becomes one value.
type Fold uint8

// The folds.
const (
	Take   Fold = iota // of one of those that changed it
	MinU32             // the least of all copies, and so on
	MaxU32
	MinS32
	MaxS32
	MinF32
	MaxF32
	OrB32
	AndB32
	OrB64
	AddU32 // what each of them added, to what was there before
	AddU64
)

// Adds reports a fold of additions.
func (f Fold) Adds() bool { return f == AddU32 || f == AddU64 }

// Width is how many bytes entries have that aren't taken or added to.
func (f Fold) Width() int {
	if f == OrB64 {
		return 8
	}
	return 4
}

// folds are the instructions by which values of a type become less, say. Those of floats are ptx' floatLimit.
var folds = []struct {
	fold Fold
	ops  []string
}{
	{MinU32, []string{"atom.global.min.u32"}},
	{MaxU32, []string{"atom.global.max.u32"}},
	{MinS32, []string{"atom.global.min.s32"}},
	{MaxS32, []string{"atom.global.max.s32"}},
	{MinF32, []string{"atom.global.min.s32", "atom.global.max.u32", "atom.global.cas.b32"}},
	{MaxF32, []string{"atom.global.max.s32", "atom.global.min.u32", "atom.global.cas.b32"}},
	{OrB32, []string{"atom.global.or.b32"}},
	{AndB32, []string{"atom.global.and.b32"}},
	{OrB64, []string{"atom.global.or.b64"}},
	{AddU32, []string{"atom.global.add.u32"}},
	{AddU64, []string{"atom.global.add.u64"}},
}

// Fold returns how copies of an array are folded: Take where it is changed in any other way.
func (r *Reach) Fold(word int) Fold {
	for _, f := range folds {
		ops := r.Ops[word]
		same := len(ops) == len(f.ops)
		for _, op := range f.ops {
			same = same && ops[op] > 0 && ops[op] == ops[f.ops[0]] // one by hand would be one more
		}
		if same {
			return f.fold
		}
	}
	return Take
}

// Adds reports that entries are added to.
func (r *Reach) Adds(word int) bool {
	for op := range r.Ops[word] {
		if strings.HasPrefix(op, "atom.global.add.") {
			return true
		}
	}
	return false
}

// instruction is a line of PTX.
type instruction struct {
	op    string
	args  []string // without the brackets of addresses
	at    int      // which of them is an address, or -1
	guard string   // the predicate without which it isn't done, or ""; with a ! where it is done without
}

func instructions(text string) (all []instruction) {
	for line := range strings.Lines(text) {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n,;{}", r) })
		guard := ""
		if len(words) > 0 && strings.HasPrefix(words[0], "@") {
			guard, words = words[0][1:], words[1:]
		}
		if len(words) < 2 || strings.HasPrefix(words[0], ".") || strings.HasSuffix(words[0], ":") {
			continue
		}
		l := instruction{op: words[0], args: words[1:], at: -1, guard: guard}
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

// This file finds elements that a method writes while other vertices of the same step may read them.

package ir

// Race is a plain write of elements that the same step uses at other vertices.
type Race struct {
	Field   int
	Write   Kind // the method that writes, and the line
	Line    int
	Use     Kind // the method that reads, or writes, at another index
	UseLine int
}

// use is an access to an element, by a plain write or in another way.
type use struct {
	method Kind
	place  Input // Source, Target, VertexID, or NumInputs for others
	line   int
	plain  bool // a write that is no atomic operation
}

// Races returns plain writes of Gather, Apply and Vertex to slices that the step uses at another index: one for each slice.
// Methods are called for many vertices at the same time, and Gather and Apply of different vertices too. Two
// computed indices are taken to belong to the vertex, as its row of a table does. A keyed reduce without Score calls
// Apply for several keys of a vertex at the same time: there a plain write races with itself.
func (f *Functor) Races() (all []Race) {
	uses := make([][]use, len(f.Fields))
	for _, m := range f.Methods {
		if m.Kind == Edge || m.Kind == Hit {
			continue
		}
		x := examine(m)
		for _, in := range x.reached() {
			if (in.Op == Load || in.Op == Store || in.Op == Atomic) && in.Field < len(f.Fields) {
				uses[in.Field] = append(uses[in.Field], use{m.Kind, x.place(in.Args[0]), in.Line, in.Op == Store})
			}
		}
	}
	several := f.Method(Key) != nil && f.Method(Score) == nil
	for field, list := range uses {
		if w, u, is := race(list, several); is {
			all = append(all, Race{Field: field, Write: w.method, Line: w.line, Use: u.method, UseLine: u.line})
		}
	}
	return all
}

// LostUpdate is a plain write of an element that depends on what the element held, where other calls of the method may
// write it at the same time.
type LostUpdate struct {
	Field, Line int
	What        string // the element
}

// LostUpdates returns such writes of a method.
func (m *Method) LostUpdates() (all []LostUpdate) {
	x := examine(m)
	code := x.reached()
	varies := x.varying(code)
	for _, in := range code {
		if in.Op != Store {
			continue
		}
		if what := x.shared(in.Args[0], varies); what != "" && x.reads(code, in, varies) {
			all = append(all, LostUpdate{in.Field, in.Line, what})
		}
	}
	return all
}

// varying returns the values that may differ between calls of a round.
func (x *examined) varying(code []*Instr) map[int]bool {
	varies := map[int]bool{}
	for input, v := range x.m.Inputs {
		if v >= 0 && Input(input) != Level {
			varies[v] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, in := range code {
			if in.Dst < 0 || varies[in.Dst] {
				continue
			}
			differs := in.Op == Atomic
			for _, a := range in.Args {
				differs = differs || a.Value >= 0 && varies[a.Value]
			}
			if differs {
				varies[in.Dst], grown = true, true
			}
		}
	}
	return varies
}

// shared returns which element an index names, if calls of the method at the same time may have the same index: "" if none
// may, or none is known to.
func (x *examined) shared(index Arg, varies map[int]bool) string {
	place, kind := x.place(index), x.m.Kind
	edge := kind == Edge || kind == Hit || kind == Gather
	switch {
	case index.Value < 0 || !varies[index.Value]:
		return "an element that all calls share"
	case edge && place == Source:
		return "the element of an edge's source"
	case edge && kind != Hit && place == Target: // the edges into a vertex come to Hit one after the other
		return "the element of an edge's target"
	case kind == Apply && x.is(index, KeyOf):
		return "the element of a key, which other vertices have too"
	}
	return ""
}

// is reports whether an index is an input.
func (x *examined) is(index Arg, input Input) bool {
	for v := index.Value; v >= 0; {
		if x.m.Inputs[input] == v && x.assigned[v] == 0 {
			return true
		}
		d := x.defined[v]
		if d == nil || !x.keeps(d) {
			return false
		}
		v = d.Args[0].Value
	}
	return false
}

// reads reports whether what a store writes depends on the element that it writes.
func (x *examined) reads(code []*Instr, store *Instr, varies map[int]bool) bool {
	same := func(a Arg) bool {
		b := store.Args[0]
		place := x.place(a)
		return a == b || place != NumInputs && place == x.place(b) || x.is(a, KeyOf) && x.is(b, KeyOf) ||
			(a.Value < 0 || !varies[a.Value]) && (b.Value < 0 || !varies[b.Value]) && (a.Value >= 0 || b.Value >= 0)
	}
	seen := map[int]bool{}
	todo := []int{store.Args[1].Value}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if v < 0 || seen[v] {
			continue
		}
		seen[v] = true
		for _, in := range code {
			if in.Dst != v {
				continue
			}
			if in.Op == Load && in.Field == store.Field && same(in.Args[0]) {
				return true
			}
			for _, a := range in.Args {
				todo = append(todo, a.Value)
			}
		}
	}
	return false
}

// race returns a plain write and a use that may be of the same element, at different vertices.
func race(list []use, several bool) (w, u use, is bool) {
	for _, w := range list {
		if several && w.plain && w.place == VertexID {
			return w, w, true
		}
		for _, u := range list {
			if w.plain && w != u && (w.method != u.method || w.place != u.place) && (w.place != NumInputs || u.place != NumInputs) {
				return w, u, true
			}
		}
	}
	return w, u, false
}

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

// Shared returns which element an index names, if other calls of the method may use it at the same time: "" if none does, or
// none is known to.
func (m *Method) Shared(index Arg) string {
	x := examine(m)
	place := x.place(index)
	switch {
	case x.fixed(index):
		return "an element that all calls share"
	case (m.Kind == Edge || m.Kind == Hit) && place == Source:
		return "the element of an edge's source"
	case m.Kind == Edge && place == Target: // the edges into a vertex come to Hit one after the other
		return "the element of an edge's target"
	}
	return ""
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

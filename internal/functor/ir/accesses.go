// This file finds what methods do with the elements of arrays: which they read and write, at which
// vertices, and by which operation. Engines with several GPUs need to know.

package ir

// Touch is what a method does with elements of an array.
type Touch string

// The touches. Write may read, too.
const (
	Untouched Touch = ""
	Read      Touch = "read"
	Write     Touch = "write"
)

func (t *Touch) add(u Touch) {
	if *t != Write && u != Untouched {
		*t = u
	}
}

// Update is the operation by which a method changes elements. The copies of an array on several
// devices are combined by the same operation.
type Update string

// The updates.
const (
	Replace    Update = "replace" // by a store, an operation that isn't in this list, or several operations
	MinUint32  Update = "min uint32"
	MaxUint32  Update = "max uint32"
	MinInt32   Update = "min int32"
	MaxInt32   Update = "max int32"
	MinFloat32 Update = "min float32"
	MaxFloat32 Update = "max float32"
	MinUint64  Update = "min uint64"
	MaxUint64  Update = "max uint64"
	MinInt64   Update = "min int64"
	MaxInt64   Update = "max int64"
	MinFloat64 Update = "min float64"
	MaxFloat64 Update = "max float64"
	Or32       Update = "or 32"
	And32      Update = "and 32"
	Or64       Update = "or 64"
	Add32      Update = "add 32"
	Add64      Update = "add 64"
)

// Adds reports an addition.
func (u Update) Adds() bool { return u == Add32 || u == Add64 }

// Least reports a minimum.
func (u Update) Least() bool {
	switch u {
	case MinUint32, MinInt32, MinFloat32, MinUint64, MinInt64, MinFloat64:
		return true
	}
	return false
}

// Greatest reports a maximum.
func (u Update) Greatest() bool {
	switch u {
	case MaxUint32, MaxInt32, MaxFloat32, MaxUint64, MaxInt64, MaxFloat64:
		return true
	}
	return false
}

// Bytes is the size of the elements that the update changes, unless it is Replace or an addition.
func (u Update) Bytes() int {
	switch u {
	case Or64, MinUint64, MaxUint64, MinInt64, MaxInt64, MinFloat64, MaxFloat64:
		return 8
	}
	return 4
}

// Access is what a method does with an array.
type Access struct {
	Method string // the method's name
	Word   int    // of the functor's block: the one with the array's address
	// The method touches the elements of these vertices. Edge, Hit and Gather have a source and a
	// target, Apply and Vertex a vertex. Edge is the element whose index is Edge.Index, of methods that have no
	// other use for that number. Others are all other elements.
	Source, Target, Vertex, Edge, Others Touch
	By                                   Update // of the elements that it writes
	Adds                                 bool   // one of the operations is an addition
	Looks                                bool   // the method uses what an addition returned
}

// updates are the operations that combine, by function and type.
var updates = map[Func]map[Type]Update{
	AtomicMin: {Uint32: MinUint32, Int32: MinInt32, Float32: MinFloat32, Uint64: MinUint64, Int64: MinInt64, Float64: MinFloat64},
	AtomicMax: {Uint32: MaxUint32, Int32: MaxInt32, Float32: MaxFloat32, Uint64: MaxUint64, Int64: MaxInt64, Float64: MaxFloat64},
	AtomicOr:  {Uint32: Or32, Int32: Or32, Uint64: Or64, Int64: Or64},
	AtomicAnd: {Uint32: And32, Int32: And32},
	AtomicAdd: {Uint32: Add32, Int32: Add32, Uint64: Add64, Int64: Add64},
}

// update returns how an instruction changes an element; "" if it doesn't.
func (in *Instr) update() Update {
	switch {
	case in.Op == Store:
		return Replace
	case in.Op != Atomic || in.Func == AtomicLoad:
		return ""
	}
	if u := updates[in.Func][in.Type]; u != "" {
		return u
	}
	return Replace
}

// Accesses returns what a method does with each array, the implicit ones too, in the order of their words.
func (f *Functor) Accesses(m *Method) (all []Access) {
	x := examine(m)
	at, _ := f.Words()
	of := make([]Access, len(at))
	if m.Inputs[Weight] >= 0 {
		of[f.WeightsField()].Others = Read
	}
	if m.Inputs[EdgeID] >= 0 {
		of[f.IDsField()].Others = Read
	}
	edges, _ := x.edges()
	for _, in := range x.reached() {
		if in.Op != Load && in.Op != Store && in.Op != Atomic {
			continue
		}
		a, touch, u := &of[in.Field], Read, in.update()
		if u != "" {
			touch = Write
			if a.By != "" && a.By != u {
				u = Replace
			}
			a.By = u
		}
		switch x.place(in.Args[0]) {
		case Source:
			a.Source.add(touch)
		case Target:
			a.Target.add(touch)
		case VertexID:
			a.Vertex.add(touch)
		default:
			if v := in.Args[0].Value; v >= 0 && edges[v] {
				a.Edge.add(touch)
			} else {
				a.Others.add(touch)
			}
		}
		if in.Op == Atomic && in.Func == AtomicAdd {
			a.Adds = true
			a.Looks = a.Looks || x.uses(in.Dst)
		}
	}
	for i, a := range of {
		if a != (Access{}) {
			a.Method, a.Word = m.Kind.String(), at[i]
			all = append(all, a)
		}
	}
	return all
}

// ByIndex reports that methods use Edge.Index, and only to index arrays by it. A GPU that has the elements of some edges
// can then number these edges in its own way.
func (f *Functor) ByIndex() bool {
	for _, m := range f.Methods {
		if _, alone := examine(m).edges(); !alone {
			return false
		}
	}
	return f.Index
}

// Pure reports a method that leaves nothing behind: it writes nothing, and can't fault.
func (m *Method) Pure() bool {
	for _, in := range examine(m).reached() {
		if in.update() != "" || in.Op == Accumulate || in.faults() {
			return false
		}
	}
	return true
}

// Writes returns the line where a method writes, or 0.
func (m *Method) Writes() int {
	for _, in := range examine(m).reached() {
		if in.Writes() {
			return in.Line
		}
	}
	return 0
}

// Writes reports whether the instruction changes an element or an accumulator.
func (in *Instr) Writes() bool { return in.update() != "" || in.Op == Accumulate }

func (in *Instr) faults() bool {
	switch in.Op {
	case Check, CheckLocal:
		return true
	case Div, Rem:
		return in.Site != 0 && (in.Args[1].Value >= 0 || in.Args[1].Bits == 0)
	}
	return false
}

// Alone returns the end of an edge, Source or Target, if the value of a Gather depends on that vertex and
// on no other, and if 32 bits hold the value: it is of such a type, or a float64 that was converted from
// a float32.
func (m *Method) Alone() (end Input, is bool) {
	if m.Kind != Gather || !m.Pure() {
		return 0, false
	}
	x := examine(m)
	for _, other := range []Input{Index, Weight, EdgeID} {
		if x.usesInput(other) {
			return 0, false
		}
	}
	source, target := x.usesInput(Source), x.usesInput(Target)
	if source == target || m.Result.Bits() != 32 && !x.widened() {
		return 0, false
	}
	if source {
		return Source, true
	}
	return Target, true
}

// usesInput reports whether an instruction has the input as an operand, or assigns it.
func (x *examined) usesInput(i Input) bool {
	v := x.m.Inputs[i]
	return v >= 0 && (i == Weight || i == EdgeID || x.used[v] || x.assigned[v] > 0) // those two are loaded for every edge
}

// widened reports a method with one result, which is a float64 that was converted from a float32.
func (x *examined) widened() bool {
	results, wide := 0, false
	for _, in := range x.reached() {
		if in.Op != Return {
			continue
		}
		results++
		if a := in.Args[0]; a.Value >= 0 {
			d := x.defined[a.Value]
			if d != nil && d.Op == Add && d.Args[1] == Const(0) && d.Args[0].Value >= 0 { // see Functor.Positive
				a = d.Args[0]
				d = x.defined[a.Value]
			}
			wide = d != nil && d.Op == Convert && d.Type == Float32 && x.m.Values[a.Value].Type == Float64
		}
	}
	return results == 1 && wide
}

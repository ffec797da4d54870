package source

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// writer writes random functors as Go source.
type writer struct {
	*rand.Rand
	b      strings.Builder
	n      int // names so far
	indent int
	fields map[string]string // type by name, of slices with [] in front
	locals []variable
	loops  int // around
	depth  int
	result string
	// Of this function, so far.
	switches, labels int
	helpers          []helper
	vertex           bool
	plain            bool // a helper, which sees neither edge nor vertex
}

type variable struct {
	name, typ string
	fixed     bool // a loop counts it
}

type helper struct {
	name   string
	params []string
	result string
}

var numbers = []string{"int32", "uint32", "int64", "uint64", "int", "uint", "float32", "float64"}

func (w *writer) one(list ...string) string { return list[w.IntN(len(list))] }

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, strings.Repeat("\t", w.indent)+format+"\n", args...)
}

func (w *writer) name() string { w.n++; return fmt.Sprintf("x%d", w.n) }

func isFloat(t string) bool    { return t[0] == 'f' }
func isUnsigned(t string) bool { return t[0] == 'u' }

// fieldOf returns a slice of a type, or a scalar, or "".
func (w *writer) fieldOf(t string) string {
	for _, name := range []string{"A", "B", "C", "D", "E", "F"} {
		if w.fields[name] == t && w.IntN(2) == 0 {
			return "r." + name
		}
	}
	return ""
}

// index returns an index, mostly a right one.
func (w *writer) index(depth int) string {
	if w.plain {
		return w.expr("uint32", depth) + " % 20"
	}
	if w.vertex {
		if w.IntN(3) > 0 {
			return w.one("e.ID", "int(e.ID)", "uint64(e.ID)")
		}
	} else if w.IntN(3) > 0 {
		return w.one("e.Source", "e.Target", "e.Index", "int64(e.Target)", "int(e.Index)", "e.Source")
	}
	t := w.one("uint32", "uint64", "uint")
	switch w.IntN(12) {
	case 0:
		return w.expr(w.one("int32", "uint32", "int64", "uint64", "int"), depth)
	case 1, 2, 3:
		return strconv.Itoa(w.IntN(20))
	}
	return w.expr(t, depth) + " % " + strconv.Itoa(1+w.IntN(20))
}

func (w *writer) expr(t string, depth int) string {
	if depth <= 0 {
		return w.leaf(t)
	}
	d := depth - 1
	if t == "bool" {
		switch w.IntN(7) {
		case 0:
			return "!(" + w.expr("bool", d) + ")"
		case 1, 2:
			return "(" + w.expr("bool", d) + w.one(" && ", " || ") + w.expr("bool", d) + ")"
		case 3:
			return "(" + w.expr("bool", d) + w.one(" == ", " != ") + w.expr("bool", d) + ")"
		case 4:
			return w.leaf(t)
		}
		u := w.one(numbers...)
		return "(" + w.expr(u, d) + w.one(" < ", " <= ", " > ", " >= ", " == ", " != ") + w.expr(u, d) + ")"
	}
	switch w.IntN(12) {
	case 0, 1:
		return w.leaf(t)
	case 2:
		return t + "(" + w.expr(w.one(numbers...), d) + ")"
	case 3:
		return w.one("min", "max") + "(" + w.expr(t, d) + ", " + w.expr(t, d) + ")"
	case 4:
		for _, h := range w.helpers {
			if h.result == t && w.IntN(2) == 0 {
				var args []string
				for _, p := range h.params {
					args = append(args, w.expr(p, d))
				}
				return h.name + "(" + strings.Join(args, ", ") + ")"
			}
		}
	case 5:
		if f := w.fieldOf("[]" + t); f != "" {
			return f + "[" + w.index(d) + "]"
		}
	case 6:
		return w.special(t, d)
	}
	if isFloat(t) {
		if w.IntN(6) == 0 {
			return "(-" + w.expr(t, d) + ")"
		}
		return "(" + w.expr(t, d) + w.one(" + ", " - ", " * ", " / ") + w.expr(t, d) + ")"
	}
	switch w.IntN(10) {
	case 0:
		return "(" + w.one("-", "^", "+") + w.expr(t, d) + ")"
	case 1:
		return "(" + w.expr(t, d) + w.one(" << ", " >> ") + w.expr(w.one("uint32", "uint64", "uint"), d) + ")"
	case 2:
		return "(" + w.expr(t, d) + w.one(" << ", " >> ") + strconv.Itoa(w.IntN(70)) + ")"
	case 3:
		return "(" + w.expr(t, d) + w.one(" / ", " % ") + strconv.Itoa(1+w.IntN(9)) + ")"
	case 4:
		return "(" + w.expr(t, d) + w.one(" / ", " % ") + "(" + w.expr(t, d) + w.one("", "|1") + "))"
	}
	return "(" + w.expr(t, d) + w.one(" + ", " - ", " * ", " & ", " | ", " ^ ", " &^ ") + w.expr(t, d) + ")"
}

// special calls functions of math and math/bits.
func (w *writer) special(t string, d int) string {
	switch t {
	case "float64":
		return w.one("math.Abs(", "math.Sqrt(", "math.Floor(", "math.Ceil(", "math.Trunc(", "math.Min(1.5, ", "math.Max(-2, ") + w.expr(t, d) + ")"
	case "float32":
		return "float32(math." + w.one("Abs", "Sqrt", "Floor", "Ceil", "Trunc") + "(float64(" + w.expr(t, d) + ")))"
	case "uint32":
		return "bits." + w.one("Reverse32", "ReverseBytes32") + "(" + w.expr(t, d) + ")"
	case "uint64":
		return "bits.RotateLeft64(" + w.expr(t, d) + ", " + w.expr("int", d) + ")"
	case "int":
		return "bits." + w.one("OnesCount64", "LeadingZeros64", "TrailingZeros64", "Len64") + "(" + w.expr("uint64", d) + ")"
	case "uint":
		return "uint(bits." + w.one("OnesCount32", "LeadingZeros32", "TrailingZeros32", "Len32") + "(" + w.expr("uint32", d) + "))"
	}
	return w.leaf(t)
}

func (w *writer) leaf(t string) string {
	for range 3 {
		if len(w.locals) > 0 {
			if v := w.locals[w.IntN(len(w.locals))]; v.typ == t {
				return v.name
			}
		}
	}
	if w.IntN(3) == 0 {
		if f := w.fieldOf(t); f != "" {
			return f
		}
	}
	if w.IntN(3) == 0 && !w.vertex && !w.plain {
		switch t {
		case "uint32":
			return w.one("e.Source", "e.Target")
		case "uint64":
			return w.one("e.Index", "e.ID")
		case "float32":
			return "e.Weight"
		case "int32":
			return "e.Level"
		}
	}
	switch {
	case t == "bool":
		return w.one("true", "r.On", "!r.On")
	case isFloat(t):
		return w.one(t, "k"+t) + "(" + w.one("0.5", "-3", "1e10", "2", "0.1") + ")"
	case isUnsigned(t):
		return w.one(t, "k"+t, "k"+t, "k"+t) + "(" + w.one("0", "1", "3", "200", "4000000000") + ")"
	}
	return w.one(t, "k"+t, "k"+t, "k"+t) + "(" + w.one("0", "1", "-1", "7", "-2147483648", "2147483647") + ")"
}

func (w *writer) block(n int) {
	saved := len(w.locals)
	w.indent++
	w.depth++
	for range n {
		w.stmt()
	}
	w.depth--
	w.indent--
	w.locals = w.locals[:saved]
}

func (w *writer) assignable() (variable, bool) {
	for range 6 {
		if len(w.locals) > 0 {
			if v := w.locals[w.IntN(len(w.locals))]; !v.fixed {
				return v, true
			}
		}
	}
	return variable{}, false
}

func (w *writer) declare(t, value string) {
	v := w.name()
	w.line("%s", w.one(v+" := "+value, "var "+v+" "+t+" = "+value))
	w.line("_ = %s", v)
	w.locals = append(w.locals, variable{v, t, false})
}

func (w *writer) stmt() {
	if w.b.Len() > 3000 || w.depth > 5 {
		w.declare("bool", w.expr("bool", 2))
		return
	}
	switch w.IntN(16) {
	case 0, 1, 2:
		t := w.one(append(numbers, "bool")...)
		w.declare(t, t+"("+w.expr(t, 3)+")")
	case 3, 4:
		v, ok := w.assignable()
		switch {
		case !ok:
		case w.IntN(2) == 0 || v.typ == "bool":
			w.line("%s = %s", v.name, w.expr(v.typ, 3))
		case isFloat(v.typ):
			w.line("%s %s %s", v.name, w.one("+=", "-=", "*=", "/="), w.expr(v.typ, 2))
		default:
			w.line("%s %s %s", v.name, w.one("+=", "-=", "*=", "|=", "&=", "^=", "&^="), w.expr(v.typ, 2))
		}
	case 5:
		if v, ok := w.assignable(); ok {
			if u, ok := w.assignable(); ok && v.typ == u.typ && v.name != u.name {
				w.line("%s, %s = %s, %s", v.name, u.name, w.expr(u.typ, 1), v.name)
			}
		}
	case 6, 7:
		t := w.one("int32", "uint32", "int64", "uint64", "float32", "float64")
		if f := w.fieldOf("[]" + t); f != "" {
			w.line("%s[%s] %s %s", f, w.index(1), w.one("=", "+=", "-=", "*="), w.expr(t, 2))
		}
	case 8:
		t := w.one("int32", "uint32", "int64", "uint64", "float32", "float64")
		if f := w.fieldOf("[]" + t); f != "" {
			w.declare(t, "atomics."+w.one("Min", "Max", "Add", "Exchange")+"(&"+f+"["+w.index(1)+"], "+w.expr(t, 2)+")")
		}
	case 9:
		t := w.one("int32", "uint32", "int64", "uint64")
		if f := w.fieldOf("[]" + t); f != "" {
			w.declare("bool", w.expr("bool", 2)+w.one(" && ", " || ")+"atomics."+w.one("Or", "And")+"(&"+f+"["+w.index(1)+"], "+w.expr(t, 1)+") > "+w.expr(t, 1))
		}
	case 10, 11:
		w.line("if %s {", w.expr("bool", 3))
		w.block(1 + w.IntN(2))
		if w.IntN(2) == 0 {
			w.line("} else if %s {", w.expr("bool", 2))
			w.block(1)
			w.line("} else {")
			w.block(1 + w.IntN(2))
		}
		w.line("}")
	case 12:
		w.loop()
	case 13:
		t := w.one("int32", "uint64", "uint32", "int")
		w.switches++
		w.line("switch %s %% 4 {", w.expr(t, 2))
		w.line("case %s, 2:", w.one("0", "1"))
		w.block(1 + w.IntN(2))
		if w.IntN(2) == 0 {
			w.line("default:")
			w.block(1)
		}
		w.line("case %s:", w.expr(t, 1))
		w.block(1)
		w.line("}")
		w.switches--
	case 14:
		switch {
		case w.loops > 0:
			w.line("if %s {", w.expr("bool", 2))
			w.line("\t%s", w.one("break", "continue", "break", "continue", "break outer"+strconv.Itoa(w.labels), "continue outer"+strconv.Itoa(w.labels)))
			w.line("}")
		case w.switches > 0:
			w.line("if %s {\n break }", w.expr("bool", 2))
		}
	case 15:
		w.line("if %s {", w.expr("bool", 3))
		w.line("\treturn %s", w.expr(w.result, 2))
		w.line("}")
	}
}

func (w *writer) loop() {
	if w.loops > 1 {
		return
	}
	if w.loops == 0 {
		w.labels++
		fmt.Fprintf(&w.b, "outer%d:\n", w.labels)
	}
	w.loops++
	saved := len(w.locals)
	i := w.name()
	t := w.one("int", "int32", "uint32", "uint64", "int64")
	fixed := true
	switch w.IntN(6) {
	case 0:
		w.line("for %s := %s(%d); %s < %s%%9; %s++ {", i, t, w.IntN(3), i, w.expr(t, 1), i)
	case 1:
		t = w.one("int", "int64", "int32")
		w.line("for %s := %s(%d); %s >= 1 && %s; %s -= 2 {", i, t, w.IntN(9), i, w.expr("bool", 1), i)
	case 2:
		w.line("for %s := range (%s)%%7 {", i, w.expr(t, 1))
		fixed = false
	case 3:
		w.line("for range %d {", w.IntN(5))
		t = ""
	case 4:
		e := w.one("int32", "uint32", "int64", "uint64", "float32", "float64")
		f := w.fieldOf("[]" + e)
		if f == "" {
			f, e = "r.A", strings.TrimPrefix(w.fields["A"], "[]")
		}
		x := w.name()
		w.line("for %s, %s := range %s {\n_ = %s", i, x, f, x)
		w.locals = append(w.locals, variable{x, e, false})
		t, fixed = "int", false
	case 5:
		w.line("for %s := range %d {", i, w.IntN(6))
		t, fixed = "int", false
	}
	if t != "" {
		w.line("\t_ = %s", i)
		w.locals = append(w.locals, variable{i, t, fixed})
	}
	if w.loops == 1 { // the label is used
		w.line("\tif !r.On && r.On { continue outer%d }", w.labels)
	}
	w.block(1 + w.IntN(3))
	w.line("}")
	w.locals = w.locals[:saved]
	w.loops--
}

// functor writes the functor of a number.
func (w *writer) functor(i int) string {
	w.fields = map[string]string{}
	w.line("// F%d is random.\n//\n//foray:functor\ntype F%d struct {", i, i)
	for j, name := range []string{"A", "B", "C", "D", "E", "F"} {
		t := w.one("int32", "uint32", "int64", "uint64", "float32", "float64")
		if j < 4 {
			t = "[]" + t
		}
		w.fields[name] = t
		w.line("\t%s %s", name, t)
	}
	w.line("\tOn bool\n}\n")
	for j := range w.IntN(3) {
		h := helper{name: fmt.Sprintf("r.help%d", j), result: w.one(append(numbers, "bool")...)}
		var params []string
		w.locals = nil
		for range w.IntN(3) {
			p := variable{w.name(), w.one(append(numbers, "bool")...), false}
			w.locals = append(w.locals, p)
			h.params = append(h.params, p.typ)
			params = append(params, p.name+" "+p.typ)
		}
		w.result, w.plain = h.result, true
		w.line("func (r *F%d) help%d(%s) %s {", i, j, strings.Join(params, ", "), h.result)
		w.block(1 + w.IntN(3))
		w.line("\treturn %s\n}\n", w.expr(h.result, 2))
		w.helpers = append(w.helpers, h)
	}
	w.locals, w.plain = nil, false
	w.vertex = w.IntN(3) == 0
	if w.vertex {
		w.result = w.one("int64", "uint64", "float64", "bool")
		w.line("//foray:disjoint\nfunc (r *F%d) Vertex(e traverse.Vertex) %s {", i, w.result)
	} else {
		w.result = "bool"
		w.line("func (r *F%d) %s(e traverse.Edge) bool {", i, w.one("Edge", "Edge", "Hit"))
	}
	w.block(3 + w.IntN(8))
	w.line("\treturn %s\n}\n", w.expr(w.result, 3))
	return w.b.String()
}

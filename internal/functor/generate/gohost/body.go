// This file prints the instructions of a method, as the inside of a loop over edges or
// vertices.

package gohost

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// body prints a method once.
type body struct {
	f      *ir.Functor
	m      *ir.Method
	list   []ir.Instr
	shared bool // other workers run at the same time
	// finish prints what follows the method's return; value is the result. The end of
	// the loop's body follows if tail, else finish leaves it.
	finish func(b *body, value string, tail bool)
	// faulted prints what follows a fault.
	faulted func(b *body)
	wrap    func(text string) string // what encloses the body; may be nil

	out     strings.Builder
	row     ir.Input         // the input that is the same for a row; NumInputs: none
	again   map[int][]string // by field: what reads elements of the row's vertex again
	own     map[int]string   // variables of those elements, by the value that a load assigns
	ends    map[int]int      // indices that are an input: by value, the input's
	emits   bool             // finish writes the loop's variable somewhere
	before  string           // what is calculated once for a row
	imports map[string]bool
	fields  []string // names of fields' local variables
	used    []bool   // fields
	rows    []bool   // fields that are used by the edge's number
	uses    []int
	subst   []string // values that stand for an expression
	temps   int
	places  places
	filled  bool        // what is printed may be reached by filling of an ELL4 row
	ell4    bool        // rows are of fixed width: no target is the row's vertex
	loops   int         // loops of the method that enclose what is printed
	jumps   map[int]int // to labels
	labels  map[string]bool
	tag     string // behind labels: of a method that is printed again in a function
}

func newBody(f *ir.Functor, m *ir.Method, fields []string, imports map[string]bool) *body {
	m = prune(m)
	b := &body{row: ir.NumInputs, f: f, m: m, list: m.Body, imports: imports, fields: fields,
		used: make([]bool, len(f.Fields)+2), rows: make([]bool, len(f.Fields)+2), uses: make([]int, len(m.Values)), subst: make([]string, len(m.Values)),
		jumps: map[int]int{}, again: map[int][]string{}, own: map[int]string{}, ends: map[int]int{}, labels: map[string]bool{}}
	walk(b.list, func(in *ir.Instr) {
		if in.Op == ir.Convert && in.Type == ir.Uint32 && m.Values[in.Dst].Type == ir.Uint64 && m.Values[in.Dst].Temp && in.Args[0].Value >= 0 {
			b.ends[in.Dst] = in.Args[0].Value
		}
		row := b.perEdge(in)
		for i, a := range in.Args {
			if a.Value >= 0 && !(row && i == 0) {
				b.uses[a.Value]++
			}
		}
		switch in.Op {
		case ir.Load, ir.Store, ir.Scalar, ir.FieldLen, ir.Atomic, ir.Check, ir.Accumulate:
			if row {
				b.rows[in.Field] = true
			} else {
				b.used[in.Field] = true
			}
		}
	})
	b.places.find(b.list, len(m.Values))
	for i, v := range m.Inputs {
		if v >= 0 && b.uses[v] > 0 {
			b.subst[v] = inputNames[i]
		}
	}
	return b
}

// inputNames are the variables of inputs.
var inputNames = [ir.NumInputs]string{"source", "target", "index", "w.Level", "weight", "id", "vertex", "total", "key"}

// uses reports whether the method uses an input.
func (b *body) input(i ir.Input) bool {
	v := b.m.Inputs[i]
	return v >= 0 && b.uses[v] > 0
}

func (b *body) line(format string, args ...any) { fmt.Fprintf(&b.out, format+"\n", args...) }

// print prints the method into a string.
func (b *body) print() string {
	for i := range b.m.Inputs { // an input that is assigned is a variable
		v := b.m.Inputs[i]
		if v >= 0 && b.subst[v] != "" && b.assigned(v) {
			name := b.subst[v]
			b.subst[v] = ""
			b.line("%s := %s", b.name(v), name)
		}
	}
	for v, x := range b.m.Values {
		if !x.Temp && b.uses[v] > 0 && !b.isInput(v) {
			b.line("var %s %s", b.name(v), x.Type)
		}
	}
	long := false
	walk(b.list, func(in *ir.Instr) { long = long || in.Op == ir.Loop && in.Long })
	if long {
		b.line("rounds := uint32(0)")
	}
	b.block(b.hoist(), true)
	if b.wrap != nil {
		return b.wrap(b.out.String())
	}
	return b.out.String()
}

func (b *body) isInput(v int) bool {
	for _, i := range b.m.Inputs {
		if i == v {
			return true
		}
	}
	return false
}

func (b *body) assigned(v int) (is bool) {
	walk(b.list, func(in *ir.Instr) { is = is || hasDst(in.Op) && in.Dst == v })
	return is
}

// name is a value's variable, or the expression that it stands for.
func (b *body) name(v int) string {
	switch x := b.m.Values[v]; {
	case b.subst[v] != "":
		return b.subst[v]
	case x.Name != "" && x.Name != "_":
		return fmt.Sprintf("%s_%d", x.Name, v)
	}
	return fmt.Sprintf("v%d", v)
}

// temp is a new variable's name.
func (b *body) temp(kind string) string {
	b.temps++
	return fmt.Sprintf("%s%d", kind, b.temps)
}

// arg prints operand i.
func (b *body) arg(in *ir.Instr, i int) string {
	a := in.Args[i]
	if a.Value >= 0 {
		return b.name(a.Value)
	}
	return b.literal(in.ArgType(b.m, i), a.Bits)
}

// variable is operand i of an instruction that Go would calculate, and perhaps refuse, when
// it compiles if all operands were constants.
func (b *body) variable(in *ir.Instr, i int) string {
	if in.Args[i].Value >= 0 {
		return b.arg(in, i)
	}
	c := b.temp("c")
	b.line("%s := %s", c, b.arg(in, i))
	return c
}

// literal prints a constant, with its type.
func (b *body) literal(t ir.Type, bits uint64) string {
	switch t {
	case ir.Bool:
		return strconv.FormatBool(bits != 0)
	case ir.Int32:
		return fmt.Sprintf("int32(%d)", int32(bits))
	case ir.Int64:
		return fmt.Sprintf("int64(%d)", int64(bits))
	case ir.Uint32:
		return fmt.Sprintf("uint32(%d)", uint32(bits))
	case ir.Float32:
		x := math.Float32frombits(uint32(bits))
		if special(float64(x)) {
			b.imports["math"] = true
			return fmt.Sprintf("math.Float32frombits(%#x)", uint32(bits))
		}
		return "float32(" + strconv.FormatFloat(float64(x), 'g', -1, 32) + ")"
	case ir.Float64:
		x := math.Float64frombits(bits)
		if special(x) {
			b.imports["math"] = true
			return fmt.Sprintf("math.Float64frombits(%#x)", bits)
		}
		return "float64(" + strconv.FormatFloat(x, 'g', -1, 64) + ")"
	}
	return fmt.Sprintf("uint64(%d)", bits)
}

// special reports what Go has no constant for.
func special(x float64) bool { return x != x || math.IsInf(x, 0) || x == 0 && math.Signbit(x) }

// block prints a list; what follows it is the end of the loop's body if tail.
func (b *body) block(list []ir.Instr, tail bool) {
	defer func(filled bool) { b.filled = filled }(b.filled)
	for i := 0; i < len(list); i++ {
		if b.filled && !b.harmless(list[i:], tail) {
			b.line("if %s {", strings.TrimPrefix(b.edge(), " && "))
			b.block(list[i:], tail)
			b.line("}")
			return
		}
		if b.decided(list[i:], tail) {
			i += 2
			continue
		}
		b.instr(&list[i], tail && i == len(list)-1)
	}
}

// into prints to a string.
func (b *body) into(print func()) string {
	before := b.out.String()
	b.out.Reset()
	print()
	s := b.out.String()
	b.out.Reset()
	b.out.WriteString(before)
	return s
}

func (b *body) instr(in *ir.Instr, tail bool) {
	switch in.Op {
	case ir.If:
		b.branch(in, tail)
	case ir.Block:
		b.jumps[in.Label] = 0
		s := b.into(func() { b.block(in.Then, tail) })
		if b.jumps[in.Label] == 0 {
			b.out.WriteString(s)
			return
		}
		b.line("l%d%s:\nswitch {\ndefault:\n%s}", in.Label, b.tag, s)
	case ir.Loop:
		b.jumps[in.Label] = 0
		b.loops++
		stop := ""
		if in.Long {
			stop = b.into(func() {
				b.line("if rounds++; rounds&(1<<16-1) == 0 && functor.Stopped(&f.Base) {")
				b.faulted(b)
				b.line("}")
			})
		}
		s := b.into(func() { b.block(in.Then, false) })
		b.loops--
		if b.jumps[in.Label] > 0 {
			b.line("l%d%s:", in.Label, b.tag)
		}
		b.line("for {\n%s%s}", stop, s)
	case ir.Leave:
		b.jumps[in.Label]++
		b.line("break l%d%s", in.Label, b.tag)
	case ir.Continue:
		b.jumps[in.Label]++
		b.line("continue l%d%s", in.Label, b.tag)
	case ir.Return:
		value := ""
		if len(in.Args) > 0 {
			value = b.arg(in, 0)
		}
		b.finish(b, value, tail)
	case ir.Check:
		b.check(in)
	case ir.Store:
		b.line("%s = %s", b.element(in), b.arg(in, 1))
		b.wrote(in)
	case ir.Atomic:
		b.atomic(in)
	case ir.Accumulate:
		b.accumulate(in)
	case ir.ZeroLocal, ir.StoreLocal, ir.CheckLocal:
		b.array(in)
	case ir.Div, ir.Rem:
		if in.Site != 0 && !in.Type.Float() {
			b.line("if %s == 0 {", b.divisor(in))
			b.fault("Fault", in.Site, "0")
			b.line("}")
		}
		if in.Dst >= 0 {
			b.assign(in, b.expr(in))
		}
	default:
		if b.places.inline(b, in) {
			b.subst[in.Dst] = b.expr(in)
		} else {
			b.assign(in, b.expr(in))
		}
	}
}

// divisor makes the divisor a variable.
func (b *body) divisor(in *ir.Instr) string {
	if in.Args[1].Value < 0 {
		c := b.variable(in, 1)
		in.Args[1] = ir.Arg{Value: b.extra(in.Type, c)}
	}
	return b.arg(in, 1)
}

// extra makes a value of an expression.
func (b *body) extra(t ir.Type, s string) int {
	m := *b.m
	m.Values = append(append([]ir.Value(nil), m.Values...), ir.Value{Type: t, Temp: true})
	b.m = &m
	b.uses, b.subst = append(b.uses, 1), append(b.subst, s)
	return len(m.Values) - 1
}

// branch prints an if.
func (b *body) branch(in *ir.Instr, tail bool) {
	cond := bare(b.arg(in, 0))
	then, other := in.Then, in.Else
	if len(then) == 0 {
		cond, then, other = "!("+cond+")", other, nil
		if in.Args[0].Value >= 0 && !strings.Contains(cond, " ") {
			cond = "!" + b.arg(in, 0)
		}
	}
	b.line("if %s {", cond)
	b.block(then, tail)
	if s := b.into(func() { b.block(other, tail) }); s != "" {
		b.line("} else {\n%s}", s)
	} else {
		b.line("}")
	}
}

// bare strips the parentheses around an expression.
func bare(s string) string {
	if !strings.HasPrefix(s, "(") {
		return s
	}
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(s)-1 {
				return s
			}
		}
	}
	return s[1 : len(s)-1]
}

// assign prints dst = s.
func (b *body) assign(in *ir.Instr, s string) {
	op := "="
	if b.m.Values[in.Dst].Temp {
		op = ":="
	}
	if in.Op == ir.Call && in.Func == ir.MulHigh {
		op = ", _ " + op // the other result is the lower word
	}
	b.line("%s %s %s", b.name(in.Dst), op, bare(s))
}

// fault prints a fault.
func (b *body) fault(how string, site int, index string) {
	b.line("f.%s(%d, %s)", how, site, index)
	b.faulted(b)
}

// check prints the check of an index.
func (b *body) check(in *ir.Instr) {
	i := b.variable(in, 0)
	b.line("if %s >= uint64(len(%s)) {", as(ir.Uint64, in.Type, i), b.fields[in.Field])
	how := "Fault"
	if !in.Type.Signed() {
		how = "Beyond"
	}
	b.fault(how, in.Site, i)
	b.line("}")
}

// as prints a conversion of an integer.
func as(to, from ir.Type, s string) string {
	if to == from {
		return s
	}
	return to.String() + "(" + bare(s) + ")"
}

// element prints an element of a slice.
func (b *body) element(in *ir.Instr) string {
	i := ""
	if b.perEdge(in) {
		return b.fields[in.Field] + "Row[i]"
	}
	if a := in.Args[0]; a.Value < 0 && a.Bits >= 1<<31 {
		i = b.variable(in, 0)
	} else if a.Value < 0 {
		i = strconv.FormatUint(a.Bits, 10)
	} else {
		i = bare(b.arg(in, 0))
	}
	return b.fields[in.Field] + "[" + i + "]"
}

// perEdge reports the use of an element by the edge's own number: the loop has a slice of the
// row's elements then, whose index needs no check. The edges of a Hit are of many rows.
func (b *body) perEdge(in *ir.Instr) bool {
	return b.m.Kind != ir.Hit && (in.Op == ir.Load || in.Op == ir.Store || in.Op == ir.Atomic) && in.Args[0].Value >= 0 &&
		in.Args[0].Value == b.m.Inputs[ir.Index] && b.f.FieldOf(in.Field).PerEdge
}

// next prints a jump to the next edge or vertex.
func (b *body) next() { b.jump("continue", "next") }

// jump prints a jump to a label around the method.
func (b *body) jump(how, label string) {
	if how == "continue" && b.loops == 0 {
		b.line("continue")
		return
	}
	b.labels[label] = true
	b.line("%s %s%s", how, label, b.tag)
}

// This file holds the lowering of a method: values, instructions, and the lists that they
// are in.

package source

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// method lowers a method.
type method struct {
	*lowerer
	*typed // the package of the function that is lowered now
	m      *ir.Method
	list   *[]ir.Instr
	frame  *frame
	// How deep expressions, and statements, are in each other.
	expressions, nesting int
	// direct has values that are an operator's inputs, perhaps wider: the
	// source of an edge and so on. They index a slice without a check.
	direct map[int]ir.Input
	// given are other values that index a slice without a check: ir.Index for the number of an edge, else a vertex.
	given map[int]ir.Input
	// inside are the counters of loops over slices, which are right indices of them.
	inside map[int]int
	// within are the counters of loops that are less than a constant, and not negative.
	within map[int]int
	// around is how many rounds the loops around have, where that is known.
	around uint64
	// made are values computed once and used again in the same list and those inside it.
	made    map[any]int
	madeLog []any
	// pending are the fields whose elements the statement has read so far. Go doesn't say
	// whether a call to their right happens before.
	pending []int
	// masking: an Edge that masks the edges of triangles is lowered, which must not write. wrote: it does, which is reported once.
	masking, wrote bool
	masked         map[int]bool // the fields that this Edge reads
}

// frame is a function that is being lowered: the method, or one that is inlined.
type frame struct {
	up       *frame
	call     token.Pos
	pending  int // how much of what is pending the statements that called it have read
	fn       *types.Func
	of       *typed   // its package
	bound    bindings // what its type parameters stand for
	decl     *ast.FuncDecl
	vars     map[types.Object]operand
	assigned map[types.Object]bool
	results  []operand // local variables; those of the method itself are nil, unless they have names
	label    int       // the block that a return leaves; -1: the method
	last     *ast.ReturnStmt
	values   []operand // of the one return at the end, where there is no other
	targets  []target
}

// outermost returns the functor's method in which the function is called.
func (f *frame) outermost() *ast.FuncDecl {
	for f.up != nil {
		f = f.up
	}
	return f.decl
}

// target is what break and continue leave.
type target struct {
	label     string // in Go
	brk, cont int
	loop      bool
	broken    bool // a break leaves it
	continued bool
}

// kind is the meaning of an expression.
type kind uint8

const (
	bad     kind = iota // there was an error
	number              // a number or a bool
	functor             // the functor itself
	edge                // a traverse.Edge
	vertex
	slice       // a field
	none        // a call without a result
	accumulator // a field
	corner      // a traverse.Corner
	array       // a local array
)

// operand is what an expression results in.
type operand struct {
	kind     kind
	t        ir.Type
	arg      ir.Arg
	field    int  // or the number of a local array
	variable bool // a local variable, which may be assigned later
	of       *parts
	fresh    bool // an array that has no name yet
}

// parts are the vertices and edges of a corner, or the ends and the number of an edge that isn't the method's own.
type parts struct{ vertices, edges []operand }

func constOperand(t ir.Type, bits uint64) operand {
	return operand{kind: number, t: t, arg: ir.Const(bits)}
}

// lowerMethod lowers a method that operators call.
func (f *lowerer) lowerMethod(s signature, d *ast.FuncDecl, result, total ir.Type) {
	m := &method{lowerer: f, typed: f.typed, direct: map[int]ir.Input{}, given: map[int]ir.Input{}, inside: map[int]int{}, within: map[int]int{}, made: map[any]int{}, around: 1}
	m.m = &ir.Method{Kind: s.kind, Result: result, Line: f.position(d.Pos()).Line}
	for i := range m.m.Inputs {
		m.m.Inputs[i] = -1
	}
	m.list = &m.m.Body
	f.f.Methods = append(f.f.Methods, m.m)
	f.declared[m.m] = d
	fn := f.info.Defs[d.Name].(*types.Func)
	if !m.enter(d, fn, f.bound(fn.Signature().RecvTypeParams())) {
		return
	}
	m.frame.label = -1
	sig := fn.Signature()
	m.frame.vars[sig.Recv()] = operand{kind: functor}
	if m.copied(sig.Recv(), operand{kind: functor}, sig.Recv().Pos()) {
		return
	}
	for i, what := range s.params {
		p := sig.Params().At(i)
		o := operand{kind: edge}
		switch what {
		case "Vertex":
			o.kind = vertex
		case "total":
			o = operand{kind: number, t: total, arg: m.input(ir.Total, total)}
		case "score":
			o = operand{kind: number, t: ir.Float64, arg: m.input(ir.Total, ir.Float64)}
		case "key":
			o = operand{kind: number, t: ir.Uint32, arg: m.input(ir.KeyOf, ir.Uint32)}
		}
		m.bind(p, o, p.Pos())
	}
	for i := range sig.Results().Len() {
		if r := sig.Results().At(i); r.Name() != "" {
			m.frame.results = append(m.frame.results, m.variable(r, result))
		}
	}
	ended := m.stmts(d.Body.List)
	if !ended && result == ir.Void {
		return
	}
	if !ends(m.m.Body) && result != ir.Void {
		m.emit(ir.Instr{Op: ir.Return, Type: result, Dst: -1, Args: []ir.Arg{ir.Const(0)}, Line: f.position(d.End()).Line})
	}
}

// ends reports a list that ends in a return on all paths.
func ends(list []ir.Instr) bool {
	if len(list) == 0 {
		return false
	}
	switch in := &list[len(list)-1]; in.Op {
	case ir.Return:
		return true
	case ir.If:
		return ends(in.Then) && ends(in.Else)
	}
	return false
}

// enter begins the frame of a function. It reports whether it can be lowered.
func (m *method) enter(d *ast.FuncDecl, fn *types.Func, bound bindings) bool {
	if m.problemsIn(d) {
		return false
	}
	if d.Body == nil {
		m.errorf(d.Pos(), "the function %s has no body", fn.Name())
		return false
	}
	m.frame = &frame{up: m.frame, fn: fn, of: m.typed, bound: bound, decl: d, vars: map[types.Object]operand{}, assigned: m.assignments(d)}
	return true
}

// assignments returns the variables that are assigned after their declaration.
func (c *typed) assignments(d *ast.FuncDecl) map[types.Object]bool {
	if set, ok := c.assigned[d]; ok {
		return set
	}
	set := c.assignedIn(d)
	c.assigned[d] = set
	return set
}

func (c *typed) assignedIn(n ast.Node) map[types.Object]bool {
	set := map[types.Object]bool{}
	mark := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if o := c.info.Uses[id]; o != nil {
				set[o] = true
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				mark(e)
			}
		case *ast.IncDecStmt:
			mark(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				mark(n.Key)
				if n.Value != nil {
					mark(n.Value)
				}
			}
		}
		return true
	})
	return set
}

// bind gives a name in Go its operand: a parameter, or a local variable at its declaration.
func (m *method) bind(o types.Object, x operand, pos token.Pos) {
	if o == nil || x.kind == bad {
		if o != nil {
			m.frame.vars[o] = x
		}
		return
	}
	if m.copied(o, x, pos) {
		m.frame.vars[o] = operand{}
		return
	}
	if m.bindArray(o, x, pos) {
		return
	}
	if m.frame.assigned[o] {
		if x.kind != number {
			m.errorf(pos, "%s is assigned again; a variable that stands for the functor, an edge, a vertex or a slice keeps what it is", o.Name())
			m.frame.vars[o] = operand{}
			return
		}
		v := m.variable(o, x.t)
		m.set(v, x, pos)
		return
	}
	if x.variable { // it may change while this one doesn't
		x = m.move(x, o.Name(), pos)
	} else if x.kind == number && x.arg.Value >= 0 {
		if v := &m.m.Values[x.arg.Value]; v.Name == "" {
			v.Name = o.Name()
		}
	}
	m.frame.vars[o] = x
}

// variable makes a local variable, which may be assigned more than once.
func (m *method) variable(o types.Object, t ir.Type) operand {
	m.m.Values = append(m.m.Values, ir.Value{Type: t, Name: o.Name()})
	x := operand{kind: number, t: t, arg: ir.Var(len(m.m.Values) - 1), variable: true}
	if o.Name() == "_" {
		m.m.Values[x.arg.Value].Name = ""
	}
	m.frame.vars[o] = x
	return x
}

// set assigns a variable.
func (m *method) set(v, x operand, pos token.Pos) {
	if v.kind != number || x.kind != number {
		return
	}
	n := len(m.m.Values) - 1
	if list := *m.list; len(list) > 0 && x.arg.Value == n && v.arg.Value != n {
		// A value that was just computed needs no copy.
		in := &list[len(list)-1]
		value := m.m.Values[n]
		own := true
		for _, a := range in.Args {
			own = own && a.Value != v.arg.Value
		}
		if k := len(m.madeLog); k > 0 && m.made[m.madeLog[k-1]] == n {
			own = false // others will ask for it
		}
		if _, ok := m.direct[n]; in.Dst == n && own && value.Temp && value.Name == "" && !ok && in.Op != ir.Atomic {
			in.Dst = v.arg.Value
			m.m.Values = m.m.Values[:n]
			return
		}
	}
	m.emit(ir.Instr{Op: ir.Move, Type: v.t, Dst: v.arg.Value, Args: []ir.Arg{x.arg}, Line: m.line(pos)})
}

// move copies an operand to a value that stays.
func (m *method) move(x operand, name string, pos token.Pos) operand {
	a := m.op(ir.Move, x.t, x.t, pos, x.arg)
	m.m.Values[a.Value].Name = name
	return operand{kind: number, t: x.t, arg: a}
}

func (m *method) line(pos token.Pos) int { return m.position(pos).Line }

// emit appends an instruction.
func (m *method) emit(in ir.Instr) {
	if m.masking && !m.wrote && in.Writes() {
		m.wrote = true
		m.errorf(m.frame.outermost().Name.Pos(), "line %d: Edge of %s masks the edges of triangles, and may be called more than once for an edge: it can't write or accumulate; write in Common", in.Line, m.spec.Name.Name)
	}
	if m.masking && in.Op == ir.Load {
		m.masked[in.Field] = true
	}
	if m.grow() {
		*m.list = append(*m.list, in)
	}
}

// grow counts an instruction, or a call that is inlined. It reports whether there may be more.
func (m *method) grow() bool {
	m.size++
	if m.size > maxInstructions && !m.full {
		m.full = true
		m.errorf(m.frame.decl.Pos(), "the functor %s has more than %d instructions and calls, with all calls inlined; make it smaller", m.spec.Name.Name, maxInstructions)
	}
	return !m.full
}

// temp makes a value that is assigned once.
func (m *method) temp(t ir.Type) int {
	m.m.Values = append(m.m.Values, ir.Value{Type: t, Temp: true})
	return len(m.m.Values) - 1
}

// op appends an instruction whose result is of type result.
func (m *method) op(op ir.Op, t, result ir.Type, pos token.Pos, args ...ir.Arg) ir.Arg {
	if bits, ok := fold(op, t, result, args); ok {
		return ir.Const(bits)
	}
	v := m.temp(result)
	m.emit(ir.Instr{Op: op, Type: t, Dst: v, Args: args, Line: m.line(pos)})
	return ir.Var(v)
}

// call appends a Call.
func (m *method) call(f ir.Func, t, result ir.Type, pos token.Pos, args ...ir.Arg) ir.Arg {
	v := m.temp(result)
	m.emit(ir.Instr{Op: ir.Call, Func: f, Type: t, Dst: v, Args: args, Line: m.line(pos)})
	return ir.Var(v)
}

// nest collects the instructions that do appends in a separate list.
func (m *method) nest(do func()) []ir.Instr {
	outer, mark := m.list, len(m.madeLog)
	var list []ir.Instr
	m.list = &list
	do()
	m.list = outer
	for _, k := range m.madeLog[mark:] {
		delete(m.made, k)
	}
	m.madeLog = m.madeLog[:mark]
	return list
}

// once returns the value that make makes, which is made once for a key.
func (m *method) once(key any, make func() ir.Arg) ir.Arg {
	if v, ok := m.made[key]; ok {
		return ir.Var(v)
	}
	a := make()
	m.made[key] = a.Value
	m.madeLog = append(m.madeLog, key)
	return a
}

var inputNames = [ir.NumInputs]string{"source", "target", "index", "level", "weight", "id", "vertex", "total", "key"}

// input returns what operators hand to the method.
func (m *method) input(i ir.Input, t ir.Type) ir.Arg {
	if m.m.Inputs[i] < 0 {
		v := m.temp(t)
		m.m.Values[v].Name = inputNames[i]
		m.m.Inputs[i] = v
		if i == ir.Source || i == ir.Target || i == ir.VertexID || i == ir.Index {
			m.direct[v] = i
		}
	}
	return ir.Var(m.m.Inputs[i])
}

// label makes a label.
func (m *method) label() int {
	m.m.Labels++
	return m.m.Labels - 1
}

// site returns the number of a place where the functor may fault.
func (m *method) site(pos token.Pos, what string) int {
	p := m.position(pos)
	s := ir.Site{File: m.file(p.Filename), Line: p.Line, What: what}
	for i, x := range m.f.Sites {
		if x == s {
			return i + 1
		}
	}
	m.f.Sites = append(m.f.Sites, s)
	return len(m.f.Sites)
}

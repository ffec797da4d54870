package ir_test

import (
	"testing"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// The values of methods here. An element of field 0 may be changed at the target; mine is an element of field 1 at the
// source; old is what an atomic operation returned. is, other and count may be assigned more than once.
const (
	source = iota
	target
	level
	atSource
	atTarget
	mine
	old
	copied
	is
	other
	count
	numValues
)

func edge(of ir.Type, body ...ir.Instr) *ir.Functor {
	m := &ir.Method{Kind: ir.Edge, Result: ir.Bool, Labels: 2, Inputs: [ir.NumInputs]int{source, target, -1, level, -1, -1, -1, -1, -1}}
	m.Values = []ir.Value{
		source: {Type: ir.Uint32}, target: {Type: ir.Uint32}, level: {Type: ir.Int32},
		atSource: {Type: ir.Uint64, Temp: true}, atTarget: {Type: ir.Uint64, Temp: true},
		mine: {Type: of}, old: {Type: of}, copied: {Type: of}, is: {Type: ir.Bool}, other: {Type: ir.Bool}, count: {Type: of},
	}
	m.Body = append([]ir.Instr{
		{Op: ir.Convert, Type: ir.Uint32, Dst: atSource, Args: []ir.Arg{ir.Var(source)}},
		{Op: ir.Convert, Type: ir.Uint32, Dst: atTarget, Args: []ir.Arg{ir.Var(target)}},
		{Op: ir.Load, Type: of, Dst: mine, Field: 1, Args: []ir.Arg{ir.Var(atSource)}},
	}, body...)
	fields := []ir.Field{{Name: "A", Type: of, Slice: true, PerVertex: true, Written: true}, {Name: "B", Type: of, Slice: true, PerVertex: true}}
	return &ir.Functor{Name: "F", Fields: fields, Methods: []*ir.Method{m}}
}

// TestTells: Tells is false for a method that doesn't let the target through everywhere that it changes something
// there.
func TestTells(t *testing.T) {
	op := func(op ir.Op, of ir.Type, dst int, args ...int) ir.Instr {
		in := ir.Instr{Op: op, Type: of, Dst: dst}
		for _, v := range args {
			in.Args = append(in.Args, ir.Var(v))
		}
		return in
	}
	atomic := func(f ir.Func, args ...ir.Arg) ir.Instr {
		return ir.Instr{Op: ir.Atomic, Func: f, Type: ir.Uint32, Dst: old, Args: append([]ir.Arg{ir.Var(atTarget)}, args...)}
	}
	least, most := atomic(ir.AtomicMin, ir.Var(mine)), atomic(ir.AtomicMax, ir.Var(mine))
	swap := atomic(ir.AtomicCompareAndSwap, ir.Const(1<<32-1), ir.Var(source))
	swap.Dst = is
	stores := ir.Instr{Op: ir.Store, Type: ir.Uint32, Dst: -1, Args: []ir.Arg{ir.Var(atTarget), ir.Var(source)}}
	astray := stores
	astray.Args = []ir.Arg{ir.Const(7), ir.Var(source)}
	less, greater := op(ir.Less, ir.Uint32, is, mine, old), op(ir.Less, ir.Uint32, is, old, mine)
	some := op(ir.Less, ir.Int32, other, level, level)
	result, yes, no := op(ir.Return, ir.Bool, -1, is), ir.Instr{Op: ir.Return, Dst: -1, Args: []ir.Arg{ir.Const(1)}}, ir.Instr{Op: ir.Return, Dst: -1, Args: []ir.Arg{ir.Const(0)}}
	when := func(v int, then ...ir.Instr) ir.Instr {
		return ir.Instr{Op: ir.If, Dst: -1, Args: []ir.Arg{ir.Var(v)}, Then: then}
	}
	loop := func(body ...ir.Instr) ir.Instr { return ir.Instr{Op: ir.Loop, Dst: -1, Label: 0, Then: body} }
	unless := func(v int) ir.Instr {
		return ir.Instr{Op: ir.If, Dst: -1, Args: []ir.Arg{ir.Var(v)}, Else: []ir.Instr{{Op: ir.Leave, Dst: -1, Label: 0}}}
	}
	one := ir.Instr{Op: ir.Move, Type: ir.Uint32, Dst: old, Args: []ir.Arg{ir.Const(5)}}
	more := ir.Instr{Op: ir.Add, Type: ir.Uint32, Dst: count, Args: []ir.Arg{ir.Var(count), ir.Const(1)}}
	for name, c := range map[string]struct {
		body  []ir.Instr
		tells bool
	}{
		"less":                     {[]ir.Instr{least, less, result}, true},
		"less or equal":            {[]ir.Instr{least, op(ir.LessEqual, ir.Uint32, is, mine, old), result}, true},
		"another value":            {[]ir.Instr{least, op(ir.NotEqual, ir.Uint32, is, mine, old), result}, true},
		"always":                   {[]ir.Instr{least, yes}, true},
		"never":                    {[]ir.Instr{least, no}, false},
		"where nothing changed":    {[]ir.Instr{least, op(ir.LessEqual, ir.Uint32, is, old, mine), result}, false},
		"denied":                   {[]ir.Instr{least, op(ir.LessEqual, ir.Uint32, is, old, mine), op(ir.Not, ir.Bool, is, is), result}, true},
		"denied twice":             {[]ir.Instr{least, less, op(ir.Not, ir.Bool, is, is), result}, false},
		"compared as signed":       {[]ir.Instr{least, op(ir.Less, ir.Int32, is, mine, old), result}, false},
		"with something else":      {[]ir.Instr{least, op(ir.Less, ir.Uint32, is, source, old), result}, false},
		"what was there is gone":   {[]ir.Instr{least, one, less, result}, false},
		"a copy of it":             {[]ir.Instr{least, op(ir.Move, ir.Uint32, copied, old), one, op(ir.Less, ir.Uint32, is, mine, copied), result}, true},
		"and something else":       {[]ir.Instr{least, less, some, op(ir.And, ir.Bool, is, is, other), result}, false},
		"only if":                  {[]ir.Instr{some, when(other, least, less, result), no}, true},
		"only sometimes":           {[]ir.Instr{least, some, when(other, less, result), no}, false},
		"a branch":                 {[]ir.Instr{least, less, when(is, yes), no}, true},
		"the wrong branch":         {[]ir.Instr{least, less, when(is, no), yes}, false},
		"the least, of a maximum":  {[]ir.Instr{most, less, result}, false},
		"the greatest":             {[]ir.Instr{most, greater, result}, true},
		"both":                     {[]ir.Instr{least, most, greater, result}, false},
		"exchanged":                {[]ir.Instr{swap, result}, true},
		"not exchanged":            {[]ir.Instr{swap, op(ir.Not, ir.Bool, is, is), result}, false},
		"stored":                   {[]ir.Instr{stores, yes}, true},
		"stored, perhaps":          {[]ir.Instr{stores, some, op(ir.Return, ir.Bool, -1, other)}, false},
		"stored after an exchange": {[]ir.Instr{swap, stores, result}, false},
		"at no end of the edge":    {[]ir.Instr{astray, yes}, false},
		"may fault":                {[]ir.Instr{{Op: ir.Check, Type: ir.Uint64, Dst: -1, Site: 1, Args: []ir.Arg{ir.Var(atSource)}}, least, yes}, false},
		"round and round":          {[]ir.Instr{loop(least, less, op(ir.Less, ir.Uint32, other, old, source), unless(other)), result}, false},
		"an operand of each round": {[]ir.Instr{loop(more, op(ir.Less, ir.Uint32, other, count, source), unless(other)), atomic(ir.AtomicMin, ir.Var(count)), more, op(ir.Less, ir.Uint32, is, count, old), result}, false},
		"for ever":                 {[]ir.Instr{loop()}, true},
	} {
		f := edge(ir.Uint32, c.body...)
		if got := f.Tells(); got != c.tells {
			t.Errorf("%s: %v\n%s", name, got, f)
		}
		f.Methods[0].Result = ir.Void
		if f.Tells() {
			t.Errorf("%s, without a result: true", name)
		}
	}
}

// TestTells64: a compare-and-swap of 64 bits is as good as one of 32.
func TestTells64(t *testing.T) {
	swap := ir.Instr{Op: ir.Atomic, Func: ir.AtomicCompareAndSwap, Type: ir.Uint64, Dst: is, Args: []ir.Arg{ir.Var(atTarget), ir.Const(0), ir.Var(mine)}}
	f := edge(ir.Uint64, swap, ir.Instr{Op: ir.Return, Dst: -1, Args: []ir.Arg{ir.Var(is)}})
	if !f.Tells() {
		t.Errorf("it doesn't tell\n%s", f)
	}
}

// TestAccesses: an index is the vertex's own only if it can't be another.
func TestAccesses(t *testing.T) {
	load := func(v int) ir.Instr {
		return ir.Instr{Op: ir.Load, Type: ir.Uint32, Dst: old, Args: []ir.Arg{ir.Var(v)}}
	}
	set := func(v int) ir.Instr {
		return ir.Instr{Op: ir.Store, Type: ir.Uint32, Dst: -1, Args: []ir.Arg{ir.Var(v), ir.Const(1)}}
	}
	moves := ir.Instr{Op: ir.Add, Type: ir.Uint32, Dst: target, Args: []ir.Arg{ir.Var(target), ir.Const(1)}}
	adds := ir.Instr{Op: ir.Atomic, Func: ir.AtomicAdd, Type: ir.Uint32, Dst: -1, Args: []ir.Arg{ir.Var(atTarget), ir.Const(1)}}
	looks := adds
	looks.Dst = old
	yes := ir.Instr{Op: ir.Return, Dst: -1, Args: []ir.Arg{ir.Const(1)}}
	for name, c := range map[string]struct {
		body []ir.Instr
		want ir.Access
	}{
		"nothing":             {[]ir.Instr{yes}, ir.Access{}},
		"reads its own":       {[]ir.Instr{load(atSource), yes}, ir.Access{Source: ir.Read}},
		"reads the target":    {[]ir.Instr{load(atTarget), yes}, ir.Access{Target: ir.Read}},
		"writes both":         {[]ir.Instr{set(atSource), set(atTarget), load(atTarget), yes}, ir.Access{Source: ir.Write, Target: ir.Write, By: ir.Replace}},
		"a constant":          {[]ir.Instr{{Op: ir.Load, Type: ir.Uint32, Dst: old, Args: []ir.Arg{ir.Const(0)}}, yes}, ir.Access{Others: ir.Read}},
		"a value":             {[]ir.Instr{load(mine), yes}, ir.Access{Others: ir.Read}},
		"a target that moves": {[]ir.Instr{set(atTarget), moves, yes}, ir.Access{Others: ir.Write, By: ir.Replace}},
		"behind the result":   {[]ir.Instr{yes, set(atTarget)}, ir.Access{}},
		"adds":                {[]ir.Instr{adds, yes}, ir.Access{Target: ir.Write, By: ir.Add32, Adds: true}},
		"looks":               {[]ir.Instr{looks, yes}, ir.Access{Target: ir.Write, By: ir.Add32, Adds: true, Looks: true}},
		"adds and sets":       {[]ir.Instr{adds, set(atTarget), yes}, ir.Access{Target: ir.Write, By: ir.Replace, Adds: true}},
	} {
		f := edge(ir.Uint32, c.body...)
		var got ir.Access
		for _, a := range f.Accesses(f.Methods[0]) {
			if a.Word == ir.FirstWord {
				got = a
			}
		}
		if c.want != (ir.Access{}) {
			c.want.Method, c.want.Word = "Edge", ir.FirstWord
		}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

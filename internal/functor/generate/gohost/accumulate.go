// This file prints accumulators. While a tile is gone through a variable has what the worker's
// values came to so far; before and after, that is in memory that the worker has to itself.

package gohost

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// AccumulatorType is the type of an accumulator's field in Go.
func AccumulatorType(x ir.Field) string {
	return fmt.Sprintf("traverse.%s[%s]", foldNames[x.Fold], x.Type)
}

// accumulators counts them.
func (p *printer) accumulators() (n int) {
	for _, x := range p.Fields {
		if x.Accumulator {
			n++
			if p.Tied {
				p.imports[module+"traverse"] = true
			}
		}
	}
	return n
}

// partial is the word of a worker.
func (p *printer) partial(field int) string {
	n := 0
	for _, x := range p.Fields[:field] {
		if x.Accumulator {
			n++
		}
	}
	return fmt.Sprintf("*f.Partial(w.ID, %d)", n)
}

// bring prints what keeps the variables of accumulators, at the end of a function.
func (p *printer) bring(b *body) {
	for i, x := range p.Fields {
		if x.Accumulator && b.used[i] {
			p.line("%s = %s", p.partial(i), toWord(x.Type, p.fields[i], p.imports))
		}
	}
}

func fromWord(t ir.Type, s string, imports map[string]bool) string {
	switch t {
	case ir.Float64:
		imports["math"] = true
		return "math.Float64frombits(" + s + ")"
	case ir.Int64:
		return "int64(" + s + ")"
	}
	return s
}

func toWord(t ir.Type, s string, imports map[string]bool) string {
	switch t {
	case ir.Float64:
		imports["math"] = true
		return "math.Float64bits(" + s + ")"
	case ir.Int64:
		return "uint64(" + s + ")"
	}
	return s
}

// accumulate prints what brings a value. A NaN is neither less nor greater.
func (b *body) accumulate(in *ir.Instr) {
	x, v := b.fields[in.Field], bare(b.arg(in, 0))
	switch b.f.Fields[in.Field].Fold {
	case ir.MinFold, ir.MaxFold:
		op := "<"
		if b.f.Fields[in.Field].Fold == ir.MaxFold {
			op = ">"
		}
		y := b.temp("a")
		b.line("if %s := %s; %s %s %s {\n%s = %s\n}", y, v, y, op, x, x, y)
	case ir.OrFold:
		b.line("%s |= %s", x, v)
	default:
		b.line("%s += %s", x, v)
	}
}

// This file prints local arrays.

package gohost

import (
	"fmt"
	"strconv"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// arrayName is an array's variable.
func (b *body) arrayName(array int) string {
	return fmt.Sprintf("%s_a%d", b.m.Arrays[array].Name, array)
}

// local prints an element of an array.
func (b *body) local(in *ir.Instr) string {
	i := ""
	if a := in.Args[0]; a.Value >= 0 {
		i = bare(b.arg(in, 0))
	} else if int64(a.Bits) < 0 || a.Bits >= uint64(b.m.Arrays[in.Field].Len) { // behind a check that fails
		i = b.variable(in, 0)
	} else {
		i = strconv.FormatUint(a.Bits, 10)
	}
	return b.arrayName(in.Field) + "[" + i + "]"
}

// array prints an instruction on an array. Its declaration makes its elements zero; that of an array of which no element
// is used isn't printed, since Go would refuse it.
func (b *body) array(in *ir.Instr) {
	x := b.m.Arrays[in.Field]
	switch in.Op {
	case ir.ZeroLocal:
		used := false
		walk(b.m.Body, func(use *ir.Instr) {
			used = used || (use.Op == ir.LoadLocal || use.Op == ir.StoreLocal) && use.Field == in.Field
		})
		if used {
			b.line("var %s [%d]%s", b.arrayName(in.Field), x.Len, x.Type)
		}
	case ir.StoreLocal:
		b.line("%s = %s", b.local(in), b.arg(in, 1))
	case ir.CheckLocal:
		i := b.variable(in, 0)
		b.line("if %s >= %d {", as(ir.Uint64, in.Type, i), x.Len)
		how := "Fault"
		if !in.Type.Signed() {
			how = "Beyond"
		}
		b.fault(how, in.Site, i)
		b.line("}")
	}
}

// This file prints functors for people: foray generate -dump.

package ir

import (
	"fmt"
	"math"
	"strings"
)

// String returns a functor as text.
func (f *Functor) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "functor %s\n", f.GoType())
	for i, x := range f.Fields {
		t := x.Type.String()
		if x.Slice {
			t = "[]" + t
		}
		fmt.Fprintf(&b, "  field %d %s %s", i, x.Name, t)
		if x.Accumulator {
			fmt.Fprintf(&b, ", accumulates by %s", x.Fold)
		}
		for _, is := range []struct {
			is   bool
			name string
		}{{x.PerVertex, "per vertex"}, {x.PerEdge, "per edge"}, {x.Written, "written"}} {
			if is.is {
				fmt.Fprintf(&b, ", %s", is.name)
			}
		}
		b.WriteByte('\n')
	}
	for i, s := range f.Sites {
		fmt.Fprintf(&b, "  site %d %s:%d %s\n", i+1, s.File, s.Line, s.What)
	}
	for _, m := range f.Methods {
		fmt.Fprintf(&b, "method %s %s\n", m.Kind, m.Result)
		for i, v := range m.Inputs {
			if v >= 0 {
				fmt.Fprintf(&b, "  %s = input %s\n", m.name(v), inputNames[i])
			}
		}
		f.dump(&b, m, m.Body, "  ")
	}
	return b.String()
}

var inputNames = [NumInputs]string{"source", "target", "index", "level", "weight", "id", "vertex", "total", "key"}

func (m *Method) name(v int) string {
	if x := m.Values[v]; x.Name != "" {
		return fmt.Sprintf("%s.%d", x.Name, v)
	}
	return fmt.Sprintf("v%d", v)
}

func (f *Functor) dump(b *strings.Builder, m *Method, list []Instr, indent string) {
	for i := range list {
		in := &list[i]
		b.WriteString(indent)
		if in.Dst >= 0 {
			fmt.Fprintf(b, "%s %s = ", m.name(in.Dst), m.Values[in.Dst].Type)
		}
		b.WriteString(in.Op.String())
		if in.Type != Void {
			fmt.Fprintf(b, " %s", in.Type)
		}
		if in.Func != NoFunc {
			fmt.Fprintf(b, " %s", in.Func)
		}
		switch in.Op {
		case Load, Store, Scalar, FieldLen, Atomic, Check, Accumulate:
			fmt.Fprintf(b, " %s", f.FieldOf(in.Field).Name)
		case LoadLocal, ZeroLocal, StoreLocal, CheckLocal:
			fmt.Fprintf(b, " %s.%d", m.Arrays[in.Field].Name, in.Field)
		case Block, Loop, Leave, Continue:
			fmt.Fprintf(b, " L%d", in.Label)
		}
		for j, a := range in.Args {
			if j > 0 {
				b.WriteByte(',')
			}
			if a.Value >= 0 {
				fmt.Fprintf(b, " %s", m.name(a.Value))
			} else {
				fmt.Fprintf(b, " %s", constant(in.ArgType(m, j), a.Bits))
			}
		}
		if in.Site != 0 {
			fmt.Fprintf(b, " site %d", in.Site)
		}
		b.WriteByte('\n')
		f.dump(b, m, in.Then, indent+"  ")
		if len(in.Else) > 0 {
			fmt.Fprintf(b, "%selse\n", indent)
			f.dump(b, m, in.Else, indent+"  ")
		}
	}
}

// ArgType returns the type of an operand.
func (in *Instr) ArgType(m *Method, i int) Type {
	switch {
	case in.Op == If:
		return Bool
	case in.Op == Return:
		return m.Result
	case (in.Op == Load || in.Op == Store || in.Op == Atomic || in.Op == LoadLocal || in.Op == StoreLocal) && i == 0:
		return Uint64
	case (in.Op == Shl || in.Op == Shr) && i == 1:
		return Uint64
	case in.Op == Call && in.Func == RotateLeft && i == 1:
		return Int64
	}
	return in.Type
}

func constant(t Type, bits uint64) string {
	switch t {
	case Bool:
		return fmt.Sprint(bits != 0)
	case Int32:
		return fmt.Sprint(int32(bits))
	case Int64:
		return fmt.Sprint(int64(bits))
	case Float32:
		return fmt.Sprint(math.Float32frombits(uint32(bits)))
	case Float64:
		return fmt.Sprint(math.Float64frombits(bits))
	}
	return fmt.Sprint(bits)
}

package source

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// invalid checks a functor's IR against what package ir promises about values, types,
// labels and ends.
func invalid(f *ir.Functor) error {
	for _, m := range f.Methods {
		v := validator{f: f, m: m, temps: map[int]bool{}, known: map[int]bool{}, used: map[int]bool{}}
		for _, x := range m.Inputs {
			if x >= 0 {
				v.known[x], v.temps[x] = true, true
			}
		}
		if err := v.list(m.Body, nil); err != nil {
			return fmt.Errorf("%s: %w", m.Kind, err)
		}
		if m.Result != ir.Void && !ends(m.Body) {
			return fmt.Errorf("%s: a path without a return", m.Kind)
		}
	}
	return nil
}

type validator struct {
	f     *ir.Functor
	m     *ir.Method
	temps map[int]bool // assigned so far, anywhere
	known map[int]bool // Temps that are assigned in this list or one around it
	used  map[int]bool // labels
}

func (v *validator) list(list []ir.Instr, labels []int) error {
	var here []int
	defer func() {
		for _, x := range here {
			delete(v.known, x)
		}
	}()
	for i := range list {
		in := &list[i]
		for j, a := range in.Args {
			if a.Value < 0 {
				continue
			}
			x := v.m.Values[a.Value]
			if x.Temp && !v.known[a.Value] {
				return fmt.Errorf("line %d: %s uses value %d before it is there", in.Line, in.Op, a.Value)
			}
			if want := in.ArgType(v.m, j); x.Type != want {
				return fmt.Errorf("line %d: operand %d of %s is %s, want %s", in.Line, j, in.Op, x.Type, want)
			}
		}
		switch in.Op {
		case ir.If, ir.Block, ir.Loop:
			inner := labels
			if in.Op != ir.If {
				if v.used[in.Label] || in.Label >= v.m.Labels {
					return fmt.Errorf("line %d: the label %d twice", in.Line, in.Label)
				}
				v.used[in.Label] = true
				inner = append(labels[:len(labels):len(labels)], in.Label)
			}
			if err := v.list(in.Then, inner); err != nil {
				return err
			}
			if err := v.list(in.Else, inner); err != nil {
				return err
			}
		case ir.Leave, ir.Continue:
			found := false
			for _, l := range labels {
				found = found || l == in.Label
			}
			if !found || i != len(list)-1 {
				return fmt.Errorf("line %d: %s of %d, which isn't around it, or something behind it", in.Line, in.Op, in.Label)
			}
		case ir.Return:
			if i != len(list)-1 || len(in.Args) != 1 && v.m.Result != ir.Void {
				return fmt.Errorf("line %d: something behind a return, or a return without a value", in.Line)
			}
		}
		if in.Dst < 0 {
			continue
		}
		if x := v.m.Values[in.Dst]; x.Temp {
			if v.temps[in.Dst] {
				return fmt.Errorf("line %d: value %d is assigned twice", in.Line, in.Dst)
			}
			v.temps[in.Dst], v.known[in.Dst] = true, true
			here = append(here, in.Dst)
		}
		if want := in.Type; want != v.m.Values[in.Dst].Type {
			switch in.Op {
			case ir.Convert, ir.Bits, ir.Equal, ir.NotEqual, ir.Less, ir.LessEqual, ir.Call, ir.Atomic:
			default:
				return fmt.Errorf("line %d: %s of %s is assigned to %s", in.Line, in.Op, want, v.m.Values[in.Dst].Type)
			}
		}
	}
	return nil
}

// This file holds what stands for each line of a kernel with holes.

package link

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/ptx"
)

// hole is what stands for a line: the texts of functors, by number.
type hole struct {
	texts    []string
	bases    []int
	selector string // the register with the functor's number; "" if there is one at most
	param    string
}

// The registers that say which functor of a kind is meant. No kernel has two with a Hit.
var selectors = map[string]string{"EDGE": "foray_edge", "VERTEX": "foray_vertex", "GATHER": "foray_gather"}

// holes returns what stands for each line, by its name.
func (s *Set) holes(param string) (map[string]*hole, error) {
	all := map[string]*hole{}
	add := func(name, kind, text string, base int) {
		h := all[name]
		if h == nil {
			h = &hole{selector: selectors[kind], param: param}
			all[name] = h
		}
		h.texts, h.bases = append(h.texts, text), append(h.bases, 8*base)
	}
	widths := map[int]bool{} // of values that are reduced
	for _, p := range s.parts {
		if p.code.Gather != "" {
			widths[bits(p.code.GatherResult)] = true
		}
	}
	for _, p := range s.parts {
		c := p.code
		if c.Edge != "" {
			add("EDGE", "EDGE", c.Edge, p.base)
		}
		if c.Hit != "" {
			add("HIT", "HIT", c.Hit, p.base)
		}
		if c.Vertex != "" {
			add("VERTEX", "VERTEX", c.Vertex, p.base)
			if err := values(add, "V", "VERTEX", ir.Fold(p.how), c.VertexResult, p.base); err != nil {
				return nil, err
			}
		}
		if c.Gather != "" {
			w := bits(c.GatherResult)
			add(fmt.Sprint("GATHER", w), "GATHER", c.Gather, p.base)
			add("PURE", "GATHER", pure(c), p.base)
			if c.Key != "" {
				keyed(add, c, w, p.base)
			} else {
				add(fmt.Sprint("APPLY", w), "GATHER", c.Apply, p.base)
			}
			t := typeOf(c.GatherResult)
			add(fmt.Sprint("FOLD", w), "GATHER", ptx.Fold(ir.Fold(c.Reduce), t), p.base)
			add(fmt.Sprint("ZERO", w), "GATHER", ptx.Identity(ir.Fold(c.Reduce), t), p.base)
			wide, narrow := "{ mov.b32 $0, $1; }", "{ mov.b32 $0, $1; }"
			if w == 64 { // used only on values that Narrow reports
				wide, narrow = "{ cvt.f64.f32 $0, $1; }", "{ cvt.rn.f32.f64 $0, $1; }"
			}
			add(fmt.Sprint("WIDEN", w), "GATHER", wide, p.base)
			add(fmt.Sprint("NARROW", w), "GATHER", narrow, p.base)
			if other := 32 + 64 - w; widths[other] { // both are numbered together
				none := fmt.Sprintf("{ mov.b%d $0, 0; }", other)
				add(fmt.Sprint("GATHER", other), "GATHER", none, p.base)
				add(fmt.Sprint("APPLY", other), "GATHER", "{ mov.b64 $0, 0; }", p.base)
				add(fmt.Sprint("FOLD", other), "GATHER", none, p.base)
				add(fmt.Sprint("ZERO", other), "GATHER", none, p.base)
			}
			if err := values(add, "G", "GATHER", ir.Fold(p.how), c.ApplyResult, p.base); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// keyed adds the holes of a keyed reduce, which is the only functor of its kernel. Apply takes a score, of 64 bits, if
// there is a Score.
func keyed(add func(name, kind, text string, base int), c *Code, w, base int) {
	add("KEY", "GATHER", c.Key, base)
	scored := "{ mov.b32 $0, 0; }"
	if c.Score != "" {
		scored = "{ mov.b32 $0, 1; }"
		add(fmt.Sprint("SCORE", w), "GATHER", c.Score, base)
		w = 64
	}
	add("SCORED", "GATHER", scored, base)
	add(fmt.Sprint("APPLYKEY", w), "GATHER", c.Apply, base)
}

// values adds the holes that reduce what vertices bring to a scalar.
func values(add func(name, kind, text string, base int), prefix, kind string, how ir.Fold, result string, base int) error {
	fold, zero := "{ mov.b64 $0, 0; }", "{ mov.b64 $0, 0; }"
	switch t := typeOf(result); t {
	case ir.Int64, ir.Uint64, ir.Float64:
		fold, zero = ptx.Fold(how, t), ptx.Identity(how, t)
	}
	add(prefix+"FOLD", kind, fold, base)
	add(prefix+"ZERO", kind, zero, base)
	return nil
}

// pure returns 1 for a Gather that writes nothing and can't fault, else 0.
func pure(c *Code) string {
	if !c.Pure {
		return "{ mov.b32 $0, 0; }"
	}
	return "{ mov.b32 $0, 1; }"
}

func typeOf(name string) ir.Type {
	for t := ir.Bool; t <= ir.Float64; t++ {
		if t.String() == name {
			return t
		}
	}
	return ir.Void
}

func bits(name string) int { return max(typeOf(name).Bits(), 32) }

// This file compares how the calls of a case ended.

package functorfuzz

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// MaxSteps is how many instructions a call may take: random functors need far fewer.
const MaxSteps = 20000

// Ended is how the calls of a case ended, and the contents of the functor's slices then. The last
// call is one that faulted, or the last of the case.
type Ended struct {
	Calls []Outcome
	Data  *Data
}

// Again returns the case with other data and calls.
func (c *Case) Again(seed uint64) *Case { return NewRand(seed).data(c.Functor) }

// Of returns the case with another functor, whose fields and kinds of methods are the same.
func (c *Case) Of(f *ir.Functor) *Case {
	d := *c
	d.Functor, d.Calls = f, append([]Call(nil), c.Calls...)
	for i := range d.Calls {
		d.Calls[i].Method = f.Method(c.Calls[i].Method.Kind)
	}
	return &d
}

// Expect interprets the IR of a case's calls.
func (c *Case) Expect() (*Ended, error) {
	e := &Ended{Data: c.Data.Clone()}
	for i := range c.Calls {
		out, err := Run(c.Functor, c.Calls[i].Method, e.Data, &c.Calls[i].Inputs, MaxSteps)
		if err != nil {
			return nil, err
		}
		e.Calls = append(e.Calls, out)
		if out.Site != 0 {
			break
		}
	}
	return e, nil
}

// Differ describes how the memory that a case left differs from the expected memory, or returns "".
func (c *Case) Differ(want, got *Ended) string {
	for i, w := range want.Calls {
		if i == len(got.Calls) {
			return fmt.Sprintf("call %d wasn't made", i)
		}
		g := got.Calls[i]
		if w.Site != g.Site || w.Index != g.Index {
			return fmt.Sprintf("call %d: fault at site %d, index %d; want site %d, index %d", i, g.Site, g.Index, w.Site, w.Index)
		}
		t := c.Calls[i].Method.Result
		if !t.Float() {
			t = ir.Uint64 // what is narrower is extended by zeros
		}
		if !Same(t, w.Result, g.Result) {
			return fmt.Sprintf("call %d: result %#x, want %#x", i, g.Result, w.Result)
		}
	}
	if len(got.Calls) > len(want.Calls) {
		return fmt.Sprintf("%d calls were made, want %d", len(got.Calls), len(want.Calls))
	}
	for i := range want.Data.Slices {
		for j, x := range want.Data.Slices[i] {
			if y := got.Data.Slices[i][j]; !Same(c.Functor.FieldOf(i).Type, x, y) {
				return fmt.Sprintf("%s[%d] is %#x, want %#x", c.Functor.FieldOf(i).Name, j, y, x)
			}
		}
	}
	return ""
}

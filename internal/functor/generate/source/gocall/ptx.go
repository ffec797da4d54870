// This file runs the PTX of functors.

package gocall

import (
	"fmt"
	"sync"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
)

// programs are the PTX of functors, parsed once each.
var programs sync.Map

func programsOf(f *ir.Functor) (*functorfuzz.Programs, error) {
	if p, ok := programs.Load(f); ok {
		return p.(*functorfuzz.Programs), nil
	}
	p, err := functorfuzz.Parse(f)
	if err == nil {
		programs.Store(f, p)
	}
	return p, err
}

// faultWord returns the fault word that a call leaves.
func faultWord(out functorfuzz.Outcome) uint64 {
	if out.Site == 0 {
		return 0
	}
	return ir.PackFault(out.Site, out.Index)
}

// comparePTX runs the PTX of a method on data as they were before a call, and compares what
// it leaves with what the IR has left.
func comparePTX(f *ir.Functor, m *ir.Method, before, after *functorfuzz.Data, in *functorfuzz.Inputs, out functorfuzz.Outcome) error {
	p, err := programsOf(f)
	if err != nil {
		return err
	}
	got, err := p.Call(m, before, in)
	if err != nil {
		return fmt.Errorf("PTX: %w\n%s", err, p)
	}
	call := functorfuzz.Case{Functor: f, Calls: []functorfuzz.Call{{Method: m, Inputs: *in}}}
	if d := call.Differ(&functorfuzz.Ended{Calls: []functorfuzz.Outcome{out}, Data: after}, &functorfuzz.Ended{Calls: []functorfuzz.Outcome{got}, Data: before}); d != "" {
		return fmt.Errorf("PTX: %s\n%s", d, p)
	}
	return nil
}

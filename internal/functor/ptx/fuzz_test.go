package ptx_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ptx"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

var (
	cases = flag.Int("functors", 2000, "how many random functors")
	first = flag.Uint64("seed", 1, "seed of the first one")
)

// onAMD64 skips a test that compares with what Go does on amd64.
func onAMD64(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("needs amd64: floating-point conversions and exp differ on", runtime.GOARCH)
	}
}

// compare runs a case by its IR and by its PTX. It returns how many calls were compared, and how
// many of those faulted.
func compare(c *functorfuzz.Case, p *functorfuzz.Programs) (calls, faults int, err error) {
	want, got := c.Data.Clone(), c.Data.Clone()
	for _, call := range c.Calls {
		out, err := functorfuzz.Run(c.Functor, call.Method, want, &call.Inputs, functorfuzz.MaxSteps)
		if err != nil {
			return calls, faults, err
		}
		by, err := p.Call(call.Method, got, &call.Inputs)
		if err != nil {
			return calls, faults, err
		}
		calls++
		one := functorfuzz.Case{Functor: c.Functor, Calls: []functorfuzz.Call{call}}
		if d := one.Differ(&functorfuzz.Ended{Calls: []functorfuzz.Outcome{out}, Data: want}, &functorfuzz.Ended{Calls: []functorfuzz.Outcome{by}, Data: got}); d != "" {
			return calls, faults, fmt.Errorf("%s: %s", call.Method.Kind, d)
		}
		if out.Site != 0 {
			return calls, faults + 1, nil
		}
		got = want.Clone() // NaN have other bits
	}
	return calls, faults, nil
}

// TestRandomFunctors compares the PTX of random functors with their IR. A million take ten
// minutes: go test -run RandomFunctors -functors 1000000.
func TestRandomFunctors(t *testing.T) {
	testlong.Project(t)
	onAMD64(t)
	calls, faults := 0, 0
	for i := range uint64(*cases) {
		c := functorfuzz.Generate(*first + i)
		p, err := functorfuzz.Parse(c.Functor)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", *first+i, err, c.Functor)
		}
		n, f, err := compare(c, p)
		calls += n
		faults += f
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", *first+i, err, p)
		}
	}
	t.Logf("%d calls, %d of them faulted", calls, faults)
	if calls == 0 || faults == 0 || faults > calls/2 {
		t.Errorf("%d of %d calls faulted: the functors don't test much", faults, calls)
	}
}

func TestRandomFunctorsAssemble(t *testing.T) {
	testlong.Project(t)
	var b strings.Builder
	n := 0
	for i := range uint64(60) {
		f := functorfuzz.Generate(*first + i).Functor
		for _, m := range f.Methods {
			text, err := ptx.Method(f, m)
			if err != nil {
				t.Fatal(err)
			}
			n++
			b.WriteString(kernel(fmt.Sprintf("k%d", n), text, f, m))
		}
	}
	assemble(t, b.String())
}

package main

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestFew runs a few functors: seeds that every build runs, so that what breaks one of the ways
// is found where it was broken.
func TestFew(t *testing.T) {
	testlong.Only(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("needs amd64: floating-point conversions and exp differ on", runtime.GOARCH)
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command, to compile random functors")
	}
	few := testlong.Of[uint64](50, 150)
	*functors, *batch, *workers = few, few, 1
	done, err := run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Log(done)
	if n := done.functors.Load(); n < few*9/10 {
		t.Errorf("%d of %d functors were run: the others were refused", n, few)
	}
	if calls, faults := done.calls.Load(), done.faults.Load(); faults == 0 || faults > calls/2 {
		t.Errorf("%d of %d cases faulted: they say little", faults, calls)
	}
}

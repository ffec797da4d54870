// This file tests what a kernel's own error does to a context. That can't be
// undone within a process, so it happens in another one.

package driver

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestIllegalAddress(t *testing.T) {
	if _, err := Probe(); errors.Is(err, ErrNotSupported) {
		t.Skip("needs a GPU, or the emulated one (scripts/gpu-test emulate):", err)
	} else if err != nil {
		t.Fatal(err)
	}
	const inside = "FORAY_TEST_ILLEGAL_ADDRESS"
	if os.Getenv(inside) == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, "-test.run=^TestIllegalAddress$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
		return
	}

	ctx, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, sys: std, ctx: ctx}
	defer b.end() // all of it can be freed
	s, f := b.stream(), b.function("fill")
	m := b.words(1, 2, 3)
	e := must(ctx.NewEvent(0))(b)
	b.made = append(b.made, e.Close)
	if ctx.Device().Pools {
		p := must(s.Alloc(100))(b)
		b.made = append(b.made, func() error { return p.FreeAsync(s) })
	}
	b.ok(s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 32}}, NewArgs().Ptr(16).U32(1).U64(32)))
	err = s.Sync()
	b.is(err, ErrBroken, "700", "CUDA_ERROR_ILLEGAL_ADDRESS")
	var first *Error
	if !errors.As(err, &first) {
		t.Fatal("the first error isn't the driver's")
	}
	for _, err := range []error{s.Sync(), ctx.Sync(), s.Memset8(m.Ptr(), 0, 1), ctx.Upload(m.Ptr(), []byte{1}), ctx.Broken()} {
		var later *BrokenError
		if !errors.As(err, &later) || later.Cause != first || !strings.Contains(err.Error(), "cuStreamSynchronize") {
			t.Errorf("later: %v", err)
		}
	}
	t.Log(ctx.Broken())
}

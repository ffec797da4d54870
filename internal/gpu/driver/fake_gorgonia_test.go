//go:build linux && (amd64 || arm64) && gorgonia && cgo && !nocuda

// This file finds the fake where the program is linked against the driver: it
// is there if LD_LIBRARY_PATH put it in the driver's place.

package driver

import (
	"testing"

	"github.com/ebitengine/purego"
)

func loaded() *control {
	lib, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil
	}
	return controlOf(lib)
}

func stdIsFake() bool { return loaded() != nil }

// fakeSystem returns a new system on the fake driver, whose state is reset.
func fakeSystem(t testing.TB) (*system, *control) {
	c := loaded()
	if c == nil {
		t.Skip("needs the fake driver as libcuda.so.1, as .ci/run sets up: this one is real")
	}
	c.reset()
	return &system{open: openDriver}, c
}

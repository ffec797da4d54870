//go:build nocuda || !linux || !(amd64 || arm64) || (gorgonia && !cgo)

// This file tests builds without a driver, and stands in for the fake there.

package driver

import (
	"errors"
	"strings"
	"testing"
)

type control struct{}

func (*control) set(string, int) {}
func (*control) get(string) int  { return 0 }

func stdIsFake() bool { return false }

func fakeSystem(t testing.TB) (*system, *control) {
	t.Skip("needs a build with a driver: Linux on amd64 or arm64, without the tag nocuda")
	return nil, nil
}

func benchContext(b *testing.B) *Context {
	b.Skip("needs a build with a driver: Linux on amd64 or arm64, without the tag nocuda")
	return nil
}

func TestNone(t *testing.T) {
	found, err := Probe()
	if found != (Found{}) || !errors.Is(err, ErrNotSupported) || builtWithNoCUDA && !strings.Contains(err.Error(), "built with nocuda") {
		t.Errorf("%+v, %v", found, err)
	}
	if ctx, again := Open(0); ctx != nil || again != err {
		t.Errorf("opened %v, %v", ctx, again)
	}
	if d, again := DeviceInfo(0); d != (Device{}) || again != err {
		t.Errorf("%+v, %v", d, again)
	}
}

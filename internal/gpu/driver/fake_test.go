//go:build linux && (amd64 || arm64) && !nocuda && (!gorgonia || cgo)

// This file controls the fake driver.

package driver

import (
	"testing"

	"github.com/ebitengine/purego"
)

// control is a loaded fake.
type control struct {
	fail    func(name *byte, code, after int32)
	breaks  func(dev, code int32)
	setLong func(key string, v int)
	getLong func(key string) int
}

func (c *control) set(key string, v int) { c.setLong(key, v) }
func (c *control) get(key string) int    { return c.getLong(key) }

// failing makes a function of the driver fail at its after-th call and later.
func (c *control) failing(name string, code Code, after int) {
	b := append([]byte(name), 0)
	c.fail(&b[0], int32(code), int32(after))
}

func (c *control) reset() {
	c.fail(nil, 0, 0)
	for dev := range int32(3) {
		c.breaks(dev, 0)
	}
	c.set("version", 12040)
	c.set("devices", 3)
	c.set("busy", 0)
}

// controlOf returns the control of a library that is loaded already, or nil if
// it isn't the fake.
func controlOf(lib uintptr) *control {
	if _, err := purego.Dlsym(lib, "fake_get"); err != nil {
		return nil
	}
	c := new(control)
	purego.RegisterLibFunc(&c.fail, lib, "fake_fail")
	purego.RegisterLibFunc(&c.breaks, lib, "fake_break")
	purego.RegisterLibFunc(&c.setLong, lib, "fake_set")
	purego.RegisterLibFunc(&c.getLong, lib, "fake_get")
	return c
}

func benchContext(b *testing.B) *Context {
	open := Open
	if _, err := Probe(); err != nil {
		sys, _ := fakeSystem(b)
		open = sys.openContext
	}
	ctx, err := open(0)
	if err != nil {
		b.Fatal(err)
	}
	return ctx
}

//go:build linux && (amd64 || arm64) && !nocuda && (!gorgonia || cgo)

// This file builds the fake driver with the C compiler, where there is one, and
// controls it.

package cuda

import (
	"embed"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ebitengine/purego"
)

//go:embed testdata/fake
var fakeSource embed.FS

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

var builds struct {
	sync.Mutex
	dir  string
	made map[string]string
}

// TestMain removes what buildFake built.
func TestMain(m *testing.M) {
	code := m.Run()
	if builds.dir != "" {
		os.RemoveAll(builds.dir)
	}
	os.Exit(code)
}

// buildFake builds the fake, with a macro that leaves something out, and
// returns its path.
func buildFake(t testing.TB, lacks string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if path := builds.made[lacks]; path != "" {
		return path
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to build the fake driver with")
	}
	if builds.dir == "" {
		dir, err := os.MkdirTemp("", "fake-libcuda-")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, fakeSource); err != nil {
			t.Fatal(err)
		}
		builds.dir, builds.made = dir, map[string]string{}
	}
	sources, err := filepath.Glob(filepath.Join(builds.dir, "testdata/fake/*.c"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("the fake's source: %v", err)
	}
	path := filepath.Join(builds.dir, "libfake"+lacks+".so")
	args := append([]string{"-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread", "-D" + "FAKE" + lacks, "-o", path}, sources...)
	if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("building the fake driver: %v\n%s", err, out)
	}
	builds.made[lacks] = path
	return path
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

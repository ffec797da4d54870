//go:build linux && (amd64 || arm64) && !nocuda

// This file holds what NCCL reads from the environment. NCCL reads it by C's getenv, and Go has a
// separate environment. Whether os.Setenv changes C's depends on how the program was
// linked, and can't be queried. So this file calls C's own functions, and checks the result.

package nccl

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// environment has C's functions for it.
var environment = sync.OnceValues(func() (*cEnvironment, error) {
	e := &cEnvironment{}
	for name, f := range map[string]*uintptr{"getenv": &e.get, "setenv": &e.set, "unsetenv": &e.unset} {
		var err error
		if *f, err = purego.Dlsym(purego.RTLD_DEFAULT, name); err != nil {
			return nil, fmt.Errorf("nccl: C's %s isn't found, without which NCCL can't be told what it must know: %w", name, err)
		}
	}
	return e, nil
})

type cEnvironment struct {
	mu              sync.Mutex
	get, set, unset uintptr
}

// callC calls a function. Objects that pointers among the arguments point to don't move meanwhile.
//
//go:uintptrescapes
func callC(f uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(f, args...)
	return r
}

// lookup returns what C's getenv finds.
func (e *cEnvironment) lookup(name string) (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := cString(name)
	p := callC(e.get, uintptr(unsafe.Pointer(&n[0])))
	return goString(p), p != 0
}

// put sets a variable, and looks whether it is set.
func (e *cEnvironment) put(name, value string) error {
	// Not in vain: other threads of C's may be reading, which setenv doesn't wait for.
	if got, ok := e.lookup(name); ok && got == value {
		return nil
	}
	e.mu.Lock()
	n, v := cString(name), cString(value)
	r := callC(e.set, uintptr(unsafe.Pointer(&n[0])), uintptr(unsafe.Pointer(&v[0])), 1)
	e.mu.Unlock()
	if got, ok := e.lookup(name); int32(r) != 0 || !ok || got != value {
		return fmt.Errorf("nccl: %s=%s can't be set for C libraries, which see %q", name, value, got)
	}
	return nil
}

func (e *cEnvironment) remove(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := cString(name)
	callC(e.unset, uintptr(unsafe.Pointer(&n[0])))
}

// noMulticast turns NVLink's multicast off, which NCCL would otherwise use for reductions: a program
// that uses it can make GPUs unusable for other programs. NCCL reads the variable once,
// so a library that is already in use must have found it set.
func noMulticast(path string) error {
	const name, off, noLoad = "NCCL_NVLS_ENABLE", "0", 4 // RTLD_NOLOAD
	e, err := environment()
	if err != nil {
		return err
	}
	if got, _ := e.lookup(name); got != off {
		if _, err := purego.Dlopen(path, purego.RTLD_LAZY|noLoad); err == nil {
			return fmt.Errorf("nccl: %s is in use by this process already, and may use NVLink multicast, which must stay off: start the program with %s=%s", path, name, off)
		}
	}
	return e.put(name, off)
}

//go:build linux && (amd64 || arm64) && !nocuda

package cuda

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// library is the name that the driver's library has on Linux.
const library = "libcuda.so.1"

// functions are the addresses of the driver's functions.
var functions [symbols]uintptr

// load opens the library at path and looks all functions up. Its error says
// why there is none.
func load(path string) error {
	h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return fmt.Errorf("%w: no NVIDIA driver: %v", ErrNotSupported, err)
	}
	var found [symbols]uintptr
	for s, name := range names {
		if found[s], err = purego.Dlsym(h, name); err != nil {
			return fmt.Errorf("%w: the NVIDIA driver is too old: it has no %s", ErrNotSupported, name)
		}
	}
	functions = found
	return nil
}

// invoke calls a function with the first n arguments of a frame. The frame lies
// on the heap, so the addresses in it hold while the driver uses them.
func invoke(s symbol, f *frame, n int) int {
	r, _, _ := purego.SyscallN(functions[s], f.args[:n]...)
	return int(int32(r))
}

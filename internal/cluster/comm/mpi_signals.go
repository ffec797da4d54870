//go:build linux && (amd64 || arm64) && !nocuda

// This file keeps Go's signal handlers.

package comm

import (
	"fmt"
	"syscall"

	"github.com/ebitengine/purego"
)

// sigactionBytes is more than a struct sigaction has in any C library.
const sigactionBytes = 512

// goSignals are those on whose handlers Go relies: for panics, preemption and
// profiles. What MPI loads may take them: UCX, which comes with MPICH, takes SIGSEGV, so
// that a nil pointer would end the process instead of being a panic.
var goSignals = []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGABRT, syscall.SIGTRAP, syscall.SIGURG, syscall.SIGPROF}

// keepSignals notes the handlers and returns what puts them back.
func keepSignals() (restore func() error, err error) {
	sigaction, err := purego.Dlsym(purego.RTLD_DEFAULT, "sigaction")
	if err != nil {
		return nil, err
	}
	handlers := make([][sigactionBytes / 8]uint64, len(goSignals))
	for i, s := range goSignals {
		if r, _, errno := purego.SyscallN(sigaction, uintptr(s), 0, pointer(&handlers[i])); int32(r) != 0 {
			return nil, fmt.Errorf("sigaction of %v: %w", s, syscall.Errno(errno))
		}
	}
	return func() error {
		for i, s := range goSignals {
			if r, _, errno := purego.SyscallN(sigaction, uintptr(s), pointer(&handlers[i]), 0); int32(r) != 0 {
				return fmt.Errorf("sigaction of %v: %w", s, syscall.Errno(errno))
			}
		}
		return nil
	}, nil
}

// This file holds how much memory a Mac has to give.

package graph

import (
	"math"

	"golang.org/x/sys/unix"
)

// machineMemory returns the bytes that the program can take, and the name of
// the limit: all of the machine's memory, since macOS doesn't report how much
// it could free.
func machineMemory() (bytes uint64, name string) {
	if n, err := unix.SysctlUint64("hw.memsize"); err == nil && n > 0 {
		return n, "what the machine has"
	}
	return math.MaxUint64, "no limit known"
}

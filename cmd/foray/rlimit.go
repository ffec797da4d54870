// This file refuses to begin where ulimit leaves too little memory for anything.

package main

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/osmem/rlimit"
	"github.com/foray-graph/foray/internal/text"
)

// leastLeft is what the limits of the process have to leave: buffers of reading and writing, which
// take some 130 MB of address space, and some heap. Past it Go's runtime would end the program.
const leastLeft = 256 << 20

// checkLimits refuses where ulimit leaves less than that.
func checkLimits() error {
	left, name, ok := rlimit.Left()
	if !ok || left >= leastLeft {
		return nil
	}
	return fmt.Errorf("%w: %s is %s, and at least %s is needed to begin: allow more, or set no such limit",
		device.ErrMemory, name, text.Bytes(left), text.Bytes(leastLeft))
}

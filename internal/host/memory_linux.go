package host

import (
	"bytes"
	"os"
	"strconv"

	"github.com/foray-graph/foray/internal/osmem/rlimit"
)

func memoryTotal() uint64 { return meminfo("MemTotal:") }

// memoryFree returns what the machine has free, or what the limits of the process leave.
func memoryFree() uint64 {
	free := meminfo("MemAvailable:")
	if left, _, ok := rlimit.Left(); ok {
		free = min(free, left)
	}
	return free
}

// meminfo returns a line of /proc/meminfo in bytes, 0 where it isn't there.
func meminfo(key string) uint64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	_, rest, ok := bytes.Cut(data, []byte(key))
	if !ok {
		return 0
	}
	f := bytes.Fields(rest)
	if len(f) == 0 {
		return 0
	}
	kib, err := strconv.ParseUint(string(f[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// Package rlimit reports the memory that the limits of the process leave: those that ulimit -v
// (RLIMIT_AS) and ulimit -d (RLIMIT_DATA) set. Go's runtime ends the program when they are
// reached.
package rlimit

import (
	"bytes"
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync"
	"syscall"
)

// Pools is the environment variable that bounds the pools of the C library.
const Pools = "MALLOC_ARENA_MAX"

// hasC is whether the process has the C library, which it needs for GPUs.
var hasC = sync.OnceValue(func() bool {
	maps, err := os.ReadFile("/proc/self/maps")
	return err == nil && bytes.Contains(maps, []byte("/libc"))
})

// reserve returns the memory that is reserved for the runtime and for threads that start later.
func reserve() uint64 {
	n := uint64(arena)
	if threads, ok := number("Threads:"); ok && hasC() {
		each := uint64(stack)
		if os.Getenv(Pools) == "" {
			each += pool
		}
		n += each * uint64(max(runtime.GOMAXPROCS(0)+threadsMore-int(threads), 0))
	}
	return n
}

// Left returns how many bytes the process may still allocate within its limits, at least 1, and which
// limit leaves the least. ok is false if there is no limit. Memory that the heap has from the system
// but doesn't use counts as left.
func Left() (left uint64, name string, ok bool) {
	left = math.MaxUint64
	for _, l := range []struct {
		resource  int
		key, name string
	}{
		{syscall.RLIMIT_AS, "VmSize:", "what ulimit -v (RLIMIT_AS) leaves"},
		{syscall.RLIMIT_DATA, "VmData:", "what ulimit -d (RLIMIT_DATA) leaves"},
	} {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(l.resource, &limit); err != nil || limit.Cur >= math.MaxInt64 {
			continue
		}
		used, found := status(l.key)
		if !found {
			continue
		}
		if n := of(limit.Cur, used+reserve(), idle()); n < left {
			left, name, ok = n, l.name, true
		}
	}
	return left, name, ok
}

// Set reports whether there is a limit of the address space.
func Set() bool {
	var limit syscall.Rlimit
	return syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil && limit.Cur < math.MaxInt64
}

// of returns how much a limit leaves.
func of(limit, used, idle uint64) uint64 {
	if used -= min(used, idle/2); used >= limit { // much of it is in pieces
		return 1
	}
	return limit - used
}

// idle returns how much memory the heap has from the system but doesn't use.
func idle() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() + s[1].Value.Uint64()
}

// status returns a line of /proc/self/status in bytes.
func status(key string) (uint64, bool) {
	kib, ok := number(key)
	return kib << 10, ok
}

// number returns the number in a line of /proc/self/status.
func number(key string) (uint64, bool) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	_, rest, ok := bytes.Cut(data, []byte(key))
	f := bytes.Fields(rest)
	if !ok || len(f) == 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(f[0]), 10, 64)
	return n, err == nil
}

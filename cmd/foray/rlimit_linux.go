// This file starts the program again where ulimit -v bounds its address space: the C library would map
// 64 MiB of that for each thread.

package main

import (
	"os"
	"syscall"

	"github.com/foray-graph/foray/internal/osmem/rlimit"
)

// frugally restarts the program with one such pool for all threads, unless the environment
// sets a number. If it can't, the program runs on unchanged.
func frugally() {
	if !rlimit.Set() || os.Getenv(rlimit.Pools) != "" {
		return
	}
	_ = syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), rlimit.Pools+"=1"))
}

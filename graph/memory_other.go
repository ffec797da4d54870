//go:build !linux && !darwin

// This file stands in where the machine isn't asked for its memory.

package graph

import "math"

// machineMemory knows no limit here: set Options.MemoryLimit or GOMEMLIMIT.
func machineMemory() (bytes uint64, name string) { return math.MaxUint64, "no limit known" }

//go:build !linux && !darwin

// This file is for systems whose free memory Foray doesn't read.

package graph

import "math"

// machineMemory knows no limit here: set Options.MemoryLimit or GOMEMLIMIT.
func machineMemory() (bytes uint64, name string) { return math.MaxUint64, "no limit known" }

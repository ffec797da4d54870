//go:build !linux

// This file estimates the memory of the process on systems that Foray doesn't query.

package main

import "runtime/metrics"

// residentMemory is processMemory, as Go's runtime reports it.
func residentMemory() (own, files uint64) {
	of := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(of)
	return of[0].Value.Uint64() - of[1].Value.Uint64(), 0
}

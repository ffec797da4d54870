// This file asks the system how much memory the process has.

package main

import (
	"bytes"
	"os"
	"strconv"
)

// residentMemory is processMemory.
func residentMemory() (own, files uint64) {
	data, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(data)
	if err != nil || len(fields) < 3 {
		return 0, 0
	}
	pages := func(i int) uint64 {
		n, _ := strconv.ParseUint(string(fields[i]), 10, 64)
		return n * uint64(os.Getpagesize())
	}
	resident, shared := pages(1), pages(2)
	return resident - min(shared, resident), shared
}

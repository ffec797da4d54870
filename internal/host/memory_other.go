//go:build !linux

package host

// memoryTotal returns 0, for unknown, on systems other than Linux.
func memoryTotal() uint64 { return 0 }
func memoryFree() uint64  { return 0 }

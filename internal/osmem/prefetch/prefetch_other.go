//go:build !amd64 && !arm64

package prefetch

import "unsafe"

func index16(*[4]uint32, *uint32, int)             {}
func index32(unsafe.Pointer, *uint32, int)         {}
func ends(uintptr, unsafe.Pointer, *uint32, int)   {}
func ends64(uintptr, unsafe.Pointer, *uint32, int) {}
func index8(*uint64, *uint32, int)                 {}
func write4(*uint32, *uint32, int)                 {}
func seconds(*uint32, *uint64, *uint32, int)       {}

//go:build amd64 || arm64

package prefetch

import "unsafe"

//go:noescape
func index16(base *[4]uint32, vs *uint32, n int)

//go:noescape
func index32(base unsafe.Pointer, vs *uint32, n int)

//go:noescape
func ends(base uintptr, rows unsafe.Pointer, targets *uint32, n int)

//go:noescape
func ends64(base uintptr, rows unsafe.Pointer, targets *uint32, n int)

//go:noescape
func index8(base *uint64, vs *uint32, n int)

//go:noescape
func write4(base *uint32, vs *uint32, n int)

//go:noescape
func seconds(base *uint32, offsets *uint64, vs *uint32, n int)

//go:build !nocuda && (!linux || !(amd64 || arm64) || (gorgonia && !cgo))

// This file says that the build has no CUDA, though nobody left it out.

package driver

const builtWithNoCUDA = false

//go:build !nocuda && (!linux || !(amd64 || arm64) || (gorgonia && !cgo))

// This file is for systems on which the build has no CUDA, even without the tag nocuda.

package driver

const builtWithNoCUDA = false

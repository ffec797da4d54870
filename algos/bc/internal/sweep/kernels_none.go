//go:build !linux || !(amd64 || arm64) || nocuda

// This file stands in for the kernels in builds that have no GPU.

package sweep

var image []byte

//go:build nocuda

// This file is for builds that leave CUDA out by the tag nocuda.

package driver

const builtWithNoCUDA = true

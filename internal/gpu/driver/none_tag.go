//go:build nocuda

// This file says that the build left CUDA out on purpose.

package driver

const builtWithNoCUDA = true

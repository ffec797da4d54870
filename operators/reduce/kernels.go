//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels of Mode, and those that make slabs.

package reduce

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -o mode.fatbin.zst mode.cu

//go:generate go run ../../internal/tools/fatbin -o slabs.fatbin.zst slabs.cu

//go:embed mode.fatbin.zst
var image []byte

//go:embed slabs.fatbin.zst
var slabImage []byte

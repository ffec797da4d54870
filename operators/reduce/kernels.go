// This file embeds the kernels of Mode.

package reduce

import _ "embed"

//go:generate go run ../../internal/fatbin -o mode.fatbin.zst mode.cu

//go:embed mode.fatbin.zst
var image []byte

// This file embeds the kernels.

package ascending

import _ "embed"

//go:generate go run ../../internal/fatbin -o ascending.fatbin.zst ascending.cu

//go:embed ascending.fatbin.zst
var image []byte

// This file embeds the kernels of conversion.

package frontier

import _ "embed"

//go:generate go run ../internal/fatbin -o convert.fatbin.zst convert.cu

//go:embed convert.fatbin.zst
var image []byte

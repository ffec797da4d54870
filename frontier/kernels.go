// This file embeds the kernels of conversion.

package frontier

import _ "embed"

//go:generate go run ../internal/fatbin -o convert.fatbin convert.cu

//go:embed convert.fatbin
var image []byte

// This file embeds the kernels.

package sets

import _ "embed"

//go:generate go run ../../internal/fatbin -o sets.fatbin sets.cu

//go:embed sets.fatbin
var image []byte

// This file embeds the kernels.

package filter

import _ "embed"

//go:generate go run ../../internal/fatbin -o filter.fatbin filter.cu

//go:embed filter.fatbin
var image []byte

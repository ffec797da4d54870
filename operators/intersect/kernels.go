// This file embeds the kernels.

package intersect

import _ "embed"

//go:generate go run ../../internal/fatbin -o intersect.fatbin intersect.cu

//go:embed intersect.fatbin
var image []byte

// This file embeds the kernels.

package order

import _ "embed"

//go:generate go run ../../internal/fatbin -o order.fatbin order.cu

//go:embed order.fatbin
var image []byte

// This file embeds the kernels.

package scan

import _ "embed"

//go:generate go run ../../internal/fatbin -o scan.fatbin scan.cu

//go:embed scan.fatbin
var image []byte

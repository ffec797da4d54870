// This file embeds the kernels.

package traverse

import _ "embed"

//go:generate go run ../internal/fatbin -o traverse.fatbin traverse.cu

//go:embed traverse.fatbin
var image []byte

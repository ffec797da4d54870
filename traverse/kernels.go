// This file embeds the kernels.

package traverse

import _ "embed"

//go:generate go run ../internal/tools/fatbin -o traverse.fatbin.zst traverse.cu

//go:embed traverse.fatbin.zst
var image []byte

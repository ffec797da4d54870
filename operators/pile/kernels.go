//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package pile

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -o pile.fatbin.zst pile.cu

//go:embed pile.fatbin.zst
var image []byte

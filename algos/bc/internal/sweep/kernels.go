//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package sweep

import _ "embed"

//go:generate go run ../../../../internal/tools/fatbin -o sweep.fatbin.zst sweep.cu

//go:embed sweep.fatbin.zst
var image []byte

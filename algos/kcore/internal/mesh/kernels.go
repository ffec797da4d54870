//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package mesh

import _ "embed"

//go:generate go run ../../../../internal/tools/fatbin -o peel.fatbin.zst peel.cu

//go:embed peel.fatbin.zst
var image []byte

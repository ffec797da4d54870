//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package sssp

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -newest -o across.fatbin.zst across.cu

//go:embed across.fatbin.zst
var image []byte

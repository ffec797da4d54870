//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package order

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -o order.fatbin.zst order.cu

//go:embed order.fatbin.zst
var image []byte

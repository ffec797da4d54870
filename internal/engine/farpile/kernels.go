//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package farpile

import _ "embed"

//go:generate go run ../../tools/fatbin -o pile.fatbin.zst ../../../operators/pile/pile.cu

//go:embed pile.fatbin.zst
var image []byte

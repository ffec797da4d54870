//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package filter

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -o filter.fatbin.zst filter.cu

//go:embed filter.fatbin.zst
var image []byte

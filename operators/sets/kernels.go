//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package sets

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -o sets.fatbin.zst sets.cu

//go:embed sets.fatbin.zst
var image []byte

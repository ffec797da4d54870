//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package rows

import _ "embed"

//go:generate go run ../../tools/fatbin -o rows.fatbin.zst rows.cu

//go:embed rows.fatbin.zst
var image []byte

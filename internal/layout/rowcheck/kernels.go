//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package rowcheck

import _ "embed"

//go:generate go run ../../tools/fatbin -o ascending.fatbin.zst ascending.cu

//go:embed ascending.fatbin.zst
var image []byte

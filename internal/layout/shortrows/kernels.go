//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package shortrows

import _ "embed"

//go:generate go run ../../tools/fatbin -o heads.fatbin.zst heads.cu

//go:embed heads.fatbin.zst
var image []byte

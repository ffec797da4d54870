//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package depthcheck

import _ "embed"

//go:generate go run ../../tools/fatbin -ptx -o judge.fatbin.zst judge.cu

//go:embed judge.fatbin.zst
var image []byte

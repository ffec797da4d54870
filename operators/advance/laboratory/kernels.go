//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package laboratory

import _ "embed"

//go:generate go run ../../../internal/tools/fatbin -ptx -o extra.fatbin.zst extra.cu

//go:embed extra.fatbin.zst
var image []byte

//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package byhand

import _ "embed"

//go:generate go run ../../../tools/fatbin -ptx -o byhand.fatbin.zst byhand.cu

//go:embed byhand.fatbin.zst
var image []byte

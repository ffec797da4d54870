//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package flex

import _ "embed"

//go:generate go run ../../tools/fatbin -ptx -o flex.fatbin.zst flex.cu

//go:embed flex.fatbin.zst
var image []byte

//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels. They are PTX alone, a third of the size, since they are only measured.

package flex

import _ "embed"

//go:generate go run ../../tools/fatbin -ptx -o flex.fatbin.zst flex.cu

//go:embed flex.fatbin.zst
var image []byte

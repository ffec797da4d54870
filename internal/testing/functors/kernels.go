//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package functors

import _ "embed"

//go:generate go run ../../tools/fatbin -ptx -o steps.fatbin.zst steps.cu

//go:embed steps.fatbin.zst
var image []byte

//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package byweight

import _ "embed"

//go:generate go run ../../tools/fatbin -o byweight.fatbin.zst byweight.cu

//go:embed byweight.fatbin.zst
var image []byte

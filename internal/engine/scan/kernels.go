//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package scan

import _ "embed"

//go:generate go run ../../tools/fatbin -o scan.fatbin.zst scan.cu

//go:embed scan.fatbin.zst
var image []byte

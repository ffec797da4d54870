//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels of conversion.

package front

import _ "embed"

//go:generate go run ../../tools/fatbin -o convert.fatbin.zst ../../../frontier/convert.cu

//go:embed convert.fatbin.zst
var image []byte

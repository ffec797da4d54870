//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package unite

import _ "embed"

//go:generate go run ../../../../internal/tools/fatbin -o unite.fatbin.zst unite.cu

//go:generate go run ../../../../internal/tools/fatbin -newest -o trees.fatbin.zst trees.cu

//go:embed unite.fatbin.zst
var image []byte

//go:embed trees.fatbin.zst
var treesImage []byte

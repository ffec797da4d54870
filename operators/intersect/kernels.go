//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package intersect

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -o intersect.fatbin.zst intersect.cu

//go:generate go run ../../internal/tools/fatbin -o triangles.fatbin.zst triangles.cu

//go:embed intersect.fatbin.zst
var image []byte

//go:embed triangles.fatbin.zst
var trianglesImage []byte

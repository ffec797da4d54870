// This file embeds the kernels.

package bfs

import _ "embed"

//go:generate go run ../../internal/fatbin -o bfs.fatbin bfs.cu

//go:generate go run ../../internal/fatbin -o fused.fatbin fused.cu

//go:generate go run ../../internal/fatbin -o deep.fatbin deep.cu

//go:embed bfs.fatbin
var image []byte

//go:embed fused.fatbin
var fusedImage []byte

//go:embed deep.fatbin
var deepImage []byte

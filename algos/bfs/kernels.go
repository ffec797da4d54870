//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels. An image is loaded when one of its kernels is
// first launched. Those of package laboratory are linked by an import.

package bfs

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -o bfs.fatbin.zst bfs.cu

//go:generate go run ../../internal/tools/fatbin -o fused.fatbin.zst fused.cu

//go:generate go run ../../internal/tools/fatbin -o deep.fatbin.zst deep.cu

//go:generate go run ../../internal/tools/fatbin -newest -o across.fatbin.zst ../dobfs/across.cu

//go:embed bfs.fatbin.zst
var image []byte

//go:embed fused.fatbin.zst
var fusedImage []byte

//go:embed across.fatbin.zst
var shardImage []byte

//go:embed deep.fatbin.zst
var deepImage []byte

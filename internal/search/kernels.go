// This file embeds the kernels. An image is loaded when one of its kernels is
// first launched; that of extra.cu only where Options ask for what is in it.

package search

import _ "embed"

//go:generate go run ../tools/fatbin -o bfs.fatbin.zst ../../algos/bfs/bfs.cu

//go:generate go run ../tools/fatbin -o extra.fatbin.zst ../../algos/bfs/extra.cu

//go:generate go run ../tools/fatbin -o fused.fatbin.zst ../../algos/bfs/fused.cu

//go:generate go run ../tools/fatbin -o deep.fatbin.zst ../../algos/bfs/deep.cu

//go:generate go run ../tools/fatbin -newest -o across.fatbin.zst ../../algos/dobfs/across.cu

//go:embed bfs.fatbin.zst
var image []byte

//go:embed extra.fatbin.zst
var extraImage []byte

//go:embed fused.fatbin.zst
var fusedImage []byte

//go:embed across.fatbin.zst
var acrossImage []byte

//go:embed deep.fatbin.zst
var deepImage []byte

// This file embeds the kernels.

package dobfs

import (
	_ "embed"

	"github.com/foray-graph/foray/algos/bfs"
)

//go:generate go run ../../internal/tools/fatbin -o dobfs.fatbin.zst dobfs.cu

//go:embed dobfs.fatbin.zst
var image []byte

// variant is the search.
var variant = bfs.Variant{Name: "dobfs", Loop: loop, Image: image, Kernel: "dobfs_fused", Alpha: DefaultAlpha, Beta: DefaultBeta}

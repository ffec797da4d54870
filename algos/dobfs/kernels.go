// This file embeds the kernels.

package dobfs

import (
	_ "embed"

	"github.com/foray-graph/foray/algos/bfs"
)

//go:generate go run ../../internal/tools/fatbin -o dobfs.fatbin.zst dobfs.cu

//go:embed dobfs.fatbin.zst
var image []byte

// direction is the search in one kernel that changes direction.
var direction = bfs.FusedKernel{Image: image, Name: "dobfs_fused"}

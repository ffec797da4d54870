// This file tests that arguments are laid out as the kernels take them.

package front

import (
	"testing"

	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	var s scanArgs
	structs.Run(t, "frontier/convert.cu",
		structs.Kernels("convert_*", convertArgs{}),
		structs.Kernels("scan_tiles", s.tiles, s.count, s.post),
		structs.Struct("Queue<u32>", RemoteQueue{}),
		structs.Struct("Queue<u64>", RemoteQueue{}),
		structs.Constant("kTile", tileBits),
		structs.Constant("kBlock", gpu.Block),
	)
}

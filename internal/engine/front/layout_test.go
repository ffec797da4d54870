// This file tests that arguments are laid out as the kernels take them.

package front

import (
	"testing"

	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	var s scanArgs
	layouttest.Run(t, "frontier/convert.cu",
		layouttest.Kernels("convert_*", convertArgs{}),
		layouttest.Kernels("scan_tiles", s.tiles, s.count, s.post),
		layouttest.Struct("Queue<u32>", RemoteQueue{}),
		layouttest.Struct("Queue<u64>", RemoteQueue{}),
		layouttest.Constant("kTile", tileBits),
		layouttest.Constant("kBlock", gpu.Block),
	)
}

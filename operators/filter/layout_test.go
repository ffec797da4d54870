// This file tests that arguments are laid out as the kernels take them.

package filter

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	layouttest.Run(t, "operators/filter/filter.cu",
		layouttest.Kernels("c*_flag_*", flagArgs{}),
		layouttest.Kernels("below_keep_flag_*", flagArgs{}, layouttest.AtMost(Params{})),
		layouttest.Kernels("below_part_*", partArgs{}, layouttest.AtMost(Params{})),
		layouttest.Kernels("move_*", flagArgs{}),
		layouttest.Kernels("words_*", wordArgs{}),
		layouttest.Constant("kTile", tileEntries),
		layouttest.Constant("kCullBitmask", uint64(ByBitmask)),
		layouttest.Constant("kCullLabel", uint64(ByLabel)),
		layouttest.Constant("kCullWarp", uint64(ByWarp)),
		layouttest.Constant("kCullHistory", uint64(ByHistory)),
		layouttest.Constant("kClaimExact", uint64(Exactly)),
	)
}

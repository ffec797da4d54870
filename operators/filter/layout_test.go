// This file tests that arguments are laid out as the kernels take them.

package filter

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "operators/filter/filter.cu",
		structs.Kernels("c*_flag_*", flagArgs{}),
		structs.Kernels("below_keep_flag_*", flagArgs{}, structs.AtMost(Params{})),
		structs.Kernels("below_part_*", partArgs{}, structs.AtMost(Params{})),
		structs.Kernels("move_*", flagArgs{}),
		structs.Kernels("words_*", wordArgs{}),
		structs.Constant("kTile", tileEntries),
		structs.Constant("kCullBitmask", uint64(ByBitmask)),
		structs.Constant("kCullLabel", uint64(ByLabel)),
		structs.Constant("kCullWarp", uint64(ByWarp)),
		structs.Constant("kCullHistory", uint64(ByHistory)),
		structs.Constant("kClaimExact", uint64(Exactly)),
	)
}

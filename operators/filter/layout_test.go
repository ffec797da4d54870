// This file tests that arguments are laid out as the kernels take them.

package filter

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "operators/filter/filter.cu",
		structs.Kernels("c*_flag_*", flagArgs{}),
		structs.Kernels("move_*", flagArgs{}),
		structs.Struct("PartArgs<u32>", partArgs{}),
		structs.Kernels("words_*", wordArgs{}),
		structs.Constant("kTile", tileEntries),
		structs.Constant("kCullBitmask", uint64(ByBitmask)),
		structs.Constant("kCullLabel", uint64(ByLabel)),
		structs.Constant("kCullWarp", uint64(ByWarp)),
		structs.Constant("kCullHistory", uint64(ByHistory)),
		structs.Constant("kClaimExact", uint64(Exactly)),
	)
}

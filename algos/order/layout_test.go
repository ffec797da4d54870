// This file tests that arguments are laid out as the kernels take them.

package order

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	var a orderArgs
	structs.Run(t, "algos/order/order.cu",
		structs.Kernels("order_*_o??", a),
		structs.Kernels("order_scan", a.tiles, uint64(0)),
		structs.Constant("kDigits", digits),
		structs.Constant("kSortTile", sortTile),
		structs.Constant("kTile", rowTile),
		structs.Constant("kShortRow", shortRow),
		structs.Constant("kMiddleRow", middleRow),
		structs.Constant("kBitmapStep", bitmapStep),
		structs.Constant("kNoBase", uint64(noBase)),
	)
}

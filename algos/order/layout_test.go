// This file tests that arguments are laid out as the kernels take them.

package order

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	var a orderArgs
	layouttest.Run(t, "algos/order/order.cu",
		layouttest.Kernels("order_*_o??", a),
		layouttest.Kernels("order_scan", a.tiles, uint64(0)),
		layouttest.Constant("kDigits", digits),
		layouttest.Constant("kSortTile", sortTile),
		layouttest.Constant("kTile", rowTile),
		layouttest.Constant("kShortRow", shortRow),
		layouttest.Constant("kMiddleRow", middleRow),
		layouttest.Constant("kBitmapStep", bitmapStep),
		layouttest.Constant("kNoBase", uint64(noBase)),
	)
}
